//! How a streamed sum is cut into chunks, and what memory that takes.

use std::iter;
use std::ops::Range;

use warpfield_device::field::Fr;

use super::operands::Place;
use crate::gpu::Staging;
use crate::msm::gpu::plan::ALIGNMENT;
use crate::msm::gpu::{DeviceGroup, Error, Plan, Split, Tables};

/// How the terms of a streamed sum are cut into chunks: `first` terms, then `growth` times as many as
/// before each time, up to `most`.
///
/// Nothing runs under the first copy, so the first chunk is small, and no smaller than its sum needs to hide
/// the copy of the next. On an H200 a sum of 2²⁴ terms in G1 takes some 85 ms, and 2²⁴ pinned scalars of
/// 32 bytes 9 ms, a ninth of it: a first chunk of one eighth of the second adds a ninth of the 9 ms,
/// and what two sums take longer than one. With bases of 96 bytes it is 39 ms, about half the time of the sum:
/// chunks double then. Pageable memory comes as quickly as the slower of two copies: to pinned
/// memory, by the threads of the current rayon pool, and from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Terms of the first chunk, 1 to `most`.
    pub first: usize,
    /// 2 or more: about as many terms as are copied in the time that it takes to sum up one.
    pub growth: usize,
    /// Terms of a chunk, at most.
    pub most: usize,
    /// Bytes of pageable memory that are copied to pinned memory at a time, 1 or more.
    pub piece: usize,
}

impl Chunks {
    fn check(&self) -> Result<(), Error> {
        let valid = (1..=self.most).contains(&self.first) && self.growth >= 2 && self.piece >= 1;
        if valid { Ok(()) } else { Err(Error::Chunks(*self)) }
    }

    /// Of each chunk the terms that it has if there are so many left.
    fn sizes(self) -> impl Iterator<Item = usize> {
        let next = move |size: &usize| Some(size.saturating_mul(self.growth).min(self.most));
        iter::successors(Some(self.first), next)
    }

    /// Of so many terms, those of each chunk.
    pub(super) fn lengths(self, terms: usize) -> impl Iterator<Item = usize> {
        let mut left = terms;
        let take = move |size: usize| {
            let length = size.min(left);
            left -= length;
            length
        };
        self.sizes().map(take).take_while(|length| *length > 0)
    }

    /// Chunks of so many terms.
    fn count(self, terms: usize) -> usize {
        let (mut count, mut left) = (0, terms);
        for size in self.sizes() {
            if size == self.most || left <= size {
                return count + left.div_ceil(size);
            }
            left -= size;
            count += 1;
        }
        count
    }
}

/// From so many terms on, copies take longer than a sum more.
const GROWING: usize = 1 << 21;

/// Of `most`, the part that is the first chunk.
const FIRST: usize = 8;

/// Bytes of a piece that are copied at full speed, about.
const PIECE: usize = 1 << 24;

/// What sums are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub terms: usize,
    pub bases: Place,
    pub scalars: Place,
    /// The bases'.
    pub tables: Tables,
    /// Blocks of threads that halve segments.
    pub blocks: u32,
}

impl Shape {
    /// Chunks of at most so many terms, as is quickest as far as is known: a GPU sums about eight times
    /// slower than scalars come, and twice slower than bases come with them.
    pub(super) fn chunks(&self, most: usize) -> Chunks {
        let copied = self.bases.max(self.scalars) > Place::Device;
        let grows = copied && self.terms >= GROWING;
        Chunks {
            first: if grows { most.div_ceil(FIRST) } else { most },
            growth: if self.bases > Place::Device { 2 } else { FIRST },
            most,
            piece: PIECE,
        }
    }
}

/// How streamed sums of up to some number of terms are made.
#[derive(Clone, Debug)]
pub struct StreamedPlan<G> {
    pub(super) shape: Shape,
    chunks: Chunks,
    /// Of each chunk, the last one of all further ones, too.
    pub(super) plans: Vec<Plan<G>>,
}

