//! Field arithmetic against big integers.

mod common;

use common::{to_biguint, to_limbs};
use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, Field, Fp, Fr, Prime, fp::FpConfig, fr::FrConfig};
use warpfield_device::limbs::montgomery::{self, Modulus};
use warpfield_device::strategies::{below, edges, limbs};

/// The modulus, and 2⁻³²ᴺ by Fermat.
fn modulus<C: Config<N>, const N: usize>() -> (BigUint, BigUint) {
    let p = to_biguint(&C::MODULUS);
    let radix = BigUint::from(1u32) << (32 * N);
    let inverse = radix.modpow(&(&p - 2u32), &p);
    (p, inverse)
}

/// Checks every operation on one pair of Montgomery forms.
fn check<C: Config<N>, const N: usize>(a: [u32; N], b: [u32; N]) -> Result<(), TestCaseError> {
    let (p, radix_inverse) = modulus::<C, N>();
    let element = Prime::<C, N>::from_montgomery_limbs;
    let (x, y) = (element(a), element(b));
    let (a_int, b_int) = (to_biguint(&a), to_biguint(&b));
    // Equal limbs, so that p in place of 0 would be seen.
    let same = |got: Prime<C, N>, expected: BigUint| -> Result<(), TestCaseError> {
        let expected: [u32; N] = to_limbs(&(expected % &p));
        prop_assert_eq!(got.montgomery_limbs(), &expected);
        Ok(())
    };
    same(x + y, &a_int + &b_int)?;
    same(x - y, &a_int + &p - &b_int)?;
    same(-x, &p - &a_int)?;
    same(x.double(), &a_int * 2u32)?;
    same(x * y, &a_int * &b_int * &radix_inverse)?;
    same(x.square(), &a_int * &a_int * &radix_inverse)?;
    let element_c = element(to_limbs(&((&p - 1u32) / 2u32)));
    let c_int = (&p - 1u32) / 2u32;
    let products = &a_int * &b_int + (&p - &c_int) * &a_int;
    same(x.mul_sub(&y, &element_c, &x), products * &radix_inverse)?;
    let products = &a_int * &b_int + (&p - &b_int) * &c_int;
    same(x.mul_sub(&y, &y, &element_c), products * &radix_inverse)?;
    same(x.mul_inline(&y), &a_int * &b_int * &radix_inverse)?;
    same(x.square_inline(), &a_int * &a_int * &radix_inverse)?;
    let wide = x.mul_wide(&y);
    prop_assert_eq!(to_biguint(&[wide.0, wide.1].concat()), &a_int * &b_int);
    same(Prime::reduce(&wide), &a_int * &b_int * &radix_inverse)?;
    let twice = Prime::<C, N>::add_wide(&wide, &wide);
    prop_assert_eq!(to_biguint(&[twice.0, twice.1].concat()), &a_int * &b_int * 2u32);
    same(Prime::reduce(&twice), &a_int * &b_int * &radix_inverse * 2u32)?;
    let sum = Prime::<C, N>::add_wide(&wide, &y.mul_wide(&element_c));
    same(Prime::reduce(&sum), (&a_int + &c_int) * &b_int * &radix_inverse)?;
    let interleaved = montgomery::mul_interleaved(&a, &b, Modulus { p: &C::MODULUS, inv: C::INV });
    same(element(interleaved), &a_int * &b_int * &radix_inverse)?;
    let (value, quotient) = montgomery::reduce_half(&a, Modulus { p: &C::MODULUS, inv: C::INV });
    prop_assert_eq!(to_biguint(&value), &a_int * &radix_inverse % &p);
    prop_assert_eq!(to_biguint(&quotient), (to_biguint(&value) << (32 * N)) / &p);
    for k in [0, 1, 7, 31, 32] {
        let half = BigUint::from(1u32) << k;
        same(x.divide_by_power_of_two(k), &a_int * half.modinv(&p).expect("p is odd"))?;
    }
    same(Prime::from_canonical(&a), &a_int << (32 * N))?;
    prop_assert_eq!(to_biguint(&x.to_canonical()), &a_int * &radix_inverse % &p);
    prop_assert_eq!(x == y, a == b);
    prop_assert_eq!(x.is_zero(), a_int == BigUint::ZERO);
    Ok(())
}

