//! Transforms on the CPU.

use warpfield::ntt::{Direction, Domain, Order, RootOfUnity};

use super::super::memory::Memory;
use super::super::transforms::{ORDERS, Report, Row, check, coefficients};
use super::{name, times};
use crate::args::NttOptions;
use crate::failure::Failure;

/// Measures all sizes.
pub fn run(options: &NttOptions) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for &log_size in &options.log_sizes {
        let domain = Domain::new(log_size, RootOfUnity::SNARKJS).map_err(Failure::other)?;
        let input = coefficients(log_size);
        let mut values = input.clone();
        domain.transform(&mut values, Direction::Forward, Order::NN);
        check(|place| Ok(values[place]), &input, log_size)?;
        drop(input);
        for (order, name) in ORDERS {
            let run = || domain.transform(&mut values, Direction::Forward, order);
            rows.push(Row { log_size, order: name, seconds: times(options.repeats, run) });
        }
    }
    Report { device: name(), rows, memory: Memory::new(None) }.print(options.json)
}
