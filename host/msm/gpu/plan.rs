//! How a sum is split, and what memory that takes.

use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

use warpfield_device::msm::TILE;
use warpfield_device::msm::digits::{BITS, windows};

use super::error::Error;
use super::group::DeviceGroup;
use super::width;
use crate::msm::MsmError;

/// Logarithms of the entries that a thread may take: few of them make many sums to be joined, many
/// make few threads.
const SHARES: RangeInclusive<u32> = 3..=6;

/// The logarithm of the threads that there should be at least.
const ENOUGH_THREADS: u32 = 17;

/// How sums of up to some number of terms are made.
#[derive(Clone, Copy, Debug)]
pub struct Plan<G> {
    terms: usize,
    bits: u32,
    share: u32,
    group: PhantomData<G>,
}

impl<G: DeviceGroup> Plan<G> {
    /// The quickest one known for so many terms.
    ///
    /// # Errors
    ///
    /// Too many terms.
    pub fn new(terms: usize) -> Result<Self, Error> {
        let bits = width::bits(terms);
        let entries = terms as u64 * u64::from(windows(bits));
        let share = entries.max(1).ilog2().saturating_sub(ENOUGH_THREADS);
        Self::with(terms, bits, share.clamp(*SHARES.start(), *SHARES.end()))
    }

    /// One with digits of so many bits, and threads that take 2^`share` entries.
    ///
    /// # Errors
    ///
    /// Too many terms, and [`Error::Bits`].
    ///
    /// # Panics
    ///
    /// `share` is over 16.
    pub fn with(terms: usize, bits: u32, share: u32) -> Result<Self, Error> {
        assert!(share <= 16, "threads with 2^{share} entries");
        if !BITS.contains(&bits) {
            return Err(Error::Bits(bits));
        }
        // Indices have 31 bits, and the numbers of entries 32.
        let entries = (terms as u64).checked_mul(windows(bits).into());
        if terms >= 1 << 31 || entries.is_none_or(|entries| entries >= (1 << 32) - (1 << 16)) {
            return Err(MsmError::TooLong(terms).into());
        }
        Ok(Self { terms, bits, share, group: PhantomData })
    }

    /// The most terms that it is for.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Bits of a digit.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Digits of a scalar.
    #[must_use]
    pub fn windows(&self) -> u32 {
        windows(self.bits)
    }

    /// The logarithm of the entries that a thread takes.
    #[must_use]
    pub fn share(&self) -> u32 {
        self.share
    }

    /// Buckets of all windows.
    #[must_use]
    pub fn buckets(&self) -> u32 {
        self.windows() << (self.bits - 1)
    }

    /// Entries of so many terms, at most.
    pub(super) fn entries(&self, terms: usize) -> u32 {
        terms as u32 * self.windows()
    }

    /// Threads that take the entries of so many terms.
    pub(super) fn threads(&self, terms: usize) -> u32 {
        self.entries(terms).div_ceil(1 << self.share)
    }

    /// The most threads that have entries of a bucket, of so many terms, without the first of them: a
    /// bucket has an entry of a term once.
    pub(super) fn most_heads(&self, terms: usize) -> u32 {
        (terms as u32).saturating_sub(1).div_ceil(1 << self.share)
    }

    /// Tiles of counters.
    pub(super) fn tiles(&self) -> u32 {
        self.buckets().div_ceil(TILE)
    }

    /// Points that are left for the host.
    pub(super) fn results(&self) -> u32 {
        self.windows() * self.bits
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
