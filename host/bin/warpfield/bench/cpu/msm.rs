//! Multi-scalar multiplications on the CPU.

use serde::Serialize;
use warpfield::curve::{CurveGroup, G1, G2};
use warpfield::msm::{ScalarSlice, msm};

use super::super::memory::Memory;
use super::super::operands::Operands;
use super::super::spread::{self, Spread};
use super::{name, times};
use crate::args::{BenchMsm, GroupName};
use crate::failure::Failure;

/// Sums of one length, in seconds.
#[derive(Serialize)]
struct Row {
    log_size: u32,
    wall: Spread,
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
struct Report {
    device: String,
    group: &'static str,
    rows: Vec<Row>,
    memory: Memory,
}

/// Measures sums of each length, one after the other.
pub fn run(options: &BenchMsm) -> Result<(), Failure> {
    let numbers =
        [options.bits, options.log_segment, options.halvings, options.bin, options.copies];
    if numbers.iter().any(Option::is_some) || options.tables != 0 || options.is_streamed() {
        return Err(Failure::other(
            "--device cpu: how sums are split, tables, and where operands are, is for GPUs; leave out \
             --bits, --log-segment, --halvings, --bin, --copies, --tables, --bases and --scalars",
        ));
    }
    if options.is_streamed() {
        return Err(Failure::other("--bases and --scalars are for the sums of a GPU"));
    }
    match options.group {
        GroupName::G1 => of_group::<G1>(options),
        GroupName::G2 => of_group::<G2>(options),
    }
}

fn of_group<G: CurveGroup>(options: &BenchMsm) -> Result<(), Failure> {
    let longest = options.log_size.iter().max().map_or(0, |log| 1 << log);
    let operands = Operands::<G>::new(longest);
    let (bases, integers) = (operands.bases()?, operands.integers(longest));
    let mut rows = Vec::new();
    for &log_size in &options.log_size {
        let terms = 1 << log_size;
        let expected = operands.multiple(terms);
        let mut wrong = None;
        let wall = times(options.options.repeats, || {
            let sum = msm(bases.slice(0..terms), ScalarSlice::from(&integers[..terms]));
            if sum != Ok(expected) {
                wrong = Some(sum);
            }
        });
        if wrong.is_some() {
            return Err(Failure::other(format!("2^{log_size} terms in {}: a wrong sum", G::NAME)));
        }
        rows.push(Row { log_size, wall });
    }
    let (device, group) = (name(), G::NAME);
    Report { device, group, rows, memory: Memory::new(None) }.print(options.options.json)
}

impl Report {
    fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            let json = serde_json::to_string_pretty(self).expect("numbers and strings");
            return Failure::print(json);
        }
        let row = |row: &Row| {
            let (median, spread) = (1e3 * row.wall.median, row.wall.percent());
            format!("{:<6}{median:>10.3}{spread:>6.1} %", format!("2^{}", row.log_size))
        };
        let head = format!(
            "{}\n{}, medians of milliseconds, every sum checked\n\n{:<6}{:>10}{:>8}",
            self.device, self.group, "terms", "wall", "spread"
        );
        let note = format!("{}\n{}", spread::LEGEND, self.memory.text());
        let rows = self.rows.iter().map(row);
        Failure::print([vec![head], rows.collect(), vec![String::new(), note]].concat().join("\n"))
    }
}
