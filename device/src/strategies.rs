//! Strategies for proptest that draw the edges often and shrink limb by limb.
//!
//! An element is drawn by its Montgomery form, as that is what the arithmetic sees: a random value
//! hardly ever has a limb of 0 or of all ones, at which carries start and run through.

use core::ops::Neg;
use std::vec::Vec;

use num_bigint::BigUint;
use proptest::prelude::*;

use crate::field::{Config, Field, Prime, fp2::Quadratic};

/// A limb: often 0 or all ones.
pub fn limb() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(0), 1 => Just(1), 3 => Just(u32::MAX), 1 => Just(u32::MAX - 1), 4 => any::<u32>()]
}

/// `N` limbs of any value; shrinks limb by limb.
pub fn limbs<const N: usize>() -> impl Strategy<Value = [u32; N]> {
    prop::collection::vec(limb(), N).prop_map(|limbs| limbs.try_into().expect("N limbs"))
}

/// Limbs of a value below `p`: an edge, a single bit, or mixed limbs.
pub fn below<const N: usize>(p: [u32; N]) -> impl Strategy<Value = [u32; N]> {
    let modulus = BigUint::from_slice(&p);
    let bits = modulus.bits() as usize;
    let mixed =
        limbs::<N>().prop_map(move |limbs| to_limbs(&(BigUint::from_slice(&limbs) % &modulus)));
    prop_oneof![
        2 => prop::sample::select(edges(p)),
        1 => (0..bits - 1).prop_map(|bit| to_limbs(&(BigUint::from(1u32) << bit))),
        5 => mixed,
    ]
}

/// The values below `p` at which field arithmetic tends to break.
pub fn edges<const N: usize>(p: [u32; N]) -> Vec<[u32; N]> {
    let modulus = BigUint::from_slice(&p);
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

/// The limbs of an integer that fits them.
fn to_limbs<const N: usize>(value: &BigUint) -> [u32; N] {
    let mut limbs = [0; N];
    let digits = value.to_u32_digits();
    limbs[..digits.len()].copy_from_slice(&digits);
    limbs
}

impl<C: Config<N>, const N: usize> Arbitrary for Prime<C, N> {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        below(C::MODULUS).prop_map(Self::from_montgomery_limbs).boxed()
    }
}

impl<C: Config<N>, const N: usize> Arbitrary for Quadratic<C, N> {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        any::<(Prime<C, N>, Prime<C, N>)>().prop_map(|(c0, c1)| Self { c0, c1 }).boxed()
    }
}

/// A z for the denominators z² and z³ of a point: any element but zero.
pub fn denominator<F: Field + Arbitrary + 'static>() -> impl Strategy<Value = F> {
    any::<F>().prop_map(|z| if z.is_zero() { F::ONE } else { z })
}

/// Two elements of a group, drawn from `element`, that are often the same, opposite or `neutral`:
/// the cases that a formula for different points does not cover.
pub fn operands<G, S>(element: S, neutral: G) -> impl Strategy<Value = (G, G)>
where
    G: Copy + core::fmt::Debug + Neg<Output = G>,
    S: Strategy<Value = G> + Clone,
{
    (0u32..10, element.clone(), element).prop_map(move |(relation, a, b)| match relation {
        0..=4 => (a, b),
        5 => (a, a),
        6 => (a, -a),
        7 => (neutral, b),
        8 => (a, neutral),
        _ => (neutral, neutral),
    })
}
