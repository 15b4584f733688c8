//! `warpfield export-vk`.

use warpfield::formats::zkey;
use warpfield::formats::{Source, has_magic, json, write_atomically};

use crate::args::ExportVk;
use crate::failure::Failure;
use crate::paths;

pub fn run(args: &ExportVk) -> Result<(), Failure> {
    paths::check(&[&args.key], None, &[&args.output])?;
    let key = zkey::read_verifying_key(&Source::open_beginning(&args.key, has_magic)?)?;
    let text = json::verification_key_to_json(&key);
    write_atomically(&args.output, |out| json::write(&text, out))?;
    tracing::info!("verification key written to {}", args.output.display());
    Ok(())
}
