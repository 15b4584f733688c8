//! The operands of a chunk, on their way to the device.

use std::ops::Range;

use warpfield_device::field::Fr;

use super::operands::{HostSlice, Memory, StreamedBases, StreamedScalars};
use super::workspace::Set;
use crate::gpu::{DeviceSlice, Plain, Staging, Stream};
use crate::msm::gpu::{Bases, DeviceGroup, Error, Scalars};

/// Scalars in device memory.
pub(super) enum ChunkScalars {
    Montgomery(DeviceSlice<Fr>),
    Integers(DeviceSlice<[u32; 8]>),
}

impl ChunkScalars {
    pub fn as_scalars(&self) -> Scalars<'_> {
        match self {
            Self::Montgomery(scalars) => Scalars::Montgomery(scalars),
            Self::Integers(scalars) => Scalars::Integers(scalars),
        }
    }
}

impl<G: DeviceGroup> StreamedBases<'_, G> {
    /// Those of a chunk, whose copy is queued if they are not on the device.
    pub(super) fn of_chunk(
        &self,
        range: &Range<usize>,
        copies: &Stream,
        staging: &mut Staging,
        set: &Set,
    ) -> Result<Bases<G>, Error> {
        let there = match self {
            Self::Device(bases) => return Ok(bases.slice(range.clone())),
            Self::Host(bytes) => {
                let bytes = bytes.slice(range.start * G::BYTES..range.end * G::BYTES);
                copy(copies, staging, &set.bases, bytes)?
            }
            Self::Written(points) => {
                let to = set.bases.slice(..range.len() * G::BYTES);
                staging.upload_by(copies, &to, G::BYTES, |start, part| {
                    (points.write)(range.start + start / G::BYTES, part);
                })?;
                to
            }
        };
        Bases::new(there.cast().expect("whole points"))
    }
}

impl StreamedScalars<'_> {
    /// Those of a chunk, whose copy is queued if they are not on the device.
    pub(super) fn of_chunk(
        &self,
        range: Range<usize>,
        copies: &Stream,
        staging: &mut Staging,
        set: &Set,
    ) -> Result<ChunkScalars, Error> {
        use ChunkScalars::{Integers, Montgomery};
        Ok(match self {
            Self::Device(Scalars::Montgomery(scalars)) => Montgomery(scalars.slice(range)),
            Self::Device(Scalars::Integers(scalars)) => Integers(scalars.slice(range)),
            Self::Montgomery(scalars) => {
                Montgomery(copy(copies, staging, &set.scalars, scalars.slice(range))?)
            }
            Self::Integers(scalars) => {
                Integers(copy(copies, staging, &set.scalars, scalars.slice(range))?)
            }
        })
    }
}

/// Queues the copy of values to the start of some room.
fn copy<T: Plain>(
    stream: &Stream,
    staging: &mut Staging,
    room: &DeviceSlice<u8>,
    from: HostSlice<'_, T>,
) -> Result<DeviceSlice<T>, Error> {
    let bytes = room.slice(..from.len() * size_of::<T>());
    let to = bytes.cast().expect("whole values");
    match from.0 {
        // The stream keeps a share of the buffer until the copy is done.
        Memory::Pinned { buffer, start, len } => {
            drop(stream.upload_pinned(&to, buffer.clone(), start..start + len)?);
        }
        Memory::Pageable(pageable) => staging.upload(stream, &bytes, pageable)?,
    }
    Ok(to)
}