/// Every pair of edges.
fn check_edges<C: Config<N>, const N: usize>() {
    for a in edges(C::MODULUS) {
        for b in edges(C::MODULUS) {
            check::<C, N>(a, b).unwrap_or_else(|error| panic!("{a:08x?}, {b:08x?}: {error}"));
        }
    }
}

/// The constants against their formulas.
fn check_constants<C: Config<N>, const N: usize>() {
    let p = to_biguint(&C::MODULUS);
    let one = BigUint::from(1u32);
    assert_eq!(to_biguint(&C::R), (&one << (32 * N)) % &p);
    assert_eq!(to_biguint(&C::R2), (&one << (64 * N)) % &p);
    assert_eq!(C::MODULUS[0].wrapping_mul(C::INV), u32::MAX);
    assert_eq!(to_biguint(&Prime::<C, N>::ONE.to_canonical()), one);
    assert!(Prime::<C, N>::ZERO.is_zero());
}

/// Montgomery reduction of any limbs, not only canonical ones.
fn check_reduce<C: Config<N>, const N: usize>(a: [u32; N]) -> Result<(), TestCaseError> {
    let (p, radix_inverse) = modulus::<C, N>();
    let got = Prime::<C, N>::from_montgomery_limbs(a).to_canonical();
    prop_assert_eq!(to_biguint(&got), to_biguint(&a) * radix_inverse % p);
    Ok(())
}

#[test]
fn moduli_follow_from_the_curve_parameter() {
    // |x|; the parameter is negative, so odd powers change sign.
    let x = BigUint::from(0xd201_0000_0001_0000u64);
    let r = x.pow(4) - x.pow(2) + 1u32;
    let p = (&x + 1u32).pow(2) * &r / 3u32 - &x;
    assert_eq!(to_biguint(&FrConfig::MODULUS), r);
    assert_eq!(to_biguint(&FpConfig::MODULUS), p);
}

#[test]
fn constants_follow_from_the_moduli() {
    check_constants::<FrConfig, 8>();
    check_constants::<FpConfig, 12>();
}

#[test]
fn operations_at_the_edges() {
    check_edges::<FrConfig, 8>();
    check_edges::<FpConfig, 12>();
}

#[test]
fn debug_shows_the_value() {
    assert_eq!(format!("{:?}", Fr::ONE), format!("0x{:064x}", 1));
    assert_eq!(
        format!("{:?}", -Fp::ONE),
        format!("0x{:096x}", to_biguint(&FpConfig::MODULUS) - 1u32)
    );
}

proptest! {
    #[test]
    fn fr_operations(a in below(FrConfig::MODULUS), b in below(FrConfig::MODULUS)) {
        check::<FrConfig, 8>(a, b)?;
    }

    #[test]
    fn fp_operations(a in below(FpConfig::MODULUS), b in below(FpConfig::MODULUS)) {
        check::<FpConfig, 12>(a, b)?;
    }

    #[test]
    fn fr_reduces_any_limbs(a in limbs::<8>()) {
        check_reduce::<FrConfig, 8>(a)?;
    }

    #[test]
    fn fp_reduces_any_limbs(a in limbs::<12>()) {
        check_reduce::<FpConfig, 12>(a)?;
    }
}

/// BN254: another curve is constants alone. Its tail is ordinary and its top limb small, so it
/// takes the paths of [`Fp`] at the length of [`Fr`].
mod another_curve {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Bn254Fr;

    impl Config<8> for Bn254Fr {
        const MODULUS: [u32; 8] = [
            0xf000_0001,
            0x43e1_f593,
            0x79b9_7091,
            0x2833_e848,
            0x8181_585d,
            0xb850_45b6,
            0xe131_a029,
            0x3064_4e72,
        ];
    }

    #[test]
    fn edges_and_constants() {
        check_constants::<Bn254Fr, 8>();
        check_edges::<Bn254Fr, 8>();
    }

    proptest! {
        #[test]
        fn operations(a in below(Bn254Fr::MODULUS), b in below(Bn254Fr::MODULUS)) {
            check::<Bn254Fr, 8>(a, b)?;
        }
    }
}
