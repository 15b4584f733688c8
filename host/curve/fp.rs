//! Fp by blst's assembly.

use std::mem::MaybeUninit;

use blst::{
    blst_fp, blst_fp_add, blst_fp_cneg, blst_fp_eucl_inverse, blst_fp_mul, blst_fp_sqr, blst_fp_sub,
};

use super::field::BaseField;

/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab
const MODULUS: [u64; 6] = [
    0xb9fe_ffff_ffff_aaab,
    0x1eab_fffe_b153_ffff,
    0x6730_d2a0_f6b0_f624,
    0x6477_4b84_f385_12bf,
    0x4b1b_a7b6_434b_acd7,
    0x1a01_11ea_397f_e69a,
];

/// Runs `operation` on an uninitialised result, which it must fill.
///
/// # Safety
///
/// `operation` writes the whole element.
#[inline(always)]
unsafe fn filled(operation: impl FnOnce(*mut blst_fp)) -> blst_fp {
    let mut result = MaybeUninit::uninit();
    operation(result.as_mut_ptr());
    // SAFETY: the caller's promise.
    unsafe { result.assume_init() }
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
        // SAFETY: blst reads two elements and writes one.
        unsafe { filled(|result| blst_fp_add(result, self, other)) }
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        // SAFETY: as in `add`.
        unsafe { filled(|result| blst_fp_sub(result, self, other)) }
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool) -> Self {
        // SAFETY: blst reads one element and writes one.
        unsafe { filled(|result| blst_fp_cneg(result, self, negative)) }
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        // SAFETY: as in `add`.
        unsafe { filled(|result| blst_fp_mul(result, self, other)) }
    }

    #[inline(always)]
    fn square(&self) -> Self {
        // SAFETY: as in `negate_if`.
        unsafe { filled(|result| blst_fp_sqr(result, self)) }
    }

    fn inverse(&self) -> Self {
        // SAFETY: as in `negate_if`.
        unsafe { filled(|result| blst_fp_eucl_inverse(result, self)) }
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
