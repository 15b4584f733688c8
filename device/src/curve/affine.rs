//! Points by their coordinates.

use crate::field::Field;
use crate::words::Words;

/// A point (x, y), or infinity as (0, 0), which lies on no curve with b ≠ 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Affine<F> {
    /// The abscissa.
    pub x: F,
    /// The ordinate.
    pub y: F,
}

impl<F: Field> Affine<F> {
    /// The neutral element.
    pub const INFINITY: Self = Self { x: F::ZERO, y: F::ZERO };

    /// Whether this is the neutral element.
    #[inline(always)]
    pub fn is_infinity(&self) -> bool {
        self.x.is_zero() & self.y.is_zero()
    }
}

impl<F: Field> Words for Affine<F> {
    const QUADS: u32 = 2 * F::QUADS;

    #[inline(always)]
    fn from_quads(quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        let (x, y) = Words::from_quads(quad);
        Self { x, y }
    }

    #[inline(always)]
    fn for_quads(&self, quad: impl FnMut(u32, [u32; 4])) {
        (self.x, self.y).for_quads(quad);
    }
}

impl<F: Field> core::ops::Neg for Affine<F> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: self.x, y: -self.y }
    }
}
