//! Finite fields.
//!
//! A prime field is a [`Config`]: the limbs of its modulus and a few integers about it. Everything
//! else follows, so that the fields of another curve are two more configurations. Curves are
//! generic over [`Field`], so that G1 and G2 are one code.

use core::ops::{Add, Mul, Neg, Sub};

use crate::words::Words;

pub mod batch;
mod constants;
pub mod fp;
pub mod fp2;
pub mod fr;
mod inverse;
mod prime;

pub use fp::Fp;
pub use fp2::Fp2;
pub use fr::Fr;
pub use prime::{Config, Prime};

/// An element of a finite field. All operations take and give canonical representatives, so that
/// equality is equality of bytes.
pub trait Field:
    Words
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<Output = Self>
{
    /// Zero.
    const ZERO: Self;

    /// One.
    const ONE: Self;

    /// Whether this is zero.
    fn is_zero(&self) -> bool;

    /// `2·self`.
    #[inline(always)]
    fn double(&self) -> Self {
        *self + *self
    }

    /// `self²`.
    fn square(&self) -> Self;

    /// The product in place, where `*` may be a call, with as few additions as can be instead of as
    /// few products.
    fn mul_inline(&self, other: &Self) -> Self;

    /// `self²` in place, where [`square`](Self::square) may be a call.
    #[inline(always)]
    fn square_inline(&self) -> Self {
        self.square()
    }

    /// A product, or a sum of two, before it is reduced: as many words as two elements have.
    type Wide: Words;

    /// `self·other`, unreduced.
    fn mul_wide(&self, other: &Self) -> Self::Wide;

    /// The sum of two unreduced products.
    fn add_wide(a: &Self::Wide, b: &Self::Wide) -> Self::Wide;

    /// The element that an unreduced product, or the sum of two, stands for.
    fn reduce(wide: &Self::Wide) -> Self;

    /// `self·a − b·c`, with one reduction.
    #[inline(always)]
    fn mul_sub(&self, a: &Self, b: &Self, c: &Self) -> Self {
        Self::reduce(&Self::add_wide(&self.mul_wide(a), &(-*b).mul_wide(c)))
    }

    /// `self⁻¹`, and zero for zero.
    fn invert(&self) -> Self;
}
