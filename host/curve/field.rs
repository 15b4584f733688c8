//! What the curve formulas need of a base field.

use std::fmt::Debug;

use super::sealed::Sealed;

/// Fp or Fp2 in blst's Montgomery form. Every operation gives canonical values from canonical ones.
pub trait BaseField:
    Sealed + Copy + Default + Debug + PartialEq + Eq + Send + Sync + 'static
{
    /// Bytes of an element: 48 or 96.
    const BYTES: usize;
    /// The neutral element of addition.
    const ZERO: Self;
    /// The neutral element of multiplication: R mod p.
    const ONE: Self;

    /// `self + other`
    fn add(&self, other: &Self) -> Self;
    /// `self − other`
    fn sub(&self, other: &Self) -> Self;
    /// `−self` if `negative`, else `self`; without a branch.
    fn negate_if(&self, negative: bool) -> Self;
    /// Sets `self` to `a · b`.
    ///
    /// The result goes straight to where it belongs: a copy right after it was written, with
    /// vector loads over the assembly's 64-bit stores, would wait for those to leave the pipeline.
    fn set_mul(&mut self, a: &Self, b: &Self);
    /// Sets `self` to `self · other`.
    fn mul_assign(&mut self, other: &Self);
    /// Sets `self` to `a²`.
    fn set_square(&mut self, a: &Self);
    /// `1 / self`; 0 for 0.
    fn inverse(&self) -> Self;
    /// Whether every limb is 0.
    fn is_zero(&self) -> bool;
    /// Whether the limbs are those of a canonical value, below p (each component for Fp2).
    fn is_reduced(&self) -> bool;
    /// The element whose limbs are these [`Self::BYTES`] bytes, little-endian, at any alignment.
    fn from_limb_bytes(bytes: &[u8]) -> Self;
    /// Writes the limbs as [`Self::BYTES`] bytes, little-endian.
    fn write_limb_bytes(&self, bytes: &mut [u8]);

    /// `self · other`
    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let mut result = Self::ZERO;
        result.set_mul(self, other);
        result
    }

    /// `self²`
    #[inline(always)]
    fn square(&self) -> Self {
        let mut result = Self::ZERO;
        result.set_square(self);
        result
    }

    /// `2·self`
    #[inline(always)]
    fn double(&self) -> Self {
        self.add(self)
    }
}
