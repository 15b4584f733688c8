//! Transforms on a device.

use std::time::Duration;

use blstrs::Scalar;
use ff::Field as _;
use warpfield::gpu::{Device, Module, Stream};
use warpfield::ntt::{Direction, GpuDomain, Order, RootOfUnity};
use warpfield_device::field::Fr;

use super::memory::{DeviceMemory, Memory};
use super::spread::Spread;
use super::transforms::{ORDERS, Report, Row, check, coefficients};
use crate::args::NttOptions;
use crate::failure::Failure;

/// What it takes to measure transforms.
struct Bench {
    device: Device,
    module: Module,
    stream: Stream,
    memory: DeviceMemory,
}

/// Measures all sizes.
pub fn run(options: &NttOptions) -> Result<(), Failure> {
    let device = options.device.open(crate::device::EMULATED_OR_CPU)?;
    let memory = DeviceMemory::before(&device)?;
    let module = Module::load(&device, warpfield::ptx::MODULE)?;
    let mut bench = Bench { stream: device.stream()?, device, module, memory };
    let mut rows = Vec::new();
    for log_size in &options.log_sizes {
        rows.extend(bench.measure(*log_size, options.repeats)?);
    }
    let device = bench.device.info().name.clone();
    Report { device, rows, memory: Memory::new(Some(bench.memory)) }.print(options.json)
}

impl Bench {
    fn measure(&mut self, log_size: u32, repeats: u32) -> Result<Vec<Row>, Failure> {
        let Self { device, module, stream, memory } = self;
        let domain = GpuDomain::new(module, stream, log_size, RootOfUnity::SNARKJS);
        let domain = domain.map_err(Failure::other)?;
        let size = domain.size();
        let input = coefficients(log_size);
        let (values, scratch) = (device.alloc::<Fr>(size)?, device.alloc(size)?);
        let bytes = size * size_of::<Fr>();
        memory.look(device, [("values", bytes), ("scratch", bytes), ("twiddles", 2 * bytes)])?;
        let scalars = values.cast().expect("the bytes of scalars");

        stream.upload(&scalars, &input)?;
        domain.transform(stream, &values, Some(&scratch), size, Direction::Forward, Order::NN)?;
        let found = |place: usize| {
            let mut found = [Scalar::ZERO];
            stream.download(&scalars.slice(place..=place), &mut found)?;
            Ok(found[0])
        };
        check(found, &input, log_size)?;

        let mut rows = Vec::new();
        for (order, name) in ORDERS {
            let mut times = Vec::new();
            for _ in 0..=repeats {
                let (start, end) = (device.event()?, device.event()?);
                stream.record(&start)?;
                domain.transform(
                    stream,
                    &values,
                    Some(&scratch),
                    size,
                    Direction::Forward,
                    order,
                )?;
                stream.record(&end)?;
                stream.synchronize()?;
                let time = end.elapsed_since(&start)?.unwrap_or(Duration::MAX);
                times.push(time.as_secs_f64());
            }
            // The first is to warm up.
            let seconds = Spread::of(times[1..].iter().copied());
            rows.push(Row { log_size, order: name, seconds });
        }
        Ok(rows)
    }
}
