//! Groth16 on a device.

mod setup;

pub use setup::{SetupError, setup};
