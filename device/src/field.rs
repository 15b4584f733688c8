//! Finite fields.
//!
//! A prime field is a [`Config`]: the limbs of its modulus and a few integers about it. Everything
//! else follows, so that the fields of another curve are two more configurations. Curves are
//! generic over [`Field`], so that G1 and G2 are one code.

use core::ops::{Add, Mul, Neg, Sub};

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
    Copy + PartialEq + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self> + Mul<Output = Self>
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

    /// `self·a − b·c`, for less than the price of two products.
    fn mul_sub(&self, a: &Self, b: &Self, c: &Self) -> Self;

    /// `self⁻¹`, and zero for zero.
    fn invert(&self) -> Self;
}
