//! `warpfield bench`: how fast a device is.

use crate::args::{Bench, BenchMsm, BenchOptions};
use crate::failure::Failure;

#[cfg(feature = "test-kernels")]
mod field;
#[cfg(feature = "ptx")]
mod msm;
#[cfg(feature = "test-kernels")]
mod operations;
#[cfg(feature = "test-kernels")]
mod points;
#[cfg(feature = "test-kernels")]
mod samples;
#[cfg(feature = "test-kernels")]
mod table;

/// Measures, and prints a table.
pub fn run(bench: &Bench) -> Result<(), Failure> {
    match bench {
        Bench::Field(options) => run_field(options),
        Bench::Msm(options) => run_msm(options),
    }
}

#[cfg(feature = "test-kernels")]
fn run_field(options: &BenchOptions) -> Result<(), Failure> {
    field::run(options)
}

/// Says what it takes.
#[cfg(not(feature = "test-kernels"))]
fn run_field(_: &BenchOptions) -> Result<(), Failure> {
    Err(Failure::other(
        "this build has no kernels to measure; build with `--features cuda,test-kernels`",
    ))
}

#[cfg(feature = "ptx")]
fn run_msm(options: &BenchMsm) -> Result<(), Failure> {
    msm::run(options)
}

/// Says what it takes.
#[cfg(not(feature = "ptx"))]
fn run_msm(_: &BenchMsm) -> Result<(), Failure> {
    Err(Failure::other("this build has no kernels to measure; build with `--features cuda`"))
}
