//! `warpfield bench ntt`: the times of transforms on a device.

use std::time::Duration;

use blstrs::Scalar;
use ff::Field as _;
use rayon::prelude::*;
use serde::Serialize;
use warpfield::gpu::{Device, DeviceSlice, Module, Stream};
use warpfield::ntt::{Direction, GpuDomain, Order, RootOfUnity};
use warpfield_device::field::Fr;

use crate::args::NttOptions;
use crate::failure::Failure;

/// One size and order.
#[derive(Serialize)]
struct Row {
    log_size: u32,
    order: &'static str,
    /// Seconds: the median and the ends.
    median: f64,
    min: f64,
    max: f64,
}

/// Measures all sizes.
pub fn run(options: &NttOptions) -> Result<(), Failure> {
    let device = options.device.open()?;
    let module = Module::load(&device, warpfield::ptx::MODULE)?;
    let stream = device.stream()?;
    let mut rows = Vec::new();
    for log_size in &options.log_sizes {
        rows.extend(measure(&device, &module, &stream, *log_size, options.repeats)?);
    }
    Failure::print(if options.json {
        serde_json::to_string_pretty(&rows).expect("numbers and strings")
    } else {
        let row = |row: &Row| {
            let spread = 100.0 * (row.max - row.min) / row.median;
            format!(
                "2^{:<6}{:<10}{:>10.4}{:>8.1} %",
                row.log_size,
                row.order,
                1e3 * row.median,
                spread
            )
        };
        let head = format!(
            "{}: forward transforms in device memory, each checked at some of its values first\n\n\
             size    order       median ms  spread",
            device.info().name
        );
        [vec![head], rows.iter().map(row).collect()].concat().join("\n")
    })
}

fn measure(
    device: &Device,
    module: &Module,
    stream: &Stream,
    log_size: u32,
    repeats: u32,
) -> Result<Vec<Row>, Failure> {
    let domain = GpuDomain::new(module, stream, log_size, RootOfUnity::SNARKJS);
    let domain = domain.map_err(Failure::other)?;
    let size = domain.size();
    let input: Vec<Scalar> = (0..size).into_par_iter().map(value).collect();
    let (values, scratch) = (device.alloc::<Fr>(size)?, device.alloc(size)?);
    let scalars = values.cast().expect("the bytes of scalars");

    stream.upload(&scalars, &input)?;
    domain.transform(stream, &values, Some(&scratch), size, Direction::Forward, Order::NN)?;
    check(stream, &scalars, &input, log_size)?;

    let mut rows = Vec::new();
    for (order, name) in [(Order::NN, "natural"), (Order::NR, "reversed")] {
        let mut times = Vec::new();
        for _ in 0..=repeats {
            let (start, end) = (device.event()?, device.event()?);
            stream.record(&start)?;
            domain.transform(stream, &values, Some(&scratch), size, Direction::Forward, order)?;
            stream.record(&end)?;
            stream.synchronize()?;
            let time = end.elapsed_since(&start)?.unwrap_or(Duration::MAX);
            times.push(time.as_secs_f64());
        }
        // The first is to warm up.
        let times = &mut times[1..];
        times.sort_by(f64::total_cmp);
        let (median, min, max) = (times[times.len() / 2], times[0], times[times.len() - 1]);
        rows.push(Row { log_size, order: name, median, min, max });
    }
    Ok(rows)
}

/// The i-th coefficient: as good as random.
fn value(i: usize) -> Scalar {
    Scalar::from(i as u64 ^ 0x9e37_79b9_7f4a_7c15).square().square()
}

/// That some of the values are the polynomial's.
fn check(
    stream: &Stream,
    values: &DeviceSlice<Scalar>,
    coefficients: &[Scalar],
    log_size: u32,
) -> Result<(), Failure> {
    let root = RootOfUnity::SNARKJS.of_order(log_size);
    let size = coefficients.len();
    for place in [0, 1, size / 3, size - 1].map(|place| place % size) {
        let mut found = [Scalar::ZERO];
        stream.download(&values.slice(place..=place), &mut found)?;
        let point = root.pow([place as u64]);
        // By parts, each by Horner's rule.
        let part = size.min(1 << 14);
        let parts = coefficients.par_chunks(part).enumerate().map(|(i, part_of)| {
            let value = part_of.iter().rev().fold(Scalar::ZERO, |sum, c| sum * point + c);
            value * point.pow([(i * part) as u64])
        });
        let expected: Scalar = parts.reduce(|| Scalar::ZERO, |a, b| a + b);
        if found[0] != expected {
            return Err(Failure::other(format!(
                "value {place} of the transform of 2^{log_size} is wrong"
            )));
        }
    }
    Ok(())
}