impl<G: DeviceGroup> StreamedPlan<G> {
    pub(super) fn new(shape: Shape, chunks: Chunks) -> Result<Self, Error> {
        chunks.check()?;
        let mut plans = Vec::new();
        for (size, length) in chunks.sizes().zip(chunks.lengths(shape.terms)) {
            plans.push(Plan::new(
                length,
                match shape.tables.copies {
                    1 => Split::of::<G>(length, shape.blocks),
                    _ => Split::with::<G>(length, shape.tables, shape.blocks),
                },
            )?);
            if size == chunks.most {
                break;
            }
        }
        Ok(Self { shape, chunks, plans })
    }

    /// The fewest chunks that fit so many bytes, and no larger ones than those.
    pub(super) fn within(shape: Shape, budget: usize) -> Result<Self, Error> {
        let of = |most| Self::new(shape, shape.chunks(most));
        let fits = |most| of(most).ok().filter(|plan| plan.bytes() <= budget);
        let Some(mut best) = fits(1) else {
            return Err(Error::Budget { budget, least: of(1)?.bytes() });
        };
        let terms = shape.terms.max(1);
        let (mut low, mut high) = (1, terms + 1);
        while high - low > 1 {
            // All at once is likely.
            let middle = if high > terms { terms } else { low + (high - low) / 2 };
            match fits(middle) {
                Some(plan) => (low, best) = (middle, plan),
                None => high = middle,
            }
        }
        let count = best.chunks.count(shape.terms);
        let (mut below, mut balanced) = (0, low);
        while balanced - below > 1 {
            let middle = below + (balanced - below) / 2;
            match shape.chunks(middle).count(shape.terms) <= count {
                true => balanced = middle,
                false => below = middle,
            }
        }
        Ok(fits(balanced).unwrap_or(best))
    }

    /// The most terms that it is for.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.shape.terms
    }

    /// How it cuts them.
    #[must_use]
    pub fn chunks(&self) -> Chunks {
        self.chunks
    }

    /// Chunks of so many terms.
    #[must_use]
    pub fn count(&self, terms: usize) -> usize {
        self.chunks.count(terms)
    }

    /// Bytes of device memory that it takes besides operands that are there.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layout().bytes
    }

    /// Bytes of pinned host memory that it takes, but for some kilobytes of results: none if no operand
    /// is pageable.
    #[must_use]
    pub fn pinned_bytes(&self) -> usize {
        Staging::bytes(self.piece())
    }

    /// Bytes of a piece: no more than the longest copy.
    pub(super) fn piece(&self) -> usize {
        let Shape { bases, scalars, .. } = self.shape;
        let pageable = |place, size| if place == Place::Pageable { size } else { 0 };
        let size = pageable(bases, G::BYTES).max(pageable(scalars, size_of::<Fr>()));
        let longest = self.plans.iter().map(Plan::terms).max().unwrap_or(0);
        self.chunks.piece.min(longest * size)
    }

    /// The number of a chunk's plan.
    pub(super) fn plan_of(&self, chunk: usize) -> usize {
        chunk.min(self.plans.len() - 1)
    }

    pub(super) fn layout(&self) -> Layout {
        let Shape { terms, bases, scalars, .. } = self.shape;
        let mut bytes = 0;
        let mut take = |size: usize| {
            let start = bytes;
            bytes = (start + size).next_multiple_of(ALIGNMENT);
            start..start + size
        };
        // Those after the last plan's are no longer than the two that follow it.
        let lengths: Vec<_> = self.chunks.lengths(terms).take(self.plans.len() + 2).collect();
        let copied = |place, size| if place == Place::Device { 0 } else { size };
        let sets = [0, 1].map(|set| {
            let room = lengths.iter().skip(set).step_by(2).max().copied().unwrap_or(0);
            Set {
                bases: take(room * copied(bases, G::BYTES)),
                scalars: take(room * copied(scalars, size_of::<Fr>())),
            }
        });
        let work = take(self.plans.iter().map(Plan::bytes).max().unwrap_or(0));
        Layout { sets, work, bytes }
    }
}

/// The parts of the device memory, in bytes.
#[derive(Debug)]
pub(super) struct Layout {
    /// The operands of chunks, in turns.
    pub sets: [Set; 2],
    /// What is needed besides by the chunk that is summed.
    pub work: Range<usize>,
    /// Of all.
    pub bytes: usize,
}

/// The operands of a chunk.
#[derive(Debug)]
pub(super) struct Set {
    pub bases: Range<usize>,
    pub scalars: Range<usize>,
}
