//! `warpfield bench`: how fast a device is, or the CPU.

use crate::args::Bench;
use crate::device::DeviceName;
use crate::failure::Failure;

mod cpu;
#[cfg(feature = "test-kernels")]
mod field;
mod memory;
#[cfg(feature = "ptx")]
mod msm;
#[cfg(feature = "ptx")]
mod ntt;
mod operands;
#[cfg(feature = "test-kernels")]
mod operations;
#[cfg(feature = "test-kernels")]
mod points;
#[cfg(feature = "ptx")]
mod prove;
#[cfg(feature = "test-kernels")]
mod samples;
mod spread;
mod table;
mod transforms;

/// Measures, and prints a table.
pub fn run(bench: &Bench) -> Result<(), Failure> {
    match bench {
        Bench::Field(options) if options.device == DeviceName::Cpu => cpu::field(options),
        Bench::Ntt(options) if options.device == DeviceName::Cpu => cpu::ntt(options),
        Bench::Msm(options) if options.options.device == DeviceName::Cpu => cpu::msm(options),
        #[cfg(feature = "test-kernels")]
        Bench::Field(options) => field::run(options),
        #[cfg(feature = "ptx")]
        Bench::Ntt(options) => ntt::run(options),
        #[cfg(feature = "ptx")]
        Bench::Msm(options) => msm::run(options),
        #[cfg(feature = "ptx")]
        Bench::TuneMsm(options) => msm::tune(options),
        #[cfg(feature = "ptx")]
        Bench::Prove(options) => prove::run(options),
        #[cfg(feature = "ptx")]
        Bench::Locks(options) => prove::locks(options),
        #[cfg(not(all(feature = "ptx", feature = "test-kernels")))]
        _ => Err(Failure::other(
            "this build has no kernels to measure; build with `--features cuda,test-kernels`, or \
             measure the CPU by `--device cpu`",
        )),
    }
}
