//! Multiples of bases that stay the same.

use warpfield_device::curve::Xyzz;
use warpfield_device::msm::digits::{BITS, windows};

use super::error::Error;
use super::group::DeviceGroup;
use super::kernels::Kernels;
use super::operands::{Bases, check_aligned};
use crate::gpu::{Device, DeviceSlice, Stream};
use crate::msm::MsmError;

/// What bases are multiplied by in advance.
///
/// A scalar has W digits of `bits` bits. Of each base there are so many copies, each 2^(bits·g)
/// times the one before, where g = ⌈W/copies⌉. So a sum of W windows is one of g windows with more terms:
/// as many entries, and fewer buckets. With as many copies as windows g is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tables {
    /// Bits of a digit, from 2 to 24.
    pub bits: u32,
    /// Copies of each base, 1 for none but the base itself, up to the digits of a scalar.
    pub copies: u32,
}

impl Tables {
    /// Those that make sums of `terms` terms quickest, as far as is known, and are no larger than `budget`
    /// bytes with the bases themselves. Where that is not enough for a second copy there is one.
    #[must_use]
    pub fn within<G: DeviceGroup>(terms: usize, budget: usize) -> Self {
        let most = budget / terms.max(1).saturating_mul(G::BYTES);
        let most = most.min(MOST_INDICES / terms.max(1));
        G::TUNING.tables(terms, most as u32)
    }

    /// All copies that are of use with digits of so many bits, 2 to 24.
    #[must_use]
    pub fn all(bits: u32) -> Self {
        Self { bits, copies: windows(bits) }
    }

    /// Windows that have buckets of their own.
    #[must_use]
    pub fn groups(&self) -> u32 {
        windows(self.bits).div_ceil(self.copies)
    }

    /// Whether every copy is of some use: fewer would make more groups.
    pub(super) fn is_tight(&self) -> bool {
        windows(self.bits).div_ceil(self.groups()) == self.copies
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if !BITS.contains(&self.bits) {
            return Err(Error::Bits(self.bits));
        }
        if !(1..=windows(self.bits)).contains(&self.copies) {
            return Err(Error::Copies(*self));
        }
        Ok(())
    }

    /// Whether entries can tell the copies of so many bases apart.
    pub(super) fn check_len(&self, len: usize) -> Result<(), Error> {
        match len > MOST_INDICES / self.copies as usize {
            true => Err(MsmError::TooLong(len).into()),
            false => Ok(()),
        }
    }

    /// Doublings from a copy to the next.
    fn doublings(&self) -> u32 {
        self.bits * self.groups()
    }

    /// Whether bases with these serve sums that ask for `wanted`.
    pub(super) fn serve(&self, wanted: &Self) -> bool {
        wanted.copies == 1
            || (wanted.copies <= self.copies && wanted.doublings() == self.doublings())
    }
}

/// Points that entries can tell apart.
const MOST_INDICES: usize = (1 << 31) - 1;

/// Points that a thread doubles at a time, with one inversion.
const POINTS: u32 = 8;

/// Bytes for what is between, of as many bases as the device doubles at a time.
pub(super) fn room<G: DeviceGroup>(
    device: &Device,
    kernels: &Kernels<G>,
    len: usize,
) -> Result<usize, Error> {
    let config = G::grid(1);
    let blocks = kernels.table.resident_blocks(config.block.x, config.shared_bytes)?;
    let threads = blocks * config.block.x * device.info().multiprocessors;
    Ok(len.min((threads * POINTS).max(1) as usize) * between::<G>())
}

/// Bytes for what is between a base and its multiple: a point with denominators, and a coordinate.
fn between<G: DeviceGroup>() -> usize {
    2 * G::BYTES + G::BYTES / 2
}

/// Queues the making of tables, of as many bases at a time as there is room for.
pub(super) fn build<G: DeviceGroup>(
    stream: &Stream,
    kernels: &Kernels<G>,
    bases: &Bases<G>,
    room: &DeviceSlice<u8>,
) -> Result<(), Error> {
    let Tables { copies, .. } = bases.tables();
    if copies == 1 || bases.is_empty() {
        return Ok(());
    }
    let part = (room.len() / between::<G>()).min(bases.len());
    if part == 0 {
        return Err(Error::Memory { bytes: between::<G>(), room: room.len() });
    }
    check_aligned(room)?;
    let (doubled, prefixes) = (2 * G::BYTES * part, G::BYTES / 2 * part);
    let whole = "whole values";
    let prefixes = room.slice(doubled..doubled + prefixes).cast::<G::Coordinate>().expect(whole);
    let doubled = room.slice(..doubled).cast::<Xyzz<G::Coordinate>>().expect(whole);
    for copy in 1..copies {
        let (before, copy) = (bases.copy(copy - 1), bases.copy(copy));
        for first in (0..bases.len()).step_by(part) {
            let count = part.min(bases.len() - first);
            let (from, to) = (before.slice(first..first + count), copy.slice(first..first + count));
            let doublings = bases.tables().doublings();
            let arguments = (&to, &from, &doubled, &prefixes, count as u32, doublings);
            let config = G::grid((count as u32).div_ceil(POINTS));
            // SAFETY: so many points each.
            unsafe { stream.launch(&kernels.table, config, arguments)? };
        }
    }
    Ok(())
}
