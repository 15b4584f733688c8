//! Engines on the emulated device.
#![cfg(feature = "ptx")]

#[path = "../support/mod.rs"]
mod files;

mod forms;
mod memory;
mod proofs;
mod stops;
mod support;
