//! Sums of points by bucket: a counting sort of point numbers, then batched affine additions
//! within pieces of the sorted list that fit a core's cache.

use std::ops::Range;

use rayon::prelude::*;
use zeroize::{DefaultIsZeroes, Zeroizing};

use super::{AffinePoint, BatchAdder, CurveGroup, PointSlice};

/// Points that one task adds up at once, with their pairs well inside a core's L2 cache, yet so
/// many that a level's inversion (about 40 multiplications) is a small share.
pub(crate) const fn piece<G: CurveGroup>() -> usize {
    196_608 / G::BYTES
}

/// How many points ahead of its use a point is asked for.
const PREFETCH: usize = 12;

/// Where one point goes: bucket 0 for nowhere, else to bucket 1, 2, … with a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digit(u32);

impl DefaultIsZeroes for Digit {}

impl Digit {
    /// `bucket` below 2^31; a negative digit adds the inverse of the point.
    #[inline(always)]
    pub(crate) fn new(bucket: u32, negative: bool) -> Self {
        Self(bucket << 1 | u32::from(negative))
    }

    #[inline(always)]
    pub(crate) fn bucket(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// This digit's multiple, out of the multiples by 1, 2, ….
    #[inline(always)]
    pub(crate) fn of_multiples<G: CurveGroup>(self, multiples: &[G::Affine]) -> G::Affine {
        match self.bucket().checked_sub(1) {
            Some(index) => multiples[index].negate_if(self.0 & 1 == 1),
            None => G::Affine::default(),
        }
    }

    /// The number of a point together with this digit's sign.
    #[inline(always)]
    pub(crate) fn entry(self, index: u32) -> u32 {
        self.0 << 31 | index
    }
}

/// Entries (sign in the top bit, point number below it) in the order of their buckets.
struct Sorted {
    /// Bucket k ≥ 1 is `entries[starts[k - 1]..starts[k]]`.
    starts: Zeroizing<Vec<u32>>,
    entries: Zeroizing<Vec<u32>>,
}

impl Sorted {
    fn bucket(&self, bucket: usize) -> Range<usize> {
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }
}

/// Adds point `index(t)` (or its inverse) to the bucket of `digits[t]`; gives the sums of buckets
/// 1 to `buckets` from index 0 on. `lanes` is how many threads may sort.
pub(crate) fn bucket_sums<G: CurveGroup>(
    points: PointSlice<'_, G>,
    digits: &[Digit],
    index: impl Fn(usize) -> u32 + Sync,
    buckets: usize,
    lanes: usize,
) -> Vec<G::Affine> {
    let sorted = sort(digits, index, buckets, lanes);
    let mut sums = vec![G::Affine::default(); buckets];
    let mut rest = &mut sums[..];
    let mut tasks = Vec::new();
    let mut first = 0;
    while first < buckets {
        let end = task_end::<G>(&sorted, first);
        let (task, others) = rest.split_at_mut(end - first);
        tasks.push((first..end, task));
        rest = others;
        first = end;
    }
    tasks.into_par_iter().for_each_init(Scratch::<G>::new, |scratch, (range, sums)| {
        let entries = sorted.starts[range.start] as usize..sorted.starts[range.end] as usize;
        if entries.len() > 2 * piece::<G>() {
            sums[0] = signed_sum(points, &sorted.entries[entries]);
        } else {
            scratch.sum_buckets(points, &sorted, range, sums);
        }
    });
    sums
}

/// The end of a run of buckets that make one task: either one bucket, however full, or several
/// with no more than a piece's entries between them.
fn task_end<G: CurveGroup>(sorted: &Sorted, first: usize) -> usize {
    let buckets = sorted.starts.len() - 1;
    let mut end = first + 1;
    while end < buckets
        && end - first < 4 * piece::<G>()
        && (sorted.starts[end + 1] - sorted.starts[first]) as usize <= piece::<G>()
    {
        end += 1;
    }
    end
}

/// A counting sort, stable, in `lanes` parts: each part owns a range of buckets and so of entries.
fn sort(
    digits: &[Digit],
    index: impl Fn(usize) -> u32 + Sync,
    buckets: usize,
    lanes: usize,
) -> Sorted {
    let counts = digits
        .par_chunks(digits.len().div_ceil(lanes).max(1))
        .map(|digits| {
            let mut counts = Zeroizing::new(vec![0u32; buckets + 1]);
            for digit in digits {
                counts[digit.bucket()] += 1;
            }
            counts
        })
        .reduce_with(|mut left, right| {
            left.iter_mut().zip(right.iter()).for_each(|(left, right)| *left += right);
            left
        })
        .unwrap_or_else(|| vec![0; buckets + 1].into());

    let mut starts = counts;
    let mut total = 0;
    starts[0] = 0;
    for start in starts.iter_mut() {
        total += *start;
        *start = total;
    }
    let mut entries = Zeroizing::new(vec![0u32; total as usize]);

    let mut rest = &mut entries[..];
    let mut parts = Vec::with_capacity(lanes);
    let mut first = 0;
    for lane in 1..=lanes {
        let goal = (u64::from(total) * lane as u64 / lanes as u64) as u32;
        let end = if lane == lanes { buckets } else { starts.partition_point(|&s| s < goal) };
        let end = end.clamp(first, buckets);
        let (part, others) = rest.split_at_mut((starts[end] - starts[first]) as usize);
        parts.push((first..end, part));
        rest = others;
        first = end;
    }
    parts.into_par_iter().for_each(|(range, entries)| {
        let base = starts[range.start];
        let mut next: Vec<u32> = starts[range.clone()].iter().map(|start| start - base).collect();
        for (t, digit) in digits.iter().enumerate() {
            // Bucket 0 wraps around to a number that is in no range.
            let slot = digit.bucket().wrapping_sub(1).wrapping_sub(range.start);
            if let Some(next) = next.get_mut(slot) {
                entries[*next as usize] = digit.entry(index(t));
                *next += 1;
            }
        }
    });
    Sorted { starts, entries }
}

/// Memory for one task.
struct Scratch<G: CurveGroup> {
    adder: BatchAdder<G::Affine>,
    points: Vec<G::Affine>,
    lengths: Vec<u32>,
}

impl<G: CurveGroup> Scratch<G> {
    fn new() -> Self {
        let points = 2 * piece::<G>();
        Self {
            adder: BatchAdder::with_capacity(points),
            points: Vec::with_capacity(points),
            lengths: Vec::new(),
        }
    }

