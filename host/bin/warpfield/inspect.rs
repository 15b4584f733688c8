//! `warpfield inspect`.

use warpfield::formats::{Source, has_magic, inspect};

use crate::args::Inspect;
use crate::failure::Failure;

pub fn run(args: &Inspect) -> Result<(), Failure> {
    let report = inspect(&Source::open_beginning(&args.file, has_magic)?)?;
    let mut text = format!("{}: {}", args.file.display(), report.format);
    for (name, value) in &report.facts {
        text += &format!("\n  {name:<24} {value}");
    }
    text += &format!("\n  {:<24} {:>14} {:>14}", "section", "offset", "bytes");
    for section in &report.sections {
        text += &format!("\n  {:<24} {:>14} {:>14}", section.name, section.offset, section.bytes);
    }
    Failure::print(text)
}
