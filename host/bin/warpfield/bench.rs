//! `warpfield bench`: how fast a device is.

use crate::args::Bench;
use crate::failure::Failure;

#[cfg(feature = "test-kernels")]
mod field;
#[cfg(feature = "test-kernels")]
mod operations;
#[cfg(feature = "test-kernels")]
mod points;
#[cfg(feature = "test-kernels")]
mod samples;
#[cfg(feature = "test-kernels")]
mod table;

/// Measures, and prints a table.
#[cfg(feature = "test-kernels")]
pub fn run(bench: &Bench) -> Result<(), Failure> {
    match bench {
        Bench::Field(options) => field::run(options),
    }
}

/// Says what it takes.
#[cfg(not(feature = "test-kernels"))]
pub fn run(_: &Bench) -> Result<(), Failure> {
    Err(Failure::other(
        "this build has no kernels to measure; build with `--features cuda,test-kernels`",
    ))
}
