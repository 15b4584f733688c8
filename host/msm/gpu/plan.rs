//! How a sum is split, and what memory that takes.

use std::marker::PhantomData;
use std::ops::Range;

use warpfield_device::msm::digits::windows;

use super::error::Error;
use super::group::DeviceGroup;
use super::tables::Tables;
use crate::msm::MsmError;

/// How digits and entries are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Bits of a digit.
    pub bits: u32,
    /// Copies of each base among its [`Tables`].
    pub copies: u32,
    /// The logarithm of the most entries that a thread sums up, 1 to 12: few make many sums to be
    /// joined, and many take long where a bucket has many.
    pub log_segment: u32,
    /// How segments are halved before they are added up point by point, if at all.
    pub halving: Option<Halving>,
    /// The entries of a bin, about, 1 to 25,600: a block sorts one. Bins have 2¹² buckets at most, and
    /// more entries if there would be too many of them otherwise.
    pub bin: u32,
}

/// How neighbouring points of segments are added first, with one inversion for many pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halving {
    /// How often, 1 to 8.
    pub levels: u32,
    /// Segments that a thread takes at a time, 1 to 2⁸.
    pub group: u32,
    /// The most blocks of threads, 1 to 2¹⁶: as many as fill the device.
    pub blocks: u32,
}

impl Split {
    /// The quickest one known for so many terms of bases in a group without tables, where so many blocks of
    /// threads that halve segments fill the device.
    #[must_use]
    pub fn of<G: DeviceGroup>(terms: usize, blocks: u32) -> Self {
        Self::with::<G>(terms, G::TUNING.none(terms), blocks)
    }

    /// The same for bases with these tables.
    #[must_use]
    pub fn with<G: DeviceGroup>(terms: usize, tables: Tables, blocks: u32) -> Self {
        let Tables { bits, copies } = tables;
        let row = G::TUNING.row(terms, copies);
        let blocks = blocks.clamp(1, MOST_BLOCKS);
        let halving = row.halving.map(|(levels, group)| Halving { levels, group, blocks });
        Self { bits, copies, log_segment: row.log_segment, halving, bin: row.bin }
    }

    /// The tables that the bases must have.
    #[must_use]
    pub fn tables(&self) -> Tables {
        Tables { bits: self.bits, copies: self.copies }
    }
}

const MOST_BLOCKS: u32 = 1 << 16;

/// A block has two counters for each length.
const MOST_LOG_SEGMENT: u32 = 12;

/// Tiles for which a block has counters.
const MOST_TILES: u32 = 1 << 13;

/// Entries for which a block has shared memory, beside another one with as many.
const MOST_BIN: u32 = 25_600;

/// Bins of which a block can hold counters; there are twice as many for the widest digits.
const MOST_BINS: u32 = 1 << 14;

/// Bits of a bucket's number in its bin, at most: a block has a counter for each.
const MOST_BITS: u32 = 12;

/// Bits of a bin's number in its group, at most: a block has two counters for each.
const MOST_BIN_BITS: u32 = 13;

