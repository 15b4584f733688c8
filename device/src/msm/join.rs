//! Buckets that were cut by threads.

use core::num::NonZeroU32;

use super::buckets::Buckets;
use super::{JOIN, NO_BUCKET};
use crate::curve::Xyzz;
use crate::curve::shared::SharedXyzz;
use crate::field::{Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::{read, write};

/// The heads of a bucket, seen from one of them.
struct Heads {
    /// Which of them it is.
    index: u32,
    /// How many there are.
    count: u32,
}

impl Heads {
    /// Of the bucket of a thread's head: of the threads behind that of the bucket's first entry.
    #[inline(always)]
    fn of(buckets: Buckets, bucket: u32, thread: u32, share: NonZeroU32) -> Self {
        let starts_in = buckets.start(bucket) / share;
        let ends_in = (buckets.start(bucket + 1) - 1) / share;
        Self { index: thread - starts_in - 1, count: ends_in - starts_in }
    }

    /// Whether there is one so far behind it.
    #[inline(always)]
    fn has(&self, distance: u32) -> bool {
        self.index + distance < self.count
    }
}

/// Defines kernels `name(…)`, of so many threads a block.
macro_rules! join {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Joins the heads of each bucket, [`JOIN`] to one, and the one that is left in the end
            /// with the sum of the bucket: the heads whose index is a multiple of `distance` are
            /// what is left of them so far.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The arguments up to `least` are those of the
            /// sums of runs, and `distance` is a power of [`JOIN`], 1 at first.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                heads: *mut Xyzz<$field>,
                head_buckets: *const u32,
                starts: *const u32,
                buckets: u32,
                threads: u32,
                least: u32,
                distance: u32,
            ) {
                let thread = gpu::global_index();
                let Some(count) = NonZeroU32::new(threads) else { return };
                if thread >= threads {
                    return;
                }
                // SAFETY: the caller vouches for the arrays and the launch. What a thread writes,
                // its head or a bucket's sum, no other one reads.
                unsafe {
                    let bucket = head_buckets.add(thread as usize).read();
                    if bucket == NO_BUCKET {
                        return;
                    }
                    let buckets = Buckets::new(starts, buckets);
                    let of = Heads::of(buckets, bucket, thread, buckets.share(count, least));
                    let next = JOIN * distance;
                    if of.index & (next - 1) != 0 || (distance > 1 && distance >= of.count) {
                        return;
                    }
                    // The bucket has one head then.
                    let last = next >= of.count;
                    let head = heads.add(thread as usize);
                    let to = if last { sums.add(bucket as usize) } else { head };
                    let slots = Slots::<$field, { $threads }>::new();
                    let mut sum = SharedXyzz::new(slots, &read(head));
                    // The other heads, then the sum if this is the last step: one place where
                    // points are added.
                    let mut other = distance;
                    loop {
                        let is_head = other < next && of.has(other) && thread + other < threads;
                        if !is_head && !last {
                            break;
                        }
                        let from = if is_head { head.add(other as usize) } else { to };
                        sum.add(&read(from));
                        if !is_head {
                            break;
                        }
                        other += distance;
                    }
                    write(to, &sum.get());
                }
            }
        )*
    };
}

join! {
    g1_msm_join(Fp, G1_THREADS);
    g2_msm_join(Fp2, G2_THREADS);
}
