//! Multi-scalar multiplication on the device that `WARPFIELD_TEST_DEVICE` names, which is the emulator
//! with all its checks unless that says `cuda`, against sums of products by blst.
//!
//! The emulator gets short sums with narrow digits. What takes long ones is left to a GPU.
#![cfg(feature = "ptx")]

#[path = "../device/mod.rs"]
mod device;
mod digits;
mod fixed_base;
mod foreign;
mod lengths;
mod points;
mod scalars;
mod scan;
mod streamed;
mod support;
mod tables;
mod using;
