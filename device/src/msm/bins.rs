//! Buckets in bins: runs of 2^`low` of them, of which a block sorts the entries.

use core::num::NonZeroU32;

use super::SIGN;

/// How windows' buckets are numbered and binned.
///
/// Window w has those of group w mod `groups`, 2^(bits − 1) of them, and the points of copy
/// w / `groups`.
#[derive(Clone, Copy)]
pub struct Bins {
    /// Groups of buckets, one for each window of a copy of the points.
    pub groups: NonZeroU32,
    /// Bits of a digit.
    pub bits: u32,
    /// Bits of a bucket's number in its bin, less than those of a digit.
    pub low: u32,
}

impl Bins {
    /// Bins of a group.
    #[inline(always)]
    pub fn of_group(self) -> u32 {
        1 << (self.bits - 1 - self.low)
    }

    /// All bins.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.groups.get() * self.of_group()
    }

    /// The bin in its group, of a digit as [`msm_digits`](super::count::msm_digits) writes it.
    #[inline(always)]
    pub fn bin(self, digit: u32) -> u32 {
        (digit & !SIGN) >> self.low
    }

    /// The bucket in its bin.
    #[inline(always)]
    pub fn bucket(self, digit: u32) -> u32 {
        digit & ((1 << self.low) - 1)
    }
}
