//! Options of whatever has proofs made on devices.

use std::num::{IntErrorKind, ParseIntError};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use warpfield::pipeline::interlock::Strategy;

/// How proofs are made on devices.
#[derive(clap::Args)]
pub struct EngineOptions {
    /// What keeps the workers of a device apart: two, none or single [default: the first compiled in]
    #[arg(long, value_name = "NAME")]
    pub lock: Option<Strategy>,

    /// Workers for each device, 1 to 64: one prepares while another's kernels run [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub workers: Option<u16>,

    /// Partitions on a device at a time, 1 to 64 [default: as many as workers]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub slots: Option<u16>,

    /// Bytes of device memory at most, such as 24G [default: what is free]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub vram: Option<usize>,

    /// Bytes of it for tables of the key's points, or `all` for as many as are of use; making them pays
    /// from some hundred partitions on [default: 0]
    #[arg(long, value_name = "BYTES", value_parser = bytes_or_all)]
    pub tables: Option<usize>,

    /// Bytes of witnesses that wait or are at work, at most, such as 8G; a larger one goes alone
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<usize>,
}

impl EngineOptions {
    /// The first of those that are given.
    pub fn given(&self) -> Option<&'static str> {
        first(&[
            (self.lock.is_some(), "--lock"),
            (self.workers.is_some(), "--workers"),
            (self.slots.is_some(), "--slots"),
            (self.vram.is_some(), "--vram"),
            (self.tables.is_some(), "--tables"),
            (self.memory.is_some(), "--memory"),
        ])
    }
}

/// What `prove` does about a partition that ends with an error of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnDeviceError {
    /// It fails
    Fail,
    /// The CPU proves it, and says so
    Cpu,
    /// A device proves it once more: in a new process, where the devices are lost to this one
    Retry,
}

/// What is told of a run on devices.
#[derive(clap::Args)]
pub struct ReportOptions {
    /// Write where each millisecond went as a trace, which ui.perfetto.dev opens
    #[arg(long, value_name = "FILE.json")]
    pub timeline: Option<PathBuf>,

    /// Print where the time went: a table, JSON lines, or the terms of cuzk's logs
    #[arg(long, value_name = "FORM")]
    pub report: Option<ReportForm>,

    /// Write a picture of the run
    #[arg(long, value_name = "FILE.svg")]
    pub waterfall: Option<PathBuf>,
}

/// How a report is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    /// For people
    Table,
    /// A line an interval, and one for all
    Json,
    /// In the terms of cuzk's logs
    Cuzk,
}

impl ReportOptions {
    /// Whether anything is to be told.
    pub fn is_wanted(&self) -> bool {
        self.given().is_some()
    }

    /// The files that are to be written.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.timeline, &self.waterfall].into_iter().flatten().map(PathBuf::as_path)
    }

    /// The first of those that are given.
    pub fn given(&self) -> Option<&'static str> {
        first(&[
            (self.timeline.is_some(), "--timeline"),
            (self.report.is_some(), "--report"),
            (self.waterfall.is_some(), "--waterfall"),
        ])
    }
}

fn first(options: &[(bool, &'static str)]) -> Option<&'static str> {
    options.iter().find_map(|(is_given, name)| is_given.then_some(*name))
}

/// A number of bytes, perhaps with K, M, G or T for powers of 1024.
pub fn bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.char_indices().last() {
        Some((end, 'K' | 'k')) => (&text[..end], 10),
        Some((end, 'M' | 'm')) => (&text[..end], 20),
        Some((end, 'G' | 'g')) => (&text[..end], 30),
        Some((end, 'T' | 't')) => (&text[..end], 40),
        _ => (text, 0),
    };
    const TOO_MANY: &str = "more bytes than there can be";
    let number: usize = digits.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => TOO_MANY,
        _ => "not a number of bytes, such as 24G",
    })?;
    number.checked_mul(1 << shift).ok_or_else(|| TOO_MANY.into())
}

/// The same, or `all` for no limit.
pub fn bytes_or_all(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(usize::MAX) } else { bytes(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes() {
        assert_eq!(bytes("0"), Ok(0));
        assert_eq!(bytes("1000"), Ok(1000));
        assert_eq!(bytes("3K"), Ok(3072));
        assert_eq!(bytes("24G"), Ok(24 << 30));
        assert_eq!(bytes("1t"), Ok(1 << 40));
        for wrong in ["", "G", "1.5G", "-1", "1GB", "99999999999G", "all", "1€"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!(bytes_or_all("all"), Ok(usize::MAX));
    }
}
