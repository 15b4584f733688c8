//! The device layer: on the emulator, with many orders of queued work, or by
//! `WARPFIELD_TEST_DEVICE=cuda` on a GPU (with the feature `cuda`).
#![cfg(feature = "ptx")]

#[path = "../device/mod.rs"]
mod device;
mod failures;
mod faults;
mod foreign;
mod kernels;
mod launch;
mod memory;
mod pinned;
mod streams;
mod support;
mod threads;
