//! Fp2 = Fp\[u\] / (u² + 1) by blst.

use std::mem::MaybeUninit;

use blst::{
    blst_fp, blst_fp2, blst_fp2_add, blst_fp2_cneg, blst_fp2_eucl_inverse, blst_fp2_mul,
    blst_fp2_sqr, blst_fp2_sub,
};

use super::field::BaseField;

/// Runs `operation` on an uninitialised result, which it must fill.
///
/// # Safety
///
/// `operation` writes the whole element.
#[inline(always)]
unsafe fn filled(operation: impl FnOnce(*mut blst_fp2)) -> blst_fp2 {
    let mut result = MaybeUninit::uninit();
    operation(result.as_mut_ptr());
    // SAFETY: the caller's promise.
    unsafe { result.assume_init() }
}

impl BaseField for blst_fp2 {
    const BYTES: usize = 2 * blst_fp::BYTES;
    const ZERO: Self = Self { fp: [blst_fp::ZERO; 2] };
    const ONE: Self = Self { fp: [blst_fp::ONE, blst_fp::ZERO] };

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        // SAFETY: blst reads two elements and writes one.
        unsafe { filled(|result| blst_fp2_add(result, self, other)) }
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        // SAFETY: as in `add`.
        unsafe { filled(|result| blst_fp2_sub(result, self, other)) }
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool) -> Self {
        // SAFETY: blst reads one element and writes one.
        unsafe { filled(|result| blst_fp2_cneg(result, self, negative)) }
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        // SAFETY: as in `add`.
        unsafe { filled(|result| blst_fp2_mul(result, self, other)) }
    }

    #[inline(always)]
    fn square(&self) -> Self {
        // SAFETY: as in `negate_if`.
        unsafe { filled(|result| blst_fp2_sqr(result, self)) }
    }

    fn inverse(&self) -> Self {
        // SAFETY: as in `negate_if`.
        unsafe { filled(|result| blst_fp2_eucl_inverse(result, self)) }
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.fp[0].is_zero() && self.fp[1].is_zero()
    }

    fn is_reduced(&self) -> bool {
        self.fp.iter().all(BaseField::is_reduced)
    }

    #[inline(always)]
    fn from_limb_bytes(bytes: &[u8]) -> Self {
        let (c0, c1) = bytes.split_at(blst_fp::BYTES);
        Self { fp: [blst_fp::from_limb_bytes(c0), blst_fp::from_limb_bytes(c1)] }
    }

    fn write_limb_bytes(&self, bytes: &mut [u8]) {
        let (c0, c1) = bytes.split_at_mut(blst_fp::BYTES);
        self.fp[0].write_limb_bytes(c0);
        self.fp[1].write_limb_bytes(c1);
    }
}
