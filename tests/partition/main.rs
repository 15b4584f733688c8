//! Partitions on the device that `WARPFIELD_TEST_DEVICE` names, which is the emulator with all its checks
//! unless that says `cuda`: proofs of the same bytes as the CPU's.
#![cfg(feature = "ptx")]

mod circuits;
#[path = "../device/mod.rs"]
mod device;
#[path = "../support/mod.rs"]
mod files;
mod support;
mod using;
