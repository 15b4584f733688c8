//! Limb arrays as big integers, and strategies that draw the edges often.

// Each test program uses some of these.
#![allow(dead_code)]

use num_bigint::BigUint;
use proptest::prelude::*;

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

/// A limb: often 0 or all ones, where carries start and run through.
pub fn limb() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(0), 1 => Just(1), 3 => Just(u32::MAX), 1 => Just(u32::MAX - 1), 4 => any::<u32>()]
}

/// `N` limbs of any value; shrinks limb by limb.
pub fn limbs<const N: usize>() -> impl Strategy<Value = [u32; N]> {
    prop::collection::vec(limb(), N).prop_map(|limbs| limbs.try_into().expect("N limbs"))
}

/// Limbs of a value below `p`: an edge, a single bit, or mixed limbs.
pub fn below<const N: usize>(p: [u32; N]) -> impl Strategy<Value = [u32; N]> {
    let modulus = to_biguint(&p);
    let bits = modulus.bits() as usize;
    let mixed = limbs::<N>().prop_map(move |limbs| to_limbs(&(to_biguint(&limbs) % &modulus)));
    prop_oneof![
        2 => prop::sample::select(edges(p)),
        1 => (0..bits - 1).prop_map(|bit| to_limbs(&(BigUint::from(1u32) << bit))),
        5 => mixed,
    ]
}

/// The values below `p` at which field arithmetic tends to break.
pub fn edges<const N: usize>(p: [u32; N]) -> Vec<[u32; N]> {
    let modulus = to_biguint(&p);
    let mut values: Vec<BigUint> = (0u32..3).map(BigUint::from).collect();
    values.extend((1u32..3).map(|k| &modulus - k));
    values.push((&modulus - 1u32) / 2u32);
    values.push((&modulus + 1u32) / 2u32);
    // One and 2³²ᴺ − 1 less multiples of p: the largest Montgomery forms' neighbours.
    values.push((BigUint::from(1u32) << (32 * N)) % &modulus);
    // All-ones limbs below p: as many as fit, from the bottom and under the top limb.
    values.extend((1..N).map(|k| (BigUint::from(1u32) << (32 * k)) - 1u32));
    values.push(
        (BigUint::from(p[N - 1] - 1) << (32 * (N - 1))) + (BigUint::from(1u32) << (32 * (N - 1)))
            - 1u32,
    );
    values.iter().map(to_limbs).collect()
}
