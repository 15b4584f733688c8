//! Engines on the emulated device.
#![cfg(feature = "ptx")]

#[path = "../support/mod.rs"]
mod files;

mod failures;
mod forms;
mod losses;
mod memory;
mod proofs;
mod stops;
mod support;
