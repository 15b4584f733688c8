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
    /// The logarithm of the most entries that a thread sums up, 1 to 16: few make many sums to be
    /// joined, and many take long where a bucket has many.
    pub log_segment: u32,
    /// How segments are halved before they are added up point by point, if at all.
    pub halving: Option<Halving>,
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
    /// The quickest one known for so many terms in a group, where so many blocks of threads that halve
    /// segments fill the device.
    #[must_use]
    pub fn of<G: DeviceGroup>(terms: usize, blocks: u32) -> Self {
        let bits = width::bits(terms);
        // So that no thread has much more than its share, and no more than are worth a sum to be
        // joined.
        let entries = terms as u64 * u64::from(windows(bits));
        if G::HALVES && entries >= HALVED {
            let halving = Halving { levels: 3, group: 4, blocks: blocks.clamp(1, MOST_BLOCKS) };
            return Self { bits, log_segment: 6, halving: Some(halving) };
        }
        Self { bits, log_segment: (entries >> 16).max(1).ilog2().clamp(3, 7), halving: None }
    }
}

/// From so many entries on halvings pay.
const HALVED: u64 = 1 << 25;

const MOST_BLOCKS: u32 = 1 << 16;

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
    /// A part of the split is out of its range.
    pub fn new(terms: usize, split: Split) -> Result<Self, Error> {
        assert!((1..=16).contains(&split.log_segment), "{split:?}");
        if let Some(Halving { levels, group, blocks }) = split.halving {
            assert!(G::HALVES && (1..=8).contains(&levels), "{split:?}");
            assert!((1..=1 << 8).contains(&group), "{split:?}");
            assert!((1..=MOST_BLOCKS).contains(&blocks), "{split:?}");
        }
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

    /// Full segments of so many terms, at most.
    pub(super) fn parts(&self, terms: usize) -> u32 {
        self.entries(terms) >> self.split.log_segment
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

    /// Full segments of a bucket of so many terms, at most: it has an entry of a term once.
    pub(super) fn bucket_parts(&self, terms: usize) -> u32 {
        terms as u32 >> self.split.log_segment
    }

    /// Tiles of counters of buckets, with one counter more at least.
    pub(super) fn tiles(&self) -> u32 {
        self.buckets() / TILE + 1
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
        let parts = self.parts(self.terms);
        let segments = self.halving_threads(self.terms)
            * self.split.halving.map_or(0, |halving| halving.group);
        let pairs = segments << (self.split.log_segment - 1);
        Layout {
            starts: take(STARTS_BEGIN + self.tiles() * TILE, word),
            firsts: take(self.tiles() * TILE, word),
            tiles: take(self.tiles(), word),
            rests: take(1 << self.split.log_segment, word),
            order: take(self.buckets(), word),
            entries: take(self.entries(self.terms), word),
            sums: take(self.buckets(), point),
            parts: take(parts, point),
            part_buckets: take(parts, word),
            taken: take(1, word),
            runs: take(segments, 4 * word),
            left: take(pairs, point / 2),
            before: take(pairs, point / 4),
            results: take(self.results(), point),
            bytes,
        }
    }
}

/// Where each part starts.
const ALIGNMENT: usize = 256;

/// The place of the first bucket's counter: the word before it is where the bucket starts, and
/// counters are read four at a time.
pub(super) const STARTS_BEGIN: u32 = 4;

/// The parts of the memory, in bytes.
#[derive(Debug)]
pub(super) struct Layout {
    /// Entries of each bucket, then where they start, then where they end.
    pub starts: Range<usize>,
    /// Full segments of each bucket, then those before it.
    pub firsts: Range<usize>,
    /// The sum of each tile of counters, then that of those before it.
    pub tiles: Range<usize>,
    /// Rests of each length, then where they start in their order.
    pub rests: Range<usize>,
    /// Buckets in the order of their rests.
    pub order: Range<usize>,
    /// Indices and signs, by bucket.
    pub entries: Range<usize>,
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
