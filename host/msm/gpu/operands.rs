//! Bases and scalars in device memory.

use std::ops::RangeBounds;

use warpfield_device::curve::Affine;
use warpfield_device::field::Fr;
use warpfield_device::msm::{INTEGERS, MONTGOMERY};

use super::error::Error;
use super::group::DeviceGroup;
use crate::gpu::{Argument, DeviceSlice, Plain};

/// Points in device memory, in blst's affine layout with (0, 0) for infinity. Clones are handles to
/// the same points.
#[derive(Clone, Debug)]
pub struct Bases<G: DeviceGroup>(DeviceSlice<Affine<G::Coordinate>>);

impl<G: DeviceGroup> Bases<G> {
    /// Points that are there already.
    ///
    /// # Errors
    ///
    /// They are not at a multiple of 16.
    pub fn new(points: DeviceSlice<Affine<G::Coordinate>>) -> Result<Self, Error> {
        check_aligned(&points)?;
        Ok(Self(points))
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Some of them.
    ///
    /// # Panics
    ///
    /// If the range is not inside.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        // A point is a multiple of 16 bytes.
        Self(self.0.slice(range))
    }

    pub(super) fn argument(&self) -> Argument {
        (&self.0).into()
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

fn check_aligned<T: Plain>(slice: &DeviceSlice<T>) -> Result<(), Error> {
    match slice.address() % 16 {
        0 => Ok(()),
        _ => Err(Error::Misaligned(slice.address())),
    }
}
