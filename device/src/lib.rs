//! Kernels of warpfield and the types that host and device share.
//!
//! The crate has two lives. For `nvptx64-nvidia-cuda` it is compiled to PTX by the build script of
//! `warpfield`; for the host it gives the same types, constants and algorithms as ordinary code,
//! which is what the tests compare with independent big-integer arithmetic. What differs between
//! the two is confined to [`limbs`] (carry chains) and `gpu` (what a thread can ask the machine). What
//! uses shared memory is for the GPU alone: `slots` and, on them, sums of points. What is for the GPU alone is
//! not in this documentation of the host's build; `warpfield::ptx::ENTRIES` has that of the kernels.
//!
//! # Features
//!
//! | feature | gives |
//! | --- | --- |
//! | `proptest` | `strategies`, from which tests draw field elements and points; for the host, with `std` |
//! | `test-kernels` | kernels of single operations over arrays, in what is compiled for the GPU |
#![no_std]
// Says on docs.rs which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx)
)]

pub mod curve;
pub mod field;
#[cfg(target_arch = "nvptx64")]
pub mod gpu;
pub mod groth16;
#[cfg(target_arch = "nvptx64")]
mod kernels;
pub mod launch;
pub mod limbs;
pub mod msm;
pub mod ntt;
#[cfg(target_arch = "nvptx64")]
pub mod slots;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod words;

#[cfg(feature = "proptest")]
extern crate std;

/// A panic ends the kernel with a trap, so that the host gets an error and not a hang.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    gpu::trap()
}
