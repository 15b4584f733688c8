//! Groth16 proving over BLS12-381.

pub mod curve;
pub mod msm;
pub mod ntt;
