//! How a sum is split, and what memory that takes.

use std::marker::PhantomData;
use std::ops::Range;

use warpfield_device::msm::digits::windows;

use super::error::Error;
use super::group::DeviceGroup;
use super::tables::Tables;
use super::width;
use crate::msm::MsmError;

/// How digits and entries are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Bits of a digit.
    pub bits: u32,
    /// Copies of each base among its [`Tables`].
    pub copies: u32,
    /// The most threads that sum up entries, 1 to 2²⁴: all take as many.
    pub threads: u32,
    /// The fewest entries that a thread takes, 1 to 2¹⁶: few make many sums to be joined.
    pub least: u32,
    /// The entries of a bin, about, 1 to 25,600: a block sorts one. Bins have 2¹² buckets at most, and
    /// more entries if there would be too many of them otherwise.
    pub bin: u32,
}

impl Split {
    /// The quickest one known for so many terms of bases without tables, where so many threads fill the
    /// device.
    #[must_use]
    pub fn of(terms: usize, resident_threads: u32) -> Self {
        Self::with(terms, Tables { bits: width::bits(terms), copies: 1 }, resident_threads)
    }

    /// The same for bases with these tables.
    #[must_use]
    pub fn with(terms: usize, tables: Tables, resident_threads: u32) -> Self {
        let Tables { bits, copies } = tables;
        let threads = resident_threads.saturating_mul(WAVES).clamp(1, MOST_THREADS);
        let bin = (terms as u64 * u64::from(windows(bits)) / BINS).clamp(512, MOST_BIN.into());
        Self { bits, copies, threads, least: LEAST, bin: bin as u32 }
    }

    /// The tables that the bases must have.
    #[must_use]
    pub fn tables(&self) -> Tables {
        Tables { bits: self.bits, copies: self.copies }
    }
}

/// How often threads that sum up entries fill the device: more of them are evener, and make more sums
/// to be joined.
const WAVES: u32 = 2;

/// The fewest entries that are worth a sum to be joined.
const LEAST: u32 = 8;

const MOST_THREADS: u32 = 1 << 24;

/// Bins that fill the device several times.
const BINS: u64 = 1 << 11;

/// Entries for which a block has shared memory, beside another one with as many.
const MOST_BIN: u32 = 25_600;

/// Bins of which a block can hold counters; there are twice as many for the widest digits.
const MOST_BINS: u32 = 1 << 14;

/// Bits of a bucket's number in its bin, at most, and of a bin's number in a group: a block has a
/// counter for each of the former, and two for each of the latter.
const MOST_BITS: u32 = 12;

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
    /// Too many terms, [`Error::Bits`] and [`Error::Copies`].
    ///
    /// # Panics
    ///
    /// Threads or entries are out of their ranges.
    pub fn new(terms: usize, split: Split) -> Result<Self, Error> {
        assert!((1..=MOST_THREADS).contains(&split.threads), "{split:?}");
        assert!((1..=1 << 16).contains(&split.least), "{split:?}");
        assert!((1..=MOST_BIN).contains(&split.bin), "{split:?}");
        split.tables().check()?;
        // Indices have 31 bits, and the numbers of entries 32, with threads and theirs added.
        let entries = (terms as u64).checked_mul(windows(split.bits).into());
        let indices = (terms as u64).checked_mul(split.copies.into());
        if indices.is_none_or(|indices| indices >= 1 << 31)
            || entries.is_none_or(|entries| entries >= (1 << 32) - (1 << 25))
        {
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

    /// Windows that have buckets of their own.
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.split.tables().groups()
    }

    /// Buckets of all groups.
    #[must_use]
    pub fn buckets(&self) -> u32 {
        self.groups() << (self.split.bits - 1)
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
    /// bucket has an entry of each copy once.
    pub(super) fn most_heads(&self, terms: usize) -> u32 {
        let by_entries =
            (terms as u32 * self.split.copies).saturating_sub(1).div_ceil(self.split.least);
        by_entries.min(self.threads(terms).saturating_sub(1))
    }

    /// Bits of a bucket's number in its bin.
    pub(super) fn low(&self) -> u32 {
        let bits = self.split.bits - 1;
        let wanted = self.entries(self.terms).div_ceil(self.split.bin).div_ceil(self.groups());
        let log_wanted = wanted.max(1).next_power_of_two().ilog2();
        let log_most = (MOST_BINS / self.groups()).ilog2().min(bits).min(MOST_BITS - 1);
        bits - log_wanted.min(log_most).max(bits.saturating_sub(MOST_BITS))
    }

    /// Bins of a group's buckets.
    pub(super) fn group_bins(&self) -> u32 {
        1 << (self.split.bits - 1 - self.low())
    }

    /// Bins of all buckets.
    pub(super) fn bins(&self) -> u32 {
        self.groups() * self.group_bins()
    }

    /// Entries of a bin for which a block has room in shared memory.
    pub(super) fn room(&self) -> u32 {
        self.split.bin + self.split.bin / 16
    }

    /// Points that are left for the host.
    pub(super) fn results(&self) -> u32 {
        self.groups() * self.split.bits
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
        let (threads, entries) = (self.threads(self.terms), self.entries(self.terms));
        let ends = take(self.bins() + 1, word);
        let starts = take(self.buckets() + 1, word);
        let entries = take(entries, word);
        let sums = take(self.buckets(), point);
        let heads = take(threads, point);
        let head_buckets = take(threads, word);
        let results = take(self.results(), point);
        // Before there are sums.
        let binned = sums.start..sums.start + entries.len();
        let binned_end = binned.end.next_multiple_of(ALIGNMENT);
        let binned_buckets = binned_end..binned_end + entries.len() / 2;
        bytes = bytes.max(binned_buckets.end.next_multiple_of(ALIGNMENT));
        Layout {
            ends,
            starts,
            entries,
            binned,
            binned_buckets,
            sums,
            heads,
            head_buckets,
            results,
            bytes,
        }
    }
}

/// Where each part starts.
const ALIGNMENT: usize = 256;

/// The parts of the memory, in bytes.
#[derive(Debug)]
pub(super) struct Layout {
    /// Where each bin's entries end, with 0 before the first.
    pub ends: Range<usize>,
    /// Where each bucket's entries start, and where the last one's end.
    pub starts: Range<usize>,
    /// Digits; then indices and signs, by bucket.
    pub entries: Range<usize>,
    /// Indices and signs, by bin.
    pub binned: Range<usize>,
    /// Of each of them its bucket in the bin.
    pub binned_buckets: Range<usize>,
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
