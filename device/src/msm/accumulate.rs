//! Sums of segments.

use super::entries::Entries;
use super::segments::{Segment, Segments};
use crate::curve::shared::SharedXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::{Field, Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::write;

/// Sums up some entries from `first` on.
///
/// # Safety
///
/// There are so many.
#[inline(always)]
unsafe fn sum<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    entries: Entries<F>,
    Segment { first, length, .. }: Segment,
) -> Xyzz<F> {
    let mut sum = SharedXyzz::new(slots, &Xyzz::INFINITY);
    let mut i = 0;
    while i < length {
        // SAFETY: below `length`.
        let (point, negative) = unsafe { entries.get(first + i) };
        sum.add_signed(&point, negative);
        i += 1;
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
            /// `order` to `buckets` elements, `starts` and `firsts` to `buckets + 1`, `rests` to
            /// 2^log, `parts` and `part_buckets` to as many as there are full segments, `entries` to as
            /// many as there are, and `points` to all that they are of; those to points are multiples
            /// of 16. There is a thread for each segment. `buckets` is not 0, and `log` below 32.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                parts: *mut Xyzz<$field>,
                part_buckets: *mut u32,
                starts: *const u32,
                firsts: *const u32,
                order: *const u32,
                rests: *const u32,
                buckets: u32,
                log: u32,
                entries: *const u32,
                points: *const Affine<$field>,
            ) {
                let index = gpu::global_index();
                // SAFETY: the caller vouches for the arrays and the launch.
                unsafe {
                    let segments =
                        Segments::new((starts, firsts), (order, rests), (buckets, log));
                    if index >= segments.count() {
                        return;
                    }
                    let segment = segments.get(index);
                    let slots = Slots::<$field, { $threads }>::new();
                    let sum = sum(slots, Entries::new(entries, points), segment);
                    if index < segments.full() {
                        part_buckets.add(index as usize).write(segment.bucket);
                        write(parts.add(index as usize), &sum);
                    } else {
                        write(sums.add(segment.bucket as usize), &sum);
                    }
                }
            }
        )*
    };
}

accumulate! {
    g1_msm_accumulate(Fp, G1_THREADS);
    g2_msm_accumulate(Fp2, G2_THREADS);
}
