//! Fp2 = Fp\[u\] / (u² + 1) by blst.

use blst::{blst_fp, blst_fp2, blst_fp2_eucl_inverse, blst_fp2_mul, blst_fp2_sqr};

use super::field::BaseField;

impl BaseField for blst_fp2 {
    const BYTES: usize = 2 * blst_fp::BYTES;
    const ZERO: Self = Self { fp: [blst_fp::ZERO; 2] };
    const ONE: Self = Self { fp: [blst_fp::ONE, blst_fp::ZERO] };

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        Self { fp: [self.fp[0].add(&other.fp[0]), self.fp[1].add(&other.fp[1])] }
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        Self { fp: [self.fp[0].sub(&other.fp[0]), self.fp[1].sub(&other.fp[1])] }
    }

    #[inline(always)]
    fn negate_if(&self, negative: bool) -> Self {
        Self { fp: [self.fp[0].negate_if(negative), self.fp[1].negate_if(negative)] }
    }

    #[inline(always)]
    fn set_mul(&mut self, a: &Self, b: &Self) {
        // SAFETY: blst reads two elements and writes one.
        unsafe { blst_fp2_mul(self, a, b) }
    }

    #[inline(always)]
    fn mul_assign(&mut self, other: &Self) {
        let this = std::ptr::from_mut(self);
        // SAFETY: as in `set_mul`; blst allows the result to be an operand.
        unsafe { blst_fp2_mul(this, this, other) }
    }

    #[inline(always)]
    fn set_square(&mut self, a: &Self) {
        // SAFETY: blst reads one element and writes one.
        unsafe { blst_fp2_sqr(self, a) }
    }

    fn inverse(&self) -> Self {
        let mut result = Self::ZERO;
        // SAFETY: as in `set_square`.
        unsafe { blst_fp2_eucl_inverse(&mut result, self) }
        result
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
