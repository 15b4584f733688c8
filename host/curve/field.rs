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
    /// `self · other`
    fn mul(&self, other: &Self) -> Self;
    /// `self²`
    fn square(&self) -> Self;
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

    /// `2·self`
    fn double(&self) -> Self {
        self.add(self)
    }
}
