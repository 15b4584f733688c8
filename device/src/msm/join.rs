//! Buckets of several segments.

use super::JOIN;
use super::buckets::Buckets;
use crate::curve::Xyzz;
use crate::curve::shared::SharedXyzz;
use crate::field::{Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::{read, write};

/// The parts of a bucket, seen from one of them.
struct Parts {
    /// Which of them it is.
    index: u32,
    /// How many there are.
    count: u32,
}

impl Parts {
    /// Of the bucket of a part.
    #[inline(always)]
    fn of(firsts: Buckets, bucket: u32, part: u32) -> Self {
        let first = firsts.start(bucket);
        Self { index: part - first, count: firsts.start(bucket + 1) - first }
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
            /// Joins the parts of each bucket, [`JOIN`] to one, and the one that is left in the end
            /// with the sum of the bucket: the parts whose index is a multiple of `distance` are
            /// what is left of them so far.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The arguments up to `buckets` are those of the
            /// sums of segments, and `distance` is a power of [`JOIN`], 1 at first.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                parts: *mut Xyzz<$field>,
                part_buckets: *const u32,
                firsts: *const u32,
                buckets: u32,
                distance: u32,
            ) {
                let index = gpu::global_index();
                // SAFETY: the caller vouches for the arrays and the launch. What a thread writes,
                // its part or a bucket's sum, no other one reads.
                unsafe {
                    let firsts = Buckets::new(firsts, buckets);
                    if index >= firsts.entries() {
                        return;
                    }
                    let bucket = part_buckets.add(index as usize).read();
                    let of = Parts::of(firsts, bucket, index);
                    let next = JOIN * distance;
                    if of.index & (next - 1) != 0 || (distance > 1 && distance >= of.count) {
                        return;
                    }
                    // The bucket has one part then.
                    let last = next >= of.count;
                    let part = parts.add(index as usize);
                    let to = if last { sums.add(bucket as usize) } else { part };
                    let slots = Slots::<$field, { $threads }>::new();
                    let mut sum = SharedXyzz::new(slots, &read(part));
                    // The other parts, then the sum if this is the last step: one place where
                    // points are added.
                    let mut other = distance;
                    loop {
                        let is_part = other < next && of.has(other);
                        if !is_part && !last {
                            break;
                        }
                        let from = if is_part { part.add(other as usize) } else { to };
                        sum.add(&read(from));
                        if !is_part {
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
