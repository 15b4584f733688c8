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
    count: u32,
}

impl<F: Field> Entries<F> {
    /// # Safety
    ///
    /// `points` is to `count` elements in global memory, at a multiple of 16; `values` is to as many
    /// entries as are asked for.
    #[inline(always)]
    pub unsafe fn new(values: *const u32, points: *const Affine<F>, count: u32) -> Self {
        Self { values, points, count }
    }

    /// The place of an entry's point, and whether it is subtracted. None of an index that is none, as
    /// can only be if the scalars changed while they were sorted.
    #[inline(always)]
    unsafe fn find(&self, entry: u32) -> Option<(*const Affine<F>, bool)> {
        // SAFETY: the caller has so many entries.
        let value = unsafe { self.values.add(entry as usize).read() };
        let index = value & !SIGN;
        // SAFETY: below their number.
        (index < self.count)
            .then(|| (unsafe { self.points.add(index as usize) }, value & SIGN != 0))
    }

    /// The point of an entry, and whether it is subtracted.
    ///
    /// # Safety
    ///
    /// There is such an entry.
    #[inline(always)]
    pub unsafe fn get(&self, entry: u32) -> (Affine<F>, bool) {
        // SAFETY: the caller vouches for the entry, and `new`'s for the point.
        unsafe {
            match self.find(entry) {
                Some((point, negative)) => (read(point), negative),
                None => (Affine::INFINITY, false),
            }
        }
    }

    /// The abscissa of an entry's point.
    ///
    /// # Safety
    ///
    /// As [`get`](Self::get).
    #[inline(always)]
    pub unsafe fn x(&self, entry: u32) -> F {
        // SAFETY: as above.
        unsafe {
            match self.find(entry) {
                Some((point, _)) => read(&raw const (*point).x),
                None => F::ZERO,
            }
        }
    }

    /// Says that the point of an entry is asked for soon.
    ///
    /// # Safety
    ///
    /// As [`get`](Self::get).
    #[inline(always)]
    pub unsafe fn expect(&self, entry: u32) {
        // SAFETY: as above.
        unsafe {
            if let Some((point, _)) = self.find(entry) {
                gpu::prefetch(point);
            }
        }
    }
}
