//! Weighted sums of buckets.
//!
//! With S(k) the sum of bucket k of a window, Σ (k + 1)·S(k) = Σ S(k) + Σⱼ 2^j · Σ S(k), the last one
//! over all k with bit j set. All these sums come from one tree, in place. At level l each run of
//! 2^(l + 1) buckets holds two halves that have at place 0 the sum of their half and at place 2^j,
//! j < l, the sum of those with bit j set. Added place by place they are those of the run; and what
//! was at place 0 of the second half is the sum of those with bit l set, where it is.

use core::num::NonZeroU32;

use crate::curve::Xyzz;
use crate::curve::shared::SharedXyzz;
use crate::field::{Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::{read, write};

/// The place of the i-th sum in a run: 0, then 2^(i − 1).
#[inline(always)]
fn place(i: u32) -> u32 {
    (1 << i) >> 1
}

/// Defines kernels `fold(…)`, of so many threads a block, and `collect(…)`.
macro_rules! fold {
    ($($fold:ident, $collect:ident($field:ty, $threads:expr);)*) => {
        $(
            /// One level, for `runs` runs of 2^(level + 1) sums: a thread adds two of them.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. `sums` is to all runs in global memory, at a
            /// multiple of 16.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $fold(
                sums: *mut Xyzz<$field>,
                level: u32,
                runs: u32,
            ) {
                let Some(runs) = NonZeroU32::new(runs) else { return };
                let i = gpu::global_index() / runs;
                if i > level {
                    return;
                }
                let run = gpu::global_index() % runs;
                let at = (run << (level + 1)) + place(i);
                // SAFETY: the caller vouches for the launch and the array; a thread has its own two.
                unsafe {
                    let to = sums.add(at as usize);
                    let slots = Slots::<$field, { $threads }>::new();
                    let mut sum = SharedXyzz::new(slots, &read(to));
                    sum.add(&read(to.add(1 << level)));
                    write(to, &sum.get());
                }
            }

            /// Puts the `bits` sums that are left of each of `windows` runs of 2^(bits − 1) side by
            /// side: a thread moves one.
            ///
            /// # Safety
            ///
            /// `sums` is to all runs and `results` to `bits·windows` elements in global memory, at
            /// multiples of 16.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $collect(
                results: *mut Xyzz<$field>,
                sums: *const Xyzz<$field>,
                bits: u32,
                windows: u32,
            ) {
                let Some(bits) = NonZeroU32::new(bits) else { return };
                let (window, i) = (gpu::global_index() / bits, gpu::global_index() % bits);
                if window >= windows {
                    return;
                }
                let at = (window << (bits.get() - 1)) + place(i);
                // SAFETY: the caller vouches for the arrays.
                unsafe {
                    let sum = read(sums.add(at as usize));
                    write(results.add(gpu::global_index() as usize), &sum);
                }
            }
        )*
    };
}

fold! {
    g1_msm_fold, g1_msm_collect(Fp, G1_THREADS);
    g2_msm_fold, g2_msm_collect(Fp2, G2_THREADS);
}
