//! Unreduced products against big integers.

mod common;

use common::to_biguint;
use proptest::prelude::*;
use warpfield_device::limbs::product::{mul_wide, schoolbook};
use warpfield_device::strategies::limbs;

type Product<const N: usize> = fn(&[u32; N], &[u32; N]) -> ([u32; N], [u32; N]);

fn check<const N: usize>(
    product: Product<N>,
    a: [u32; N],
    b: [u32; N],
) -> Result<(), TestCaseError> {
    let (low, high) = product(&a, &b);
    prop_assert_eq!(to_biguint(&[low, high].concat()), to_biguint(&a) * to_biguint(&b));
    Ok(())
}

/// Below 2³²ᴺ⁻¹, as Karatsuba's factors are.
fn halved<const N: usize>(mut limbs: [u32; N]) -> [u32; N] {
    limbs[N - 1] &= u32::MAX >> 1;
    limbs
}

/// Factors whose halves are zero, one limb, or all ones: their sums have a carry or are one off it.
fn edges<const N: usize>() -> Vec<[u32; N]> {
    let half = |kind: usize, word: usize| match kind {
        0 => 0,
        1 => u32::from(word == 0),
        2 => u32::from(word == N / 2 - 1) << 31,
        3 => u32::MAX - u32::from(word == 0),
        _ => u32::MAX,
    };
    let of = |low, high| {
        std::array::from_fn(|i| if i < N / 2 { half(low, i) } else { half(high, i - N / 2) })
    };
    (0..25).map(|kinds| of(kinds % 5, kinds / 5)).collect()
}

fn check_edges<const N: usize>(product: Product<N>, bound: fn([u32; N]) -> [u32; N]) {
    for a in edges().into_iter().map(bound) {
        for b in edges().into_iter().map(bound) {
            check(product, a, b).unwrap_or_else(|error| panic!("{a:08x?}, {b:08x?}: {error}"));
        }
    }
}

#[test]
fn schoolbook_at_the_edges() {
    check_edges(schoolbook::<4>, |a| a);
    check_edges(schoolbook::<6>, |a| a);
    check_edges(schoolbook::<8>, |a| a);
    check_edges(schoolbook::<12>, |a| a);
}

#[test]
fn mul_wide_at_the_edges() {
    check_edges(mul_wide::<8>, halved);
    check_edges(mul_wide::<12>, halved);
}

proptest! {
    #[test]
    fn schoolbook_multiplies(a in limbs::<12>(), b in limbs::<12>()) {
        check(schoolbook::<12>, a, b)?;
        let half = |limbs: [u32; 12]| -> [u32; 6] { limbs[..6].try_into().expect("6") };
        check(schoolbook::<6>, half(a), half(b))?;
    }

    #[test]
    fn mul_wide_of_8(a in limbs::<8>(), b in limbs::<8>()) {
        check(mul_wide::<8>, halved(a), halved(b))?;
    }

    #[test]
    fn mul_wide_of_12(a in limbs::<12>(), b in limbs::<12>()) {
        check(mul_wide::<12>, halved(a), halved(b))?;
    }
}
