//! Groth16 proving over BLS12-381.
