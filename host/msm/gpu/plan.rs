//! How a sum is split, and what memory that takes.

use std::marker::PhantomData;
use std::ops::Range;

use warpfield_device::msm::TILE;
use warpfield_device::msm::digits::{BITS, windows};

use super::error::Error;
use super::group::DeviceGroup;
use super::width;
use crate::msm::MsmError;

/// How digits and entries are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Bits of a digit.
    pub bits: u32,
    /// The most threads that sum up entries, 1 to 2²⁴: all take as many.
    pub threads: u32,
    /// The fewest entries that a thread takes, 1 to 2¹⁶: few make many sums to be joined.
    pub least: u32,
}

impl Split {
    /// The quickest one known for so many terms, where so many threads fill the device.
    #[must_use]
    pub fn of(terms: usize, resident_threads: u32) -> Self {
        let threads = resident_threads.saturating_mul(WAVES).clamp(1, MOST_THREADS);
        Self { bits: width::bits(terms), threads, least: LEAST }
    }
}

/// How often threads that sum up entries fill the device: more of them are evener, and make more sums
/// to be joined.
const WAVES: u32 = 2;

/// The fewest entries that are worth a sum to be joined.
const LEAST: u32 = 16;

const MOST_THREADS: u32 = 1 << 24;

/// How sums of up to some number of terms are made.
#[derive(Clone, Copy, Debug)]
pub struct Plan<G> {
    terms: usize,
    split: Split,
    group: PhantomData<G>,
}

impl<G: DeviceGroup> Plan<G> {
    /// One for so many terms; [`Msm::plan`](super::Msm::plan) knows how to split them.
    ///
    /// # Errors
    ///
    /// Too many terms, and [`Error::Bits`].
    ///
    /// # Panics
    ///
    /// Threads or entries are out of their ranges.
    pub fn new(terms: usize, split: Split) -> Result<Self, Error> {
        assert!((1..=MOST_THREADS).contains(&split.threads), "{split:?}");
        assert!((1..=1 << 16).contains(&split.least), "{split:?}");
        if !BITS.contains(&split.bits) {
            return Err(Error::Bits(split.bits));
        }
        // Indices have 31 bits, and the numbers of entries 32, with threads and theirs added.
        let entries = (terms as u64).checked_mul(windows(split.bits).into());
        if terms >= 1 << 31 || entries.is_none_or(|entries| entries >= (1 << 32) - (1 << 25)) {
            return Err(MsmError::TooLong(terms).into());
        }
        Ok(Self { terms, split, group: PhantomData })
    }

    /// The most terms that it is for.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// How it splits them.
    #[must_use]
    pub fn split(&self) -> Split {
        self.split
    }

    /// Digits of a scalar.
    #[must_use]
    pub fn windows(&self) -> u32 {
        windows(self.split.bits)
    }

    /// Buckets of all windows.
    #[must_use]
    pub fn buckets(&self) -> u32 {
        self.windows() << (self.split.bits - 1)
    }

    /// Entries of so many terms, at most.
    pub(super) fn entries(&self, terms: usize) -> u32 {
        terms as u32 * self.windows()
    }

    /// Threads that take the entries of so many terms.
    pub(super) fn threads(&self, terms: usize) -> u32 {
        self.entries(terms).div_ceil(self.split.least).min(self.split.threads)
    }

    /// The most threads that have entries of a bucket, of so many terms, without the first of them: a
    /// bucket has an entry of a term once.
    pub(super) fn most_heads(&self, terms: usize) -> u32 {
        let by_entries = (terms as u32).saturating_sub(1).div_ceil(self.split.least);
        by_entries.min(self.threads(terms).saturating_sub(1))
    }

    /// Tiles of counters.
    pub(super) fn tiles(&self) -> u32 {
        self.buckets().div_ceil(TILE)
    }

    /// Points that are left for the host.
    pub(super) fn results(&self) -> u32 {
        self.windows() * self.split.bits
    }

    /// Bytes of device memory that it takes besides bases and scalars.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layout().bytes
    }

    pub(super) fn layout(&self) -> Layout {
        let (word, point) = (size_of::<u32>(), 2 * G::BYTES);
        let mut bytes = 0;
        let mut take = |count: u32, size: usize| {
            let start = bytes;
            let end = start + count as usize * size;
            bytes = end.next_multiple_of(ALIGNMENT);
            start..end
        };
        let threads = self.threads(self.terms);
        Layout {
            counts: take(COUNTS_START + self.tiles() * TILE, word),
            tiles: take(self.tiles(), word),
            entries: take(self.entries(self.terms), word),
            sums: take(self.buckets(), point),
            heads: take(threads, point),
            head_buckets: take(threads, word),
            results: take(self.results(), point),
            bytes,
        }
    }
}

/// Where each part starts.
const ALIGNMENT: usize = 256;

/// The place of the first counter: the word before it is where the first bucket starts, and counters
/// are read four at a time.
pub(super) const COUNTS_START: u32 = 4;

/// The parts of the memory, in bytes.
#[derive(Debug)]
pub(super) struct Layout {
    /// Entries of each bucket, then where they end.
    pub counts: Range<usize>,
    /// Entries of each tile of counters, then those before it.
    pub tiles: Range<usize>,
    /// Indices and signs, by bucket.
    pub entries: Range<usize>,
    /// The sum of each bucket.
    pub sums: Range<usize>,
    /// For each thread, the sum of its entries of a bucket that starts before them.
    pub heads: Range<usize>,
    /// That bucket.
    pub head_buckets: Range<usize>,
    /// What is left for the host.
    pub results: Range<usize>,
    /// Of all.
    pub bytes: usize,
}
