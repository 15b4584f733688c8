//! The entries, sorted, and what they are of.

use super::SIGN;
use crate::curve::Affine;
use crate::field::Field;
use crate::gpu;
use crate::words::read;

/// Entries: indices of points and signs.
#[derive(Clone, Copy)]
pub struct Entries<F> {
    values: *const u32,
    points: *const Affine<F>,
}

impl<F: Field> Entries<F> {
    /// # Safety
    ///
    /// `values` is to as many entries as are asked for, and `points` to all that they are of, in global
    /// memory, at a multiple of 16.
    #[inline(always)]
    pub unsafe fn new(values: *const u32, points: *const Affine<F>) -> Self {
        Self { values, points }
    }

    /// The place of an entry's point, and whether it is subtracted.
    ///
    /// # Safety
    ///
    /// There is such an entry.
    #[inline(always)]
    unsafe fn find(&self, entry: u32) -> (*const Affine<F>, bool) {
        // SAFETY: the caller vouches for the entry, and its point is one of them.
        unsafe {
            let value = self.values.add(entry as usize).read();
            (self.points.add((value & !SIGN) as usize), value & SIGN != 0)
        }
    }

    /// The point of an entry, and whether it is subtracted.
    ///
    /// # Safety
    ///
    /// There is such an entry.
    #[inline(always)]
    pub unsafe fn get(&self, entry: u32) -> (Affine<F>, bool) {
        // SAFETY: the caller vouches for it.
        unsafe {
            let (point, negative) = self.find(entry);
            (read(point), negative)
        }
    }

    /// The abscissa of an entry's point.
    ///
    /// # Safety
    ///
    /// There is such an entry.
    #[inline(always)]
    pub unsafe fn x(&self, entry: u32) -> F {
        // SAFETY: the caller vouches for it.
        unsafe { read(&raw const (*self.find(entry).0).x) }
    }

    /// Says that the point of an entry is asked for soon.
    ///
    /// # Safety
    ///
    /// There is such an entry.
    #[inline(always)]
    pub unsafe fn expect(&self, entry: u32) {
        // SAFETY: the caller vouches for it.
        unsafe { gpu::prefetch(self.find(entry).0) }
    }
}
