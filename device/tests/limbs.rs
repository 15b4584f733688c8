//! The carry chains against big integers.

mod common;

use common::to_biguint;
use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::limbs as chains;
use warpfield_device::strategies::{below, limb, limbs};

/// One that leaves no bit free.
const MODULUS: [u32; 8] = [3, 0, u32::MAX, 5, 0, u32::MAX, 7, 0xe7db_4ea6];

/// `Σ a[2k]·2⁶⁴ᵏ` over `pairs` limbs of `a`.
fn every_second(a: &[u32], pairs: usize) -> BigUint {
    (0..pairs).map(|k| BigUint::from(a[2 * k]) << (64 * k)).sum()
}

fn halves(limbs: &[u32; 16]) -> ([u32; 8], [u32; 8]) {
    (limbs[..8].try_into().expect("8"), limbs[8..].try_into().expect("8"))
}

fn check_mad<const FROM: usize, const AT: usize>(
    acc: [u32; 12],
    a: [u32; 12],
    m: u32,
    top: u16,
) -> Result<(), TestCaseError> {
    let mut out = acc;
    let top_out = chains::mad::<12, FROM, AT>(&mut out, &a, m, top.into());
    let width = 32 * (12 - FROM);
    let expected = to_biguint(&acc[FROM..])
        + (BigUint::from(top) << width)
        + every_second(&a[AT..], (12 - FROM) / 2) * m;
    prop_assert_eq!(to_biguint(&out[FROM..]) + (BigUint::from(top_out) << width), expected);
    prop_assert_eq!(&out[..FROM], &acc[..FROM]);
    Ok(())
}

fn check_mad_low<const FROM: usize, const AT: usize>(
    acc: [u32; 8],
    a: [u32; 8],
    m: u32,
) -> Result<(), TestCaseError> {
    let mut out = acc;
    chains::mad_low::<8, FROM, AT>(&mut out, &a, m);
    let product = every_second(&a[AT..], (9 - FROM) / 2) * m;
    let expected = to_biguint(&acc) + (product << (32 * FROM));
    prop_assert_eq!(to_biguint(&out), expected % (BigUint::from(1u32) << 256));
    Ok(())
}

proptest! {
    #[test]
    fn add_is_integer_addition(a in limbs::<12>(), b in limbs::<12>()) {
        let (sum, carry) = chains::add(&a, &b);
        let expected = to_biguint(&a) + to_biguint(&b);
        prop_assert_eq!(to_biguint(&sum) + (BigUint::from(carry) << 384), expected);
    }

    #[test]
    fn add_carry_continues_an_addition(a in limbs::<16>(), b in limbs::<16>()) {
        let ((a0, a1), (b0, b1)) = (halves(&a), halves(&b));
        let (low, carry) = chains::add(&a0, &b0);
        let (high, carry) = chains::add_carry(&a1, &b1, carry);
        let (expected, expected_carry) = chains::add(&a, &b);
        prop_assert_eq!(halves(&expected), (low, high));
        prop_assert_eq!(expected_carry, carry);
    }

    #[test]
    fn sub_is_integer_subtraction(a in limbs::<8>(), b in limbs::<8>()) {
        let (difference, borrow) = chains::sub(&a, &b);
        let wrap = BigUint::from(1u32) << 256;
        prop_assert_eq!(borrow != 0, a.iter().rev().lt(b.iter().rev()));
        prop_assert!(borrow == 0 || borrow == u32::MAX);
        let expected = (to_biguint(&a) + &wrap - to_biguint(&b)) % &wrap;
        prop_assert_eq!(to_biguint(&difference), expected);
    }

    #[test]
    fn sub_borrow_continues_a_subtraction(a in limbs::<16>(), b in limbs::<16>()) {
        let ((a0, a1), (b0, b1)) = (halves(&a), halves(&b));
        let (low, borrow) = chains::sub(&a0, &b0);
        let (high, borrow) = chains::sub_borrow(&a1, &b1, borrow);
        let (expected, expected_borrow) = chains::sub(&a, &b);
        prop_assert_eq!(halves(&expected), (low, high));
        prop_assert_eq!(expected_borrow, borrow);
    }

    #[test]
    fn mad_is_integer_multiply_add(
        acc in limbs::<12>(), a in limbs::<12>(), m in limb(), top in any::<u16>(),
    ) {
        check_mad::<0, 0>(acc, a, m, top)?;
        check_mad::<2, 0>(acc, a, m, top)?;
        check_mad::<4, 1>(acc, a, m, top)?;
        check_mad::<6, 6>(acc, a, m, top)?;
        check_mad::<8, 3>(acc, a, m, top)?;
        check_mad::<10, 11>(acc, a, m, top)?;
    }

    #[test]
    fn mad_low_cuts_a_product_in_half(acc in limbs::<8>(), a in limbs::<8>(), m in limb()) {
        check_mad_low::<1, 0>(acc, a, m)?;
        check_mad_low::<1, 1>(acc, a, m)?;
        check_mad_low::<3, 2>(acc, a, m)?;
        check_mad_low::<5, 0>(acc, a, m)?;
        check_mad_low::<7, 7>(acc, a, m)?;
    }

    #[test]
    fn corrections_stay_below_the_modulus(a in below(MODULUS), b in below(MODULUS)) {
        let (m, a_int, b_int) = (to_biguint(&MODULUS), to_biguint(&a), to_biguint(&b));
        let sum = chains::add_corrected(&a, &b, &MODULUS);
        prop_assert_eq!(to_biguint(&sum), (&a_int + &b_int) % &m);
        let difference = chains::sub_corrected(&a, &b, &MODULUS);
        prop_assert_eq!(to_biguint(&difference), (&a_int + &m - &b_int) % &m);
    }

    #[test]
    fn add_mad_carries_into_the_products(
        low in limb(), addend in limb(), acc in limbs::<8>(), a in limbs::<8>(), m in limb(),
    ) {
        // Nothing may be carried out.
        let mut acc = acc;
        acc[7] = 0;
        acc[6] = 0;
        let (mut low_out, mut out) = (low, acc);
        chains::add_mad(&mut low_out, addend, &mut out, &a, m);
        let expected = BigUint::from(low) + addend
            + ((to_biguint(&acc) + every_second(&a[1..], 4) * m) << 32);
        prop_assert_eq!(BigUint::from(low_out) + (to_biguint(&out) << 32), expected);
    }

    #[test]
    fn wide_add_mad_carries_through(
        acc in limbs::<8>(), lo in limb(), hi in limb(), a in limbs::<8>(), m in limb(), top in any::<u16>(),
    ) {
        let mut out = acc;
        let top_out = chains::wide_add_mad::<8, 2>(&mut out, lo, hi, &a, m, top.into());
        let expected = to_biguint(&acc)
            + to_biguint(&[lo, hi])
            + ((every_second(&a[2..], 3) * m) << 64)
            + (BigUint::from(top) << 256);
        prop_assert_eq!(to_biguint(&out) + (BigUint::from(top_out) << 256), expected);
    }

    #[test]
    fn mad_wide_is_signed(sum in -1i64 << 62..1 << 62, a in any::<i32>(), b in any::<i32>()) {
        let expected = i128::from(sum) + i128::from(a) * i128::from(b);
        prop_assert_eq!(i128::from(chains::signed::mad_wide(sum, a, b)), expected);
    }
}
