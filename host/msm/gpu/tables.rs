//! Multiples of bases that stay the same.

use warpfield_device::curve::{Affine, Xyzz};
use warpfield_device::msm::digits::{BITS, windows};

use super::error::Error;
use super::group::DeviceGroup;
use super::kernels::Kernels;
use super::operands::Bases;
use crate::gpu::{Device, Stream};
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

/// Copies bases and queues the making of their tables. Takes memory of its own for a part of the bases at
/// a time.
pub(super) fn build<G: DeviceGroup>(
    device: &Device,
    stream: &Stream,
    kernels: &Kernels<G>,
    bases: &Bases<G>,
    tables: Tables,
) -> Result<Bases<G>, Error> {
    let (len, copies) = (bases.len(), tables.copies as usize);
    if len > MOST_INDICES / copies {
        return Err(MsmError::TooLong(len).into());
    }
    let memory = device.alloc::<Affine<G::Coordinate>>(len * copies)?;
    stream.copy(&memory.slice(..len), &bases.points().slice(..len))?;
    let config = G::grid(1);
    let blocks = kernels.table.resident_blocks(config.block.x, config.shared_bytes)?;
    let threads = blocks * config.block.x * device.info().multiprocessors;
    let part = len.min((threads * POINTS).max(1) as usize);
    let doubled = device.alloc::<Xyzz<G::Coordinate>>(part)?;
    let prefixes = device.alloc::<G::Coordinate>(part)?;
    for copy in 1..copies {
        for first in (0..len).step_by(part) {
            let count = part.min(len - first);
            let from = memory.slice((copy - 1) * len + first..).slice(..count);
            let to = memory.slice(copy * len + first..).slice(..count);
            let arguments = (&to, &from, &doubled, &prefixes, count as u32, tables.doublings());
            let config = G::grid((count as u32).div_ceil(POINTS));
            // SAFETY: so many points each.
            unsafe { stream.launch(&kernels.table, config, arguments)? };
        }
    }
    Bases::with_tables((*memory).clone(), len, tables)
}
