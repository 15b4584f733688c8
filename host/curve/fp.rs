//! Fp: products by blst's assembly; sums here, where they can stay in registers.

use blst::{blst_fp, blst_fp_eucl_inverse, blst_fp_mul, blst_fp_sqr};

use super::field::BaseField;
use crate::field::FP_MODULUS as MODULUS;

/// a + b modulo 2^384.
#[inline(always)]
fn add_limbs(a: &[u64; 6], b: &[u64; 6]) -> [u64; 6] {
    let mut carry = false;
    std::array::from_fn(|i| {
        let limb;
        (limb, carry) = a[i].carrying_add(b[i], carry);
        limb
    })
}

/// a − b modulo 2^384.
#[inline(always)]
fn sub_limbs(a: &[u64; 6], b: &[u64; 6]) -> [u64; 6] {
    let mut borrow = false;
    std::array::from_fn(|i| {
        let limb;
        (limb, borrow) = a[i].borrowing_sub(b[i], borrow);
        limb
    })
}

/// Adds p to a number that is negative in two's complement, without a branch. The sign bit tells:
/// p < 2^381 leaves two bits above sums of two elements.
#[inline(always)]
fn add_modulus_if_negative(limbs: &[u64; 6]) -> [u64; 6] {
    let mask = (limbs[5].cast_signed() >> 63).cast_unsigned();
    add_limbs(limbs, &MODULUS.map(|limb| limb & mask))
}

impl BaseField for blst_fp {
    const BYTES: usize = 48;
    const ZERO: Self = Self { l: [0; 6] };
    /// 2^384 mod p
    const ONE: Self = Self {
        l: [
            0x7609_0000_0002_fffd,
            0xebf4_000b_c40c_0002,
            0x5f48_9857_53c7_58ba,
            0x77ce_5853_7052_5745,
            0x5c07_1a97_a256_ec6d,
            0x15f6_5ec3_fa80_e493,
        ],
    };

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let excess = sub_limbs(&add_limbs(&self.l, &other.l), &MODULUS);
        Self { l: add_modulus_if_negative(&excess) }
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Self { l: add_modulus_if_negative(&sub_limbs(&self.l, &other.l)) }
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool) -> Self {
        // p − 0 would not be reduced.
        let negative = negative & !self.is_zero();
        let inverse = sub_limbs(&MODULUS, &self.l);
        let mask = u64::from(negative).wrapping_neg();
        Self { l: std::array::from_fn(|i| self.l[i] ^ (mask & (self.l[i] ^ inverse[i]))) }
    }

    #[inline(always)]
    fn set_mul(&mut self, a: &Self, b: &Self) {
        // SAFETY: blst reads two elements and writes one.
        unsafe { blst_fp_mul(self, a, b) }
    }

    #[inline(always)]
    fn mul_assign(&mut self, other: &Self) {
        let this = std::ptr::from_mut(self);
        // SAFETY: as in `set_mul`; blst allows the result to be an operand.
        unsafe { blst_fp_mul(this, this, other) }
    }

    #[inline(always)]
    fn set_square(&mut self, a: &Self) {
        // SAFETY: blst reads one element and writes one.
        unsafe { blst_fp_sqr(self, a) }
    }

    fn inverse(&self) -> Self {
        let mut result = Self::ZERO;
        // SAFETY: as in `set_square`.
        unsafe { blst_fp_eucl_inverse(&mut result, self) }
        result
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.l.iter().fold(0, |any, limb| any | limb) == 0
    }

    fn is_reduced(&self) -> bool {
        self.l.iter().rev().lt(MODULUS.iter().rev())
    }

    #[inline(always)]
    fn from_limb_bytes(bytes: &[u8]) -> Self {
        let (limbs, _) = bytes[..Self::BYTES].as_chunks::<8>();
        Self { l: std::array::from_fn(|i| u64::from_le_bytes(limbs[i])) }
    }

    fn write_limb_bytes(&self, bytes: &mut [u8]) {
        let (limbs, _) = bytes[..Self::BYTES].as_chunks_mut::<8>();
        for (bytes, limb) in limbs.iter_mut().zip(self.l) {
            *bytes = limb.to_le_bytes();
        }
    }
}
