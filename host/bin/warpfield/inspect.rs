//! `warpfield inspect`.

use warpfield::formats::{Source, inspect};

use crate::args::Inspect;
use crate::failure::Failure;

pub fn run(args: &Inspect) -> Result<(), Failure> {
    let report = inspect(&Source::open(&args.file)?)?;
    println!("{}: {}", args.file.display(), report.format);
    for (name, value) in &report.facts {
        println!("  {name:<24} {value}");
    }
    println!("  {:<24} {:>14} {:>14}", "section", "offset", "bytes");
    for section in &report.sections {
        println!("  {:<24} {:>14} {:>14}", section.name, section.offset, section.bytes);
    }
    Ok(())
}
