//! `warpfield bench field`: the rates of the arithmetic, beside what the chip can do.

use warpfield_device::launch::LIMIT_STEPS;

use super::operations::{self, Bench, Operation};
use super::points::{self, G1, G2};
use super::samples::Samples;
use super::table::{Row, Table};
use crate::args::BenchOptions;
use crate::failure::Failure;

/// Operations with the limits first, of which the first is that of multiplications.
fn operations(bench: &Bench) -> Result<Vec<Operation>, Failure> {
    let samples = Samples::draw();
    let (fp, fp2) = (samples.fp(), samples.fp2());
    let mads = 2 * 6 * LIMIT_STEPS;
    let mut all = vec![
        bench.limit("wide multiply-add", "mad_rate", &fp, mads)?,
        bench.limit("addition with carry", "add_rate", &fp, 2 * mads)?,
        bench.copy()?,
    ];
    all.extend(operations::fields(bench, &samples.fr, &fp, &fp2)?);
    all.extend([
        points::sums::<G1>(bench, "G1 XYZZ + affine", &samples.g1, 2316)?,
        points::pairs::<G1>(bench, "G1 affine + affine", &samples.g1, 1482)?,
        points::sums::<G2>(bench, "G2 XYZZ + affine", &samples.g2, 6624)?,
        points::pairs::<G2>(bench, "G2 affine + affine", &samples.g2, 4176)?,
    ]);
    Ok(all)
}

/// Measures all in turns, so that a change of the chip's clock meets all.
pub fn run(options: &BenchOptions) -> Result<(), Failure> {
    let bench = Bench::new(options.device.open()?)?;
    let operations = operations(&bench)?;
    let mut rates = vec![Vec::new(); operations.len()];
    for operation in &operations {
        operation.rate(&bench)?;
    }
    for _ in 0..options.repeats {
        for (operation, rates) in operations.iter().zip(&mut rates) {
            rates.push(operation.rate(&bench)?);
        }
    }
    let rows = operations.iter().zip(rates).map(|(operation, rates)| Row::new(operation, rates));
    let table = Table::new(bench.device.info(), rows.collect::<Result<_, _>>()?);
    Failure::print(if options.json { table.json() } else { table.text() })
}
