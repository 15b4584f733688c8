//! `warpfield bench field`: the rates of the arithmetic, beside what the chip can do.

use warpfield::gpu::Error;
use warpfield_device::launch::LIMIT_STEPS;

use super::memory::{DeviceMemory, Memory};
use super::operations::{self, Bench, Operation};
use super::points::{self, G1, G2};
use super::samples::Samples;
use super::spread::Spread;
use super::table::{Gpu, Machine, Row, Table};
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
    let device = options.device.open(crate::device::EMULATED_OR_CPU)?;
    let mut memory = DeviceMemory::before(&device)?;
    let bench = Bench::new(device)?;
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
    memory.look(&bench.device, [])?;
    let row = |(operation, rates): (&Operation, Vec<f64>)| {
        let kernel = operation.kernel.as_ref();
        let attributes = kernel.map(|kernel| kernel.attributes()).transpose()?;
        let mut row = Row::new(operation.name, Spread::of(rates));
        row.wide = operation.wide;
        row.registers = attributes.and_then(|attributes| attributes.registers);
        row.local_bytes = attributes.and_then(|attributes| attributes.local_bytes);
        Ok(row)
    };
    let rows = operations.iter().zip(rates).map(row).collect::<Result<_, Error>>()?;
    let info = bench.device.info();
    let driver = info.driver.map(|(major, minor)| format!("CUDA {major}.{minor}"));
    let machine = Machine {
        device: info.name.clone(),
        gpu: Some(Gpu { driver, multiprocessors: info.multiprocessors }),
        how: "medians; all in turns, each checked against blst first",
    };
    Table::new(machine, rows, Memory::new(Some(memory))).print(options.json)
}
