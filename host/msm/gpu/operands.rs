//! Bases and scalars in device memory.

use std::ops::{Bound, RangeBounds};

use warpfield_device::curve::Affine;
use warpfield_device::field::Fr;
use warpfield_device::msm::digits::BITS;
use warpfield_device::msm::{INTEGERS, MONTGOMERY};

use super::error::Error;
use super::group::DeviceGroup;
use super::tables::Tables;
use crate::gpu::{Argument, DeviceSlice, Plain};

/// Points in device memory, in blst's affine layout with (0, 0) for infinity, perhaps with tables.
/// Clones are handles to the same points.
#[derive(Clone, Debug)]
pub struct Bases<G: DeviceGroup> {
    /// From the first one's to the last one's last copy.
    points: DeviceSlice<Affine<G::Coordinate>>,
    len: usize,
    /// From a copy to the next.
    stride: usize,
    tables: Tables,
}

impl<G: DeviceGroup> Bases<G> {
    /// Points that are there already.
    ///
    /// # Errors
    ///
    /// They are not at a multiple of 16.
    pub fn new(points: DeviceSlice<Affine<G::Coordinate>>) -> Result<Self, Error> {
        let len = points.len();
        // Sums that want one copy are served whatever its digits.
        Self::with_tables(points, len, Tables { bits: *BITS.start(), copies: 1 })
    }

    /// `len` points, and as many of each further copy.
    pub(super) fn with_tables(
        points: DeviceSlice<Affine<G::Coordinate>>,
        len: usize,
        tables: Tables,
    ) -> Result<Self, Error> {
        check_aligned(&points)?;
        Ok(Self { points, len, stride: len, tables })
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Their tables. Of bases without any it is one copy, with the narrowest digits: sums that want one
    /// copy may have any.
    #[must_use]
    pub fn tables(&self) -> Tables {
        self.tables
    }

    /// Bytes of device memory that all copies of them take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len * self.tables.copies as usize * G::BYTES
    }

    /// Some of them.
    ///
    /// # Panics
    ///
    /// If the range is not inside.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        let first = match range.start_bound() {
            Bound::Included(&first) => first,
            Bound::Excluded(&before) => before + 1,
            Bound::Unbounded => 0,
        };
        let len = self.copy(0).slice(range).len();
        let end = first + (self.tables.copies as usize - 1) * self.stride + len;
        // A point is a multiple of 16 bytes.
        Self { points: self.points.slice(first..end), len, ..*self }
    }

    /// The points themselves for 0, then their multiples.
    ///
    /// # Panics
    ///
    /// If there is no such copy.
    #[must_use]
    pub fn copy(&self, index: u32) -> DeviceSlice<Affine<G::Coordinate>> {
        self.points.slice(index as usize * self.stride..).slice(..self.len)
    }

    /// All copies, with what lies between them.
    pub(super) fn points(&self) -> &DeviceSlice<Affine<G::Coordinate>> {
        &self.points
    }

    pub(super) fn stride(&self) -> u32 {
        self.stride as u32
    }
}

/// Scalars in device memory, at a multiple of 16.
#[derive(Clone, Copy, Debug)]
pub enum Scalars<'a> {
    /// In Montgomery form, below r.
    Montgomery(&'a DeviceSlice<Fr>),
    /// Integers, little-endian, which count modulo r.
    Integers(&'a DeviceSlice<[u32; 8]>),
}

impl Scalars<'_> {
    /// Number of scalars.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Montgomery(slice) => slice.len(),
            Self::Integers(slice) => slice.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scalars and their form, as kernels take them.
    pub(super) fn arguments(&self) -> Result<(Argument, u32), Error> {
        match self {
            Self::Montgomery(slice) => {
                check_aligned(slice)?;
                Ok(((*slice).into(), MONTGOMERY))
            }
            Self::Integers(slice) => {
                check_aligned(slice)?;
                Ok(((*slice).into(), INTEGERS))
            }
        }
    }
}

pub(super) fn check_aligned<T: Plain>(slice: &DeviceSlice<T>) -> Result<(), Error> {
    match slice.address() % 16 {
        0 => Ok(()),
        _ => Err(Error::Misaligned(slice.address())),
    }
}
