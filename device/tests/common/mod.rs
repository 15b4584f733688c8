//! Limb arrays as big integers.

// Each test program uses some of these.
#![allow(dead_code)]

use num_bigint::BigUint;

/// The integer that little-endian limbs stand for.
pub fn to_biguint(limbs: &[u32]) -> BigUint {
    BigUint::from_slice(limbs)
}

/// The limbs of an integer that fits them.
pub fn to_limbs<const N: usize>(value: &BigUint) -> [u32; N] {
    let mut limbs = [0; N];
    let digits = value.to_u32_digits();
    limbs[..digits.len()].copy_from_slice(&digits);
    limbs
}
