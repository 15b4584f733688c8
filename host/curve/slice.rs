//! Points in the bytes of a file, at any alignment.

use std::{fmt, marker::PhantomData, ops::Range};

use super::{AffinePoint, BaseField, CurveGroup};

/// A length in bytes that is not a whole number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{len} bytes are no whole number of {element}-byte elements")]
pub struct UnevenLength {
    /// Bytes given.
    pub len: usize,
    /// Bytes of one element.
    pub element: usize,
}

/// A sequence of affine points in a byte string, such as a section of a mapped proving key.
///
/// A view: copying it copies no points. Nothing is assumed of the bytes' alignment, and nothing
/// of their contents either; see [`check_on_curve`](super::check_on_curve) and
/// [`check_in_subgroup`](super::check_in_subgroup).
pub struct PointSlice<'a, G> {
    bytes: &'a [u8],
    group: PhantomData<G>,
}

impl<G> Clone for PointSlice<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for PointSlice<'_, G> {}

impl<G: CurveGroup> fmt::Debug for PointSlice<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PointSlice<{}>({} points)", G::NAME, self.len())
    }
}

impl<'a, G: CurveGroup> PointSlice<'a, G> {
    /// The points in `bytes`, [`CurveGroup::BYTES`] each: x then y, Montgomery, little-endian.
    ///
    /// # Errors
    ///
    /// The length is not a multiple of a point's.
    pub fn new(bytes: &'a [u8]) -> Result<Self, UnevenLength> {
        if bytes.len().is_multiple_of(G::BYTES) {
            Ok(Self { bytes, group: PhantomData })
        } else {
            Err(UnevenLength { len: bytes.len(), element: G::BYTES })
        }
    }

    /// Number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() / G::BYTES
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes viewed.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The `index`-th point, unchecked for being one.
    ///
    /// # Panics
    ///
    /// `index` is not below [`len`](Self::len).
    #[inline(always)]
    pub fn get(&self, index: usize) -> G::Affine {
        let bytes = &self.bytes[index * G::BYTES..][..G::BYTES];
        let (x, y) = bytes.split_at(G::Field::BYTES);
        G::Affine::new(G::Field::from_limb_bytes(x), G::Field::from_limb_bytes(y))
    }

    /// Asks for the `index`-th point to be brought into the cache; no more than a hint.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        if let Some(bytes) = self.bytes.get(index * G::BYTES..(index + 1) * G::BYTES) {
            prefetch(bytes);
        }
    }

    /// All points in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = G::Affine> + 'a {
        let points = *self;
        (0..self.len()).map(move |index| points.get(index))
    }

    /// The points of `range`.
    ///
    /// # Panics
    ///
    /// The range ends after [`len`](Self::len).
    pub fn slice(&self, range: Range<usize>) -> Self {
        Self { bytes: &self.bytes[range.start * G::BYTES..range.end * G::BYTES], ..*self }
    }

    /// The first `mid` points and the rest.
    ///
    /// # Panics
    ///
    /// `mid` is more than [`len`](Self::len).
    pub fn split_at(&self, mid: usize) -> (Self, Self) {
        (self.slice(0..mid), self.slice(mid..self.len()))
    }
}

/// The bytes of `points`, as [`PointSlice`] reads them.
pub fn write_points<G: CurveGroup>(points: &[G::Affine]) -> Vec<u8> {
    let mut bytes = vec![0; points.len() * G::BYTES];
    for (bytes, point) in bytes.chunks_exact_mut(G::BYTES).zip(points) {
        let (x, y) = bytes.split_at_mut(G::Field::BYTES);
        point.x().write_limb_bytes(x);
        point.y().write_limb_bytes(y);
    }
    bytes
}

/// Asks for `value` to be brought into the cache; no more than a hint.
#[inline(always)]
pub(crate) fn prefetch<T: ?Sized>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let (start, size) = (std::ptr::from_ref(value).cast::<i8>(), size_of_val(value));
        // A line every 64 bytes, and the last byte's where the first does not start a line.
        for line in 0..=size.div_ceil(64) {
            let offset = (64 * line).min(size.saturating_sub(1));
            // SAFETY: a prefetch reads nothing that the program could see, and never faults.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
