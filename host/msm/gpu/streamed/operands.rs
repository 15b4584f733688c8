//! Operands of which some are in host memory.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use warpfield_device::field::Fr;

use crate::curve::{PointSlice, UnevenLength};
use crate::gpu::{PinnedBuffer, Plain, bytes};
use crate::msm::ScalarSlice;
use crate::msm::gpu::{Bases, DeviceGroup, Error, Scalars};

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In device memory.
    Device,
    /// In page-locked host memory, from which the device copies.
    Pinned,
    /// In any other host memory, from which the host copies to pinned memory first.
    Pageable,
}

/// Values in host memory, pinned or pageable. A view: copying it copies no values.
///
/// Of a [`PinnedBuffer`] it takes an [`Arc`], which a copy under way has a share of: nobody can write to
/// the buffer meanwhile, and when the sum is there the caller's share is the only one again.
pub struct HostSlice<'a, T>(pub(super) Memory<'a, T>);

pub(super) enum Memory<'a, T> {
    Pinned { buffer: &'a Arc<PinnedBuffer<T>>, start: usize, len: usize },
    Pageable(&'a [u8]),
}

impl<T> Clone for HostSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for HostSlice<'_, T> {}

impl<T> Clone for Memory<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memory<'_, T> {}

impl<T> fmt::Debug for HostSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Memory::Pinned { len, .. } => write!(f, "HostSlice({len} pinned values)"),
            Memory::Pageable(bytes) => write!(f, "HostSlice({} pageable bytes)", bytes.len()),
        }
    }
}

impl<'a, T: Plain> From<&'a Arc<PinnedBuffer<T>>> for HostSlice<'a, T> {
    fn from(buffer: &'a Arc<PinnedBuffer<T>>) -> Self {
        Self(Memory::Pinned { buffer, start: 0, len: buffer.len() })
    }
}

impl<'a, T: Plain> From<&'a [T]> for HostSlice<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Self(Memory::Pageable(bytes(values)))
    }
}

impl<'a, G: DeviceGroup> From<PointSlice<'a, G>> for HostSlice<'a, u8> {
    fn from(points: PointSlice<'a, G>) -> Self {
        points.as_bytes().into()
    }
}

impl<'a> From<ScalarSlice<'a>> for HostSlice<'a, [u32; 8]> {
    fn from(scalars: ScalarSlice<'a>) -> Self {
        Self(Memory::Pageable(scalars.as_arrays().as_flattened()))
    }
}

impl<'a, T: Plain> HostSlice<'a, T> {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        const { assert!(size_of::<T>() != 0, "operands have bytes") };
        match self.0 {
            Memory::Pinned { len, .. } => len,
            Memory::Pageable(bytes) => bytes.len() / size_of::<T>(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where they are.
    #[must_use]
    pub fn place(&self) -> Place {
        match self.0 {
            Memory::Pinned { .. } => Place::Pinned,
            Memory::Pageable(_) => Place::Pageable,
        }
    }

    /// The values of `range`.
    ///
    /// # Panics
    ///
    /// The range ends before it starts, or after [`len`](Self::len).
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let (from, to) = (range.start, range.end);
        assert!(from <= to && to <= self.len(), "{range:?} of {} values", self.len());
        Self(match self.0 {
            Memory::Pinned { buffer, start, .. } => {
                Memory::Pinned { buffer, start: start + from, len: to - from }
            }
            Memory::Pageable(bytes) => {
                Memory::Pageable(&bytes[from * size_of::<T>()..to * size_of::<T>()])
            }
        })
    }
}

/// Bases of a streamed sum.
#[derive(Clone, Copy)]
pub enum StreamedBases<'a, G: DeviceGroup> {
    /// In device memory, perhaps with tables.
    Device(&'a Bases<G>),
    /// In host memory, [`CurveGroup::BYTES`](crate::curve::CurveGroup::BYTES) each as in a
    /// [`PointSlice`].
    Host(HostSlice<'a, u8>),
    /// Written by the host, to pinned memory.
    Written(WrittenPoints<'a>),
}

/// Points that a function writes when they are needed: some of a longer vector, or in another order.
#[derive(Clone, Copy)]
pub struct WrittenPoints<'a> {
    /// How many they are.
    pub len: usize,
    /// Writes the points from the given one on, [`CurveGroup::BYTES`](crate::curve::CurveGroup::BYTES) each as in a
    /// [`PointSlice`], to all of the bytes. Called by the threads of the current rayon pool.
    pub write: &'a (dyn Fn(usize, &mut [u8]) + Sync),
}

impl fmt::Debug for WrittenPoints<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrittenPoints").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<G: DeviceGroup> fmt::Debug for StreamedBases<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(bases) => write!(f, "Device({} bases, {:?})", bases.len(), bases.tables()),
            Self::Host(bytes) => write!(f, "Host({bytes:?})"),
            Self::Written(points) => write!(f, "Written({} points)", points.len),
        }
    }
}

impl<G: DeviceGroup> StreamedBases<'_, G> {
    /// Number of bases.
    ///
    /// # Errors
    ///
    /// [`Error::Uneven`].
    pub(super) fn count(&self) -> Result<usize, Error> {
        match self {
            Self::Device(bases) => Ok(bases.len()),
            Self::Host(bytes) if bytes.len().is_multiple_of(G::BYTES) => Ok(bytes.len() / G::BYTES),
            Self::Host(bytes) => Err(UnevenLength { len: bytes.len(), element: G::BYTES }.into()),
            Self::Written(points) => Ok(points.len),
        }
    }

    /// Where they are.
    #[must_use]
    pub fn place(&self) -> Place {
        match self {
            Self::Device(_) => Place::Device,
            Self::Host(bytes) => bytes.place(),
            Self::Written(_) => Place::Pageable,
        }
    }
}

/// Scalars of a streamed sum.
#[derive(Clone, Copy, Debug)]
pub enum StreamedScalars<'a> {
    /// In device memory.
    Device(Scalars<'a>),
    /// In host memory and Montgomery form, below r.
    Montgomery(HostSlice<'a, Fr>),
    /// Integers in host memory, little-endian, which count modulo r.
    Integers(HostSlice<'a, [u32; 8]>),
}

impl StreamedScalars<'_> {
    /// Number of scalars.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Device(scalars) => scalars.len(),
            Self::Montgomery(scalars) => scalars.len(),
            Self::Integers(scalars) => scalars.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where they are.
    #[must_use]
    pub fn place(&self) -> Place {
        match self {
            Self::Device(_) => Place::Device,
            Self::Montgomery(scalars) => scalars.place(),
            Self::Integers(scalars) => scalars.place(),
        }
    }
}
