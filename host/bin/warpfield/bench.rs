//! `warpfield bench`: how fast a device is.

use crate::args::Bench;
use crate::failure::Failure;

#[cfg(feature = "test-kernels")]
mod field;
#[cfg(feature = "ptx")]
mod msm;
#[cfg(feature = "ptx")]
mod ntt;
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
        #[cfg(feature = "test-kernels")]
        Bench::Field(options) => field::run(options),
        #[cfg(feature = "ptx")]
        Bench::Ntt(options) => ntt::run(options),
        #[cfg(feature = "ptx")]
        Bench::Msm(options) => msm::run(options),
        #[cfg(not(all(feature = "ptx", feature = "test-kernels")))]
        _ => Err(Failure::other(
            "this build has no kernels to measure; build with `--features cuda,test-kernels`",
        )),
    }
}
