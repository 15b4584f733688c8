//! `warpfield bench prove`.

use std::path::PathBuf;

use clap::ValueEnum;
use warpfield::pipeline::interlock::Strategy;

use super::engine::{EngineOptions, ReportOptions};
use crate::device::Devices;

#[derive(clap::Args)]
pub struct BenchProve {
    /// Rows of the domain, such as 2^20: constraints, and a row for each public signal and the constant
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = rows)]
    #[arg(required_unless_present = "shape")]
    pub constraints: Vec<usize>,

    /// A circuit of this shape, in place of one of so many rows
    #[arg(long, value_enum, conflicts_with_all = ["constraints", "witness"])]
    pub shape: Option<ShapeName>,

    /// With --shape, the part of its size
    #[arg(long, value_name = "PART", default_value = "1/8", value_parser = scale)]
    #[arg(requires = "shape", conflicts_with = "constraints")]
    pub scale: f64,

    /// What proofs are made of: a witness and a key's matrices, or the vectors of a synthesis
    #[arg(long, value_enum, default_value_t = FormName::Zkey)]
    pub form: FormName,

    /// Partitions that are measured, each time
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(3..))]
    pub partitions: u32,

    /// What the witness's values are
    #[arg(long, value_enum, default_value_t = Values::Random)]
    pub witness: Values,

    /// Locks to compare, which take turns, in place of --lock
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "lock")]
    pub locks: Vec<Strategy>,

    /// Numbers of workers to compare, in place of --workers
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', conflicts_with = "workers")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=64))]
    pub workers_each: Vec<u16>,

    /// Turns of each
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// Compare with runs of which no timeline is recorded
    #[arg(long)]
    pub unrecorded: bool,

    /// Keep circuit.zkey and witness.wtns, of the last size, in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "form")]
    pub dir: Option<PathBuf>,

    /// Print JSON: seconds
    #[arg(long, conflicts_with = "report")]
    pub json: bool,

    /// What computes: cuda, cuda:N, several as cuda:N,M, or emulated (which tells nothing of a GPU's speed)
    #[arg(long, value_name = "DEVICE", default_value = "cuda")]
    pub device: Devices,

    #[command(flatten)]
    pub engine: EngineOptions,

    #[command(flatten)]
    pub reports: ReportOptions,
}

/// What a witness's values are.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Values {
    /// All random, of full width: the slowest
    Random,
    /// Of ten seven are 0 or 1
    Mixed,
    /// All are 0 or 1
    Bits,
}

/// A circuit that people prove.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShapeName {
    /// A partition of Filecoin's proof of replication for 32 GiB, with 60 % of its values 0 or 1
    Porep32,
}

/// What proofs are made of.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// As snarkjs has them
    Zkey,
    /// As bellman has them
    Abc,
}

/// A number from 0 to 1, or a fraction.
fn scale(text: &str) -> Result<f64, &'static str> {
    const WRONG: &str = "not a part of 1, such as 1/8 or 0.5";
    let number = |text: &str| text.parse::<f64>().map_err(|_| WRONG);
    let part = match text.split_once('/') {
        Some((part, whole)) => number(part)? / number(whole)?,
        None => number(text)?,
    };
    if part > 0.0 && part <= 1.0 { Ok(part) } else { Err(WRONG) }
}

/// A number, or 2^K.
fn rows(text: &str) -> Result<usize, String> {
    const WRONG: &str = "not a number from 8 to 2^28, such as 1000 or 2^20";
    let rows = match text.strip_prefix("2^") {
        Some(log) => log.parse().ok().and_then(|log| 1usize.checked_shl(log)),
        None => text.parse().ok(),
    };
    rows.filter(|rows| (8..=1 << 28).contains(rows)).ok_or_else(|| WRONG.into())
}
