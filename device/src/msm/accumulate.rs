//! Sums of segments.

use super::SIGN;
use super::buckets::Buckets;
use crate::curve::shared::SharedXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::{Field, Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::{read, write};

/// The entries, sorted, and what they are of.
struct Entries<F> {
    values: *const u32,
    points: *const Affine<F>,
    count: u32,
}

impl<F: Field> Entries<F> {
    /// The point of an entry, and whether it is subtracted. Of an index that is none, as can only be
    /// if the scalars changed while they were sorted, infinity.
    #[inline(always)]
    unsafe fn get(&self, entry: u32) -> (Affine<F>, bool) {
        // SAFETY: the caller has so many entries.
        let value = unsafe { self.values.add(entry as usize).read() };
        let index = value & !SIGN;
        if index >= self.count {
            return (Affine::INFINITY, false);
        }
        // SAFETY: below their number.
        (unsafe { read(self.points.add(index as usize)) }, value & SIGN != 0)
    }
}

/// Sums up the entries from `first` up to `end`.
///
/// # Safety
///
/// There are so many.
#[inline(always)]
unsafe fn accumulate<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    entries: &Entries<F>,
    (first, end): (u32, u32),
) -> Xyzz<F> {
    let mut sum = SharedXyzz::new(slots, &Xyzz::INFINITY);
    let mut entry = first;
    while entry < end {
        // SAFETY: below `end`.
        let (point, negative) = unsafe { entries.get(entry) };
        sum.add_signed(&point, negative);
        entry += 1;
    }
    sum.get()
}

/// Defines kernels `name(…)`, of so many threads a block.
macro_rules! accumulate {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Sums up the entries of each segment: of a full one to its element of `parts`, of a
            /// bucket's rest to the bucket's sum.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The pointers are to global memory: `sums` and
            /// `order` to `buckets` elements, `starts` and `firsts` to `buckets + 1`, `counters` to
            /// 2^log, `parts` and `part_buckets` to as many as there are full segments, `entries` to
            /// `capacity`, `points` to `count`; those to points are multiples of 16. There is a
            /// thread for each segment. `buckets` is not 0, and `log` below 32.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                parts: *mut Xyzz<$field>,
                part_buckets: *mut u32,
                starts: *const u32,
                firsts: *const u32,
                order: *const u32,
                counters: *const u32,
                buckets: u32,
                log: u32,
                entries: *const u32,
                capacity: u32,
                points: *const Affine<$field>,
                count: u32,
            ) {
                let segment = gpu::global_index();
                // SAFETY: the caller vouches for the arrays and the launch.
                unsafe {
                    let starts = Buckets::new(starts, buckets);
                    let firsts = Buckets::new(firsts, buckets);
                    let full = firsts.entries();
                    let (bucket, index, to);
                    if segment < full {
                        bucket = firsts.of_entry(0, segment);
                        index = segment - firsts.start(bucket);
                        part_buckets.add(segment as usize).write(bucket);
                        to = parts.add(segment as usize);
                    } else {
                        // The last counter has the number of all rests.
                        let rests = counters.add((1 << log) - 1).read();
                        if segment - full >= rests {
                            return;
                        }
                        bucket = order.add((segment - full) as usize).read();
                        index = firsts.start(bucket + 1) - firsts.start(bucket);
                        to = sums.add(bucket as usize);
                    }
                    let first = starts.start(bucket) + (index << log);
                    // Whatever the scalars were when they were sorted, no more than a segment.
                    let end = starts.start(bucket + 1).min(first + (1 << log)).min(capacity);
                    let slots = Slots::<$field, { $threads }>::new();
                    let entries = Entries { values: entries, points, count };
                    write(to, &accumulate(slots, &entries, (first, end)));
                }
            }
        )*
    };
}

accumulate! {
    g1_msm_accumulate(Fp, G1_THREADS);
    g2_msm_accumulate(Fp2, G2_THREADS);
}
