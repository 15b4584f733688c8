//! The quadratic extension against big integers.

mod common;

use blst::{blst_fp2, blst_fp2_mul};
use common::{to_biguint, to_limbs};
use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, Field, Fp, Fp2, fp::FpConfig, fp2::Quadratic};
use warpfield_device::strategies::{below, edges};

type Pair = ([u32; 12], [u32; 12]);

fn pair() -> impl Strategy<Value = Pair> {
    (below(FpConfig::MODULUS), below(FpConfig::MODULUS))
}

fn element((c0, c1): Pair) -> Fp2 {
    Quadratic { c0: Fp::from_montgomery_limbs(c0), c1: Fp::from_montgomery_limbs(c1) }
}

/// A pair of integers (x, y) for x + y·u.
type Integers = (BigUint, BigUint);

/// The value as integers below p, out of Montgomery form.
fn value(element: &Fp2) -> Integers {
    (to_biguint(&element.c0.to_canonical()), to_biguint(&element.c1.to_canonical()))
}

fn modulus() -> BigUint {
    to_biguint(&FpConfig::MODULUS)
}

fn mul(a: &Integers, b: &Integers) -> Integers {
    let p = modulus();
    let real = &a.0 * &b.0 + (&p - &a.1) * &b.1;
    (real % &p, (&a.0 * &b.1 + &a.1 * &b.0) % p)
}

fn add(a: &Integers, b: &Integers) -> Integers {
    let p = modulus();
    ((&a.0 + &b.0) % &p, (&a.1 + &b.1) % p)
}

fn sub(a: &Integers, b: &Integers) -> Integers {
    let p = modulus();
    ((&a.0 + &p - &b.0) % &p, (&a.1 + &p - &b.1) % p)
}

/// The value, and canonical limbs.
fn same(got: Fp2, expected: Integers) -> Result<(), TestCaseError> {
    prop_assert!(to_biguint(got.c0.montgomery_limbs()) < modulus());
    prop_assert!(to_biguint(got.c1.montgomery_limbs()) < modulus());
    prop_assert_eq!(value(&got), expected);
    Ok(())
}

fn check(a: Pair, b: Pair, c: Pair, d: Pair) -> Result<(), TestCaseError> {
    let [x, y, z, w] = [a, b, c, d].map(element);
    let [xi, yi, zi, wi] = [x, y, z, w].map(|element| value(&element));
    let p = modulus();
    same(x + y, add(&xi, &yi))?;
    same(x - y, sub(&xi, &yi))?;
    same(-x, sub(&(BigUint::ZERO, BigUint::ZERO), &xi))?;
    same(x.double(), ((&xi.0 * 2u32) % &p, (&xi.1 * 2u32) % &p))?;
    same(x * y, mul(&xi, &yi))?;
    same(x.square(), mul(&xi, &xi))?;
    same(x.mul_inline(&y), mul(&xi, &yi))?;
    same(x.square_inline(), mul(&xi, &xi))?;
    same(Fp2::reduce(&x.mul_wide(&y)), mul(&xi, &yi))?;
    let sum = Fp2::add_wide(&x.mul_wide(&y), &z.mul_wide(&w));
    same(Fp2::reduce(&sum), add(&mul(&xi, &yi), &mul(&zi, &wi)))?;
    same(x.mul_sub(&y, &z, &w), sub(&mul(&xi, &yi), &mul(&zi, &wi)))?;
    prop_assert_eq!(x == y, xi == yi);
    prop_assert_eq!(x.is_zero(), xi == (BigUint::ZERO, BigUint::ZERO));
    Ok(())
}

#[test]
fn operations_at_the_edges() {
    // Few enough for every quadruple of coordinates.
    let edges: Vec<_> = edges(FpConfig::MODULUS).into_iter().take(5).collect();
    let pairs: Vec<Pair> = edges.iter().flat_map(|a| edges.iter().map(|b| (*a, *b))).collect();
    for a in &pairs {
        for b in &pairs {
            check(*a, *b, *b, *a).unwrap_or_else(|error| panic!("{a:08x?}, {b:08x?}: {error}"));
        }
    }
}

#[test]
fn layout_is_blst_s() {
    assert_eq!(size_of::<Fp2>(), size_of::<blst_fp2>());
    assert_eq!(align_of::<Fp2>(), align_of::<blst_fp2>());
}

fn to_blst(value: Fp2) -> blst_fp2 {
    // SAFETY: same size, and any bytes are a value of either type.
    unsafe { core::mem::transmute::<Fp2, blst_fp2>(value) }
}

proptest! {
    #[test]
    fn operations(a in pair(), b in pair(), c in pair(), d in pair()) {
        check(a, b, c, d)?;
    }

    #[test]
    fn products_are_blst_s(a in pair(), b in pair()) {
        let (a, b) = (element(a), element(b));
        let mut expected = blst_fp2::default();
        // SAFETY: three valid pointers.
        unsafe { blst_fp2_mul(&mut expected, &to_blst(a), &to_blst(b)) };
        prop_assert_eq!(to_blst(a * b), expected);
    }

    #[test]
    fn limbs_survive(a in pair()) {
        let canonical = element(a).c0.to_canonical();
        let back = Fp::from_canonical(&canonical);
        prop_assert_eq!(back.montgomery_limbs(), &a.0);
        prop_assert_eq!(to_limbs::<12>(&to_biguint(&a.0)), a.0);
    }
}
