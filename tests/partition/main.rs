//! Partitions on the device that `WARPFIELD_TEST_DEVICE` names, which is the emulator with all its checks
//! unless that says `cuda`: proofs of the same bytes as the CPU's, or as those of definitions.
#![cfg(feature = "ptx")]

mod circuits;
#[path = "../device/mod.rs"]
mod device;
#[path = "../support/mod.rs"]
mod files;
mod oracle;
mod streamed;
mod support;
mod synthesis;
mod using;
