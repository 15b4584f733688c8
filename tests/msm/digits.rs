//! The digits of a scalar, on the host.

use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};
use proptest::prelude::*;
use warpfield_device::msm::digits::{BITS, Digits, windows};

use crate::support::{integers, montgomery};

fn value(mut digits: Digits, bits: u32) -> Result<Scalar, TestCaseError> {
    let (mut sum, mut weight) = (Scalar::ZERO, Scalar::ONE);
    for _ in 0..windows(bits) {
        let digit = digits.take(bits);
        prop_assert!(digit.absolute <= 1 << (bits - 1));
        let term = weight * Scalar::from(u64::from(digit.absolute));
        sum += if digit.negative { -term } else { term };
        weight *= Scalar::from(1 << bits);
    }
    Ok(sum)
}

proptest! {
    #[test]
    fn add_up(limbs: [u64; 4], bits in BITS, edge in 0..6usize) {
        let random = limbs.iter().fold(Scalar::ZERO, |value, limb| {
            value * Scalar::from(1 << 32).square() + Scalar::from(*limb)
        });
        let half = Scalar::TWO_INV;
        let bit = Scalar::from(2).pow([limbs[0] % 255]);
        let scalar = [Scalar::ZERO, -Scalar::ONE, half, -half, bit, random][edge];
        let [integer, montgomery] = [
            Digits::of_integer(&integers(&[scalar])[0]),
            Digits::of_montgomery(montgomery(&[scalar])[0].montgomery_limbs()),
        ];
        prop_assert_eq!(value(integer, bits)?, scalar);
        prop_assert_eq!(value(montgomery, bits)?, scalar);
    }
}

/// 0 has none, 1 and −1 have one.
#[test]
fn units_are_short() {
    for (scalar, expected) in [(Scalar::ZERO, 0), (Scalar::ONE, 1), (-Scalar::ONE, 1)] {
        for bits in BITS {
            let mut digits = Digits::of_integer(&integers(&[scalar])[0]);
            let others = (0..windows(bits)).filter(|_| digits.take(bits).absolute != 0);
            assert_eq!(others.count(), expected);
        }
    }
}
