//! Groth16 proving over BLS12-381 for the files of circom and snarkjs.

pub mod circuit;
pub mod curve;
mod field;
pub mod formats;
pub mod groth16;
pub mod msm;
pub mod ntt;
#[cfg(feature = "ptx")]
pub mod ptx;