/// The same where a block has room for bins that are a little larger than they are to be: with more of them,
/// fewer entries of a bin go to memory side by side.
const FEW_BIN_BITS: u32 = 11;

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
    /// A part of the split is out of its range.
    pub fn new(terms: usize, split: Split) -> Result<Self, Error> {
        assert!((1..=MOST_LOG_SEGMENT).contains(&split.log_segment), "{split:?}");
        if let Some(Halving { levels, group, blocks }) = split.halving {
            assert!(G::HALVES && (1..=8).contains(&levels), "{split:?}");
            assert!((1..=1 << 8).contains(&group), "{split:?}");
            assert!((1..=MOST_BLOCKS).contains(&blocks), "{split:?}");
        }
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

    /// Full segments of so many terms, at most.
    pub(super) fn parts(&self, terms: usize) -> u32 {
        self.entries(terms) >> self.split.log_segment
    }

    /// Full segments of a bucket of so many terms, at most: it has an entry of each copy once.
    pub(super) fn bucket_parts(&self, terms: usize) -> u32 {
        (terms as u32 * self.split.copies) >> self.split.log_segment
    }

    /// All segments of so many terms, at most.
    pub(super) fn segments(&self, terms: usize) -> u32 {
        self.parts(terms) + self.buckets()
    }

    /// Threads that halve the segments of so many terms.
    pub(super) fn halving_threads(&self, terms: usize) -> u32 {
        let Some(Halving { group, blocks, .. }) = self.split.halving else { return 0 };
        G::THREADS * self.segments(terms).div_ceil(G::THREADS * group).min(blocks)
    }

    /// The logarithm of the numbers of segments in a tile, of which a warp makes a sum.
    pub(super) fn log_tile(&self) -> u32 {
        (self.buckets() / MOST_TILES).max(1 << 9).ilog2() + 1
    }

    /// Tiles of the numbers of segments, with one number more than buckets at least.
    pub(super) fn tiles(&self) -> u32 {
        (self.buckets() >> self.log_tile()) + 1
    }

    /// Bits of a bucket's number in its bin.
    pub(super) fn low(&self) -> u32 {
        let bits = self.split.bits - 1;
        let entries = self.entries(self.terms).div_ceil(self.groups());
        let log_bins = |size: u32| entries.div_ceil(size).max(1).next_power_of_two().ilog2();
        let log_wanted = log_bins(self.split.bin).min(FEW_BIN_BITS).max(log_bins(self.room()));
        let log_most = (MOST_BINS / self.groups()).ilog2().min(bits).min(MOST_BIN_BITS);
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
        // Far from 2⁶⁴, whatever the split.
        let mut take = |count: usize, size: usize| {
            let start = bytes;
            let end = start + count * size;
            bytes = end.next_multiple_of(ALIGNMENT);
            start..end
        };
        let entries = self.entries(self.terms);
        let parts = self.parts(self.terms);
        let group = self.split.halving.map_or(0, |halving| halving.group as usize);
        let halved = self.halving_threads(self.terms) as usize * group;
        let pairs = halved << (self.split.log_segment - 1);
        let ends = take((self.bins() + 1) as usize, word);
        let starts = take((self.buckets() + 1) as usize, word);
        let firsts = take((self.tiles() << self.log_tile()) as usize, word);
        let tiles = take(self.tiles() as usize, word);
        let rests = take(1 << self.split.log_segment, word);
        let order = take(self.buckets() as usize, word);
        let entries = take(entries as usize, word);
        let sums = take(self.buckets() as usize, point);
        let part_sums = take(parts as usize, point);
        let part_buckets = take(parts as usize, word);
        let taken = take(1, word);
        let runs = take(halved, 4 * word);
        let left = take(pairs, point / 2);
        let before = take(pairs, point / 4);
        let results = take(self.results() as usize, point);
        // Before there are sums.
        let binned = sums.start..sums.start + entries.len();
        let binned_end = binned.end.next_multiple_of(ALIGNMENT);
        let binned_buckets = binned_end..binned_end + entries.len() / 2;
        bytes = bytes.max(binned_buckets.end.next_multiple_of(ALIGNMENT));
        Layout {
            ends,
            starts,
            firsts,
            tiles,
            rests,
            order,
            entries,
            binned,
            binned_buckets,
            sums,
            parts: part_sums,
            part_buckets,
            taken,
            runs,
            left,
            before,
            results,
            bytes,
        }
    }
}

/// Where each part starts.
pub(super) const ALIGNMENT: usize = 256;

/// The parts of the memory, in bytes.
#[derive(Debug)]
pub(super) struct Layout {
    /// Where each bin's entries end, with 0 before the first.
    pub ends: Range<usize>,
    /// Where each bucket's entries start, and where the last one's end.
    pub starts: Range<usize>,
    /// Full segments of each bucket, then those before it.
    pub firsts: Range<usize>,
    /// The sum of each tile of these, then that of those before it.
    pub tiles: Range<usize>,
    /// Rests of each length, then where they start in their order.
    pub rests: Range<usize>,
    /// Buckets in the order of their rests.
    pub order: Range<usize>,
    /// Digits; then indices and signs, by bucket.
    pub entries: Range<usize>,
    /// Indices and signs, by bin.
    pub binned: Range<usize>,
    /// Of each of them its bucket in the bin.
    pub binned_buckets: Range<usize>,
    /// The sum of each bucket.
    pub sums: Range<usize>,
    /// The sum of each full segment.
    pub parts: Range<usize>,
    /// The bucket of each.
    pub part_buckets: Range<usize>,
    /// How many segments were taken.
    pub taken: Range<usize>,
    /// The segments of each thread.
    pub runs: Range<usize>,
    /// For each thread, what its halvings leave.
    pub left: Range<usize>,
    /// For each thread, what the denominators of its pairs were multiplied to before each.
    pub before: Range<usize>,
    /// What is left for the host.
    pub results: Range<usize>,
    /// Of all.
    pub bytes: usize,
}