    fn gather(&mut self, points: PointSlice<'_, G>, entries: &[u32]) {
        self.points.clear();
        let index = |entry: u32| (entry & (u32::MAX >> 1)) as usize;
        for (at, &entry) in entries.iter().enumerate() {
            if let Some(&later) = entries.get(at + PREFETCH) {
                points.prefetch(index(later));
            }
            self.points.push(points.get(index(entry)).negate_if(entry >> 31 == 1));
        }
    }

    fn sum_buckets(
        &mut self,
        points: PointSlice<'_, G>,
        sorted: &Sorted,
        buckets: Range<usize>,
        sums: &mut [G::Affine],
    ) {
        let entries = sorted.bucket(buckets.start).start..sorted.bucket(buckets.end - 1).end;
        self.gather(points, &sorted.entries[entries]);
        self.lengths.clear();
        self.lengths.extend(buckets.map(|bucket| sorted.bucket(bucket).len() as u32));
        self.adder.sum_segments(&mut self.points, &mut self.lengths);
        let mut results = self.points.iter();
        for (sum, &length) in sums.iter_mut().zip(&self.lengths) {
            if length == 1 {
                *sum = *results.next().expect("one sum a bucket that is not empty");
            }
        }
    }

    /// The sum of the gathered points.
    fn total(&mut self) -> G::Affine {
        self.lengths.clear();
        self.lengths.push(self.points.len() as u32);
        self.adder.sum_segments(&mut self.points, &mut self.lengths);
        self.points.first().copied().unwrap_or_default()
    }
}

/// The sum of the points named by `entries` (sign in the top bit, number below it).
pub(crate) fn signed_sum<G: CurveGroup>(points: PointSlice<'_, G>, entries: &[u32]) -> G::Affine {
    let pieces = entries
        .par_chunks(piece::<G>())
        .map_init(Scratch::<G>::new, |scratch, entries| {
            scratch.gather(points, entries);
            scratch.total()
        })
        .collect();
    sum::<G>(pieces)
}

/// The sum of `points`.
pub(crate) fn sum<G: CurveGroup>(mut points: Vec<G::Affine>) -> G::Affine {
    while points.len() > 1 {
        points = points
            .par_chunks(piece::<G>())
            .map_init(Scratch::<G>::new, |scratch, points| {
                scratch.points.clear();
                scratch.points.extend_from_slice(points);
                scratch.total()
            })
            .collect();
    }
    points.first().copied().unwrap_or_default()
}
