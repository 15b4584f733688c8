//! Sums of runs of entries.

use core::num::NonZeroU32;

use super::buckets::Buckets;
use super::{NO_BUCKET, SIGN};
use crate::curve::shared::SharedXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::{Field, Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::{read, write};

/// Where sums of entries go.
pub struct Sums<F> {
    /// Of the entries of a bucket that the thread of its first entry has.
    pub buckets: *mut Xyzz<F>,
    /// For each thread, of its entries of a bucket that starts before them.
    pub heads: *mut Xyzz<F>,
    /// For each thread, that bucket, or [`NO_BUCKET`].
    pub head_buckets: *mut u32,
}

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

/// Sums up the entries from `first` up to `end`, at least one, bucket by bucket.
///
/// # Safety
///
/// The pointers are as in the kernels.
#[inline(always)]
unsafe fn accumulate<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    sums: &Sums<F>,
    buckets: Buckets,
    entries: &Entries<F>,
    (first, end): (u32, u32),
) {
    let thread = gpu::global_index() as usize;
    let mut bucket = buckets.of_entry(0, first);
    let mut head = buckets.start(bucket) < first;
    // SAFETY: one for each thread.
    unsafe { sums.head_buckets.add(thread).write(if head { bucket } else { NO_BUCKET }) };
    let mut bucket_end = buckets.start(bucket + 1);
    let mut sum = SharedXyzz::new(slots, &Xyzz::INFINITY);
    let mut entry = first;
    while entry < end {
        // SAFETY: below `end`.
        let (point, negative) = unsafe { entries.get(entry) };
        sum.add_signed(&point, negative);
        entry += 1;
        if entry == bucket_end || entry == end {
            // SAFETY: one for each thread, and one for each bucket, which starts here.
            unsafe {
                let to =
                    if head { sums.heads.add(thread) } else { sums.buckets.add(bucket as usize) };
                write(to, &sum.get());
            }
            if entry < end {
                sum.clear();
                head = false;
                bucket = buckets.after(bucket, entry);
                bucket_end = buckets.start(bucket + 1);
            }
        }
    }
}

/// Defines kernels `name(…)`, of so many threads a block.
macro_rules! accumulate {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Sums up the entries: each of `threads` threads as many consecutive ones, at least `least`
            /// of them.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The pointers are to global memory: `sums` to
            /// `buckets` elements, `heads` and `head_buckets` to `threads`, `starts` to
            /// `buckets + 1`, `entries` to `capacity`, `points` to `count`; those to points are
            /// multiples of 16. `threads` is not 0, and `capacity + threads + least` fits 32 bits.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                heads: *mut Xyzz<$field>,
                head_buckets: *mut u32,
                starts: *const u32,
                buckets: u32,
                entries: *const u32,
                capacity: u32,
                points: *const Affine<$field>,
                count: u32,
                threads: u32,
                least: u32,
            ) {
                let thread = gpu::global_index();
                let Some(threads) = NonZeroU32::new(threads) else { return };
                if thread >= threads.get() {
                    return;
                }
                // SAFETY: the caller vouches for the arrays and the launch.
                unsafe {
                    let buckets = Buckets::new(starts, buckets);
                    let total = buckets.entries().min(capacity);
                    let share = buckets.share(threads, least).get();
                    let first = thread * share;
                    if first >= total {
                        head_buckets.add(thread as usize).write(NO_BUCKET);
                        return;
                    }
                    let end = (first + share).min(total);
                    let slots = Slots::<$field, { $threads }>::new();
                    let sums = Sums { buckets: sums, heads, head_buckets };
                    let entries = Entries { values: entries, points, count };
                    accumulate(slots, &sums, buckets, &entries, (first, end));
                }
            }
        )*
    };
}

accumulate! {
    g1_msm_accumulate(Fp, G1_THREADS);
    g2_msm_accumulate(Fp2, G2_THREADS);
}
