//! Inverses against big integers.

mod common;

use common::to_biguint;
use num_bigint::BigUint;
use proptest::prelude::*;
use warpfield_device::field::{Config, Field, Fp2, Fr, Prime, fp::FpConfig, fr::FrConfig};
use warpfield_device::strategies::{below, edges};

/// By Montgomery forms, which must be canonical.
fn check<C: Config<N>, const N: usize>(a: [u32; N]) -> Result<(), TestCaseError> {
    let p = to_biguint(&C::MODULUS);
    // (a·R)⁻¹·R² is a⁻¹·R.
    let expected = to_biguint(&a).modinv(&p).unwrap_or_default() << (64 * N);
    let inverse = Prime::<C, N>::from_montgomery_limbs(a).invert();
    prop_assert_eq!(to_biguint(inverse.montgomery_limbs()), expected % p);
    Ok(())
}

/// Edges, powers of two, small numbers, and quotients of p by them, where the steps take runs.
fn check_special<C: Config<N>, const N: usize>() {
    let p = to_biguint(&C::MODULUS);
    let one = BigUint::from(1u32);
    let mut values: Vec<BigUint> = (0..p.bits() - 1).map(|bit| &one << bit).collect();
    values.extend((3u32..200).map(BigUint::from));
    values.extend((3u32..200).map(|k| &p / k));
    values.extend((1..p.bits()).map(|bit| &p >> bit));
    let mirrored: Vec<_> = values.iter().map(|value| &p - value).collect();
    values.extend(mirrored);
    let values = values.iter().map(common::to_limbs).chain(edges(C::MODULUS));
    for value in values {
        check::<C, N>(value).unwrap_or_else(|error| panic!("{value:08x?}: {error}"));
    }
}

#[test]
fn zero_and_one() {
    assert!(Fr::ZERO.invert().is_zero());
    assert!(Fp2::ZERO.invert().is_zero());
    assert_eq!(Fp2::ONE.invert(), Fp2::ONE);
}

#[test]
fn special_values() {
    check_special::<FrConfig, 8>();
    check_special::<FpConfig, 12>();
}

/// 2ᵉ − c.
const fn below_power<const N: usize>(e: usize, c: u32) -> [u32; N] {
    let mut limbs = [u32::MAX; N];
    limbs[0] -= c - 1;
    limbs[N - 1] >>= 32 * N - e;
    limbs
}

/// Primes 2ᵉ − c: of all bits that a modulus may have, of few in the top limb, and of other lengths.
mod other_moduli {
    use super::*;

    macro_rules! moduli {
        ($($name:ident: $limbs:literal, $e:literal, $c:literal;)*) => {
            $(mod $name {
                use super::*;

                #[derive(Clone, Copy, Debug, PartialEq, Eq)]
                struct Modulus;

                impl Config<$limbs> for Modulus {
                    const MODULUS: [u32; $limbs] = below_power($e, $c);
                }

                #[test]
                fn special_values() {
                    check_special::<Modulus, $limbs>();
                }

                proptest! {
                    #[test]
                    fn inverses(a in below(Modulus::MODULUS)) {
                        check::<Modulus, $limbs>(a)?;
                    }
                }
            })*
        };
    }

    moduli! {
        m127: 4, 127, 1;
        p226: 8, 226, 5;
        curve25519: 8, 255, 19;
        curve383187: 12, 383, 187;
        p444: 14, 444, 17;
    }
}

proptest! {
    #[test]
    fn fr_inverses(a in below(FrConfig::MODULUS)) {
        check::<FrConfig, 8>(a)?;
    }

    #[test]
    fn fp_inverses(a in below(FpConfig::MODULUS)) {
        check::<FpConfig, 12>(a)?;
    }

    #[test]
    fn fp2_inverses(x in any::<Fp2>()) {
        prop_assert_eq!(x * x.invert(), if x.is_zero() { Fp2::ZERO } else { Fp2::ONE });
    }
}
