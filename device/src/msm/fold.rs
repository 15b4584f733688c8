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
use crate::curve::team::TeamXyzz;
use crate::field::{Field, Fp, Fp2};
use crate::gpu;
use crate::launch::{G1_THREADS, G2_THREADS, TEAM};
#[cfg(doc)]
use crate::launch::{SUM_SLOTS, TEAM_SLOTS};
use crate::slots::Slots;
use crate::words::{read, write};

/// The place of the i-th sum in a run: 0, then 2^(i − 1).
#[inline(always)]
fn place(i: u32) -> u32 {
    (1 << i) >> 1
}

/// A level of a block's run of 2^end sums.
///
/// # Safety
///
/// As of the kernels; all threads of the block call it together.
#[inline(always)]
unsafe fn fold_level<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    sums: *mut Xyzz<F>,
    level: u32,
    end: u32,
) {
    let sum = TeamXyzz::new(slots);
    // Binary logarithm of the number of runs that are left.
    let runs = end - 1 - level;
    let count = (level + 1) << runs;
    // Of the warp's first team: a warp stays together.
    let mut first = (gpu::thread_index() - gpu::lane()) / TEAM;
    while first < count {
        let team = first + gpu::lane() / TEAM;
        let run = team & ((1 << runs) - 1);
        let at = (run << (level + 1)) + place(team >> runs);
        // SAFETY: below `count` it is in the block's run.
        unsafe {
            let to = sums.wrapping_add(at as usize);
            sum.add_to(to, to.wrapping_add(1 << level), team < count);
        }
        first += gpu::block_size() / TEAM;
    }
}

/// Puts the sums that are left of a block's run side by side.
///
/// # Safety
///
/// As of the kernels, after a barrier.
#[inline(always)]
unsafe fn collect<F: Field>(results: *mut Xyzz<F>, sums: *mut Xyzz<F>, count: u32) {
    let mut i = gpu::thread_index();
    while i < TEAM * count {
        let from = TEAM * place(i / TEAM) + i % TEAM;
        // SAFETY: below `count`, and a point is its coordinates.
        unsafe {
            write(results.cast::<F>().add(i as usize), &read(sums.cast::<F>().add(from as usize)))
        };
        i += gpu::block_size();
    }
}

/// Defines kernels `fold(…)` and `fold_run(…)`, of so many threads a block.
macro_rules! fold {
    ($($fold:ident, $run:ident($field:ty, $threads:expr);)*) => {
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

            /// The levels from `level` up to `end`: a block has a run of 2^end sums, and a team of
            /// lanes adds two of them. If that is all of a window, of digits of so many bits, the sums
            /// that are left go to `results`, those of a window side by side.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`TEAM_SLOTS`], in blocks of just so many threads. The pointers are to
            /// global memory, at multiples of 16: `sums` to a run for each block, and `results` to
            /// `bits` elements for each window.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $run(
                results: *mut Xyzz<$field>,
                sums: *mut Xyzz<$field>,
                level: u32,
                end: u32,
                bits: u32,
            ) {
                let block = gpu::block_index().0;
                // SAFETY: the caller vouches for the launch and the arrays. At a level, a team has its
                // own two sums, and a barrier is between levels.
                unsafe {
                    let slots = Slots::<$field, { $threads }>::new();
                    let sums = sums.add((block << end) as usize);
                    let mut level = level;
                    while level < end {
                        fold_level(slots, sums, level, end);
                        gpu::barrier();
                        level += 1;
                    }
                    if end + 1 == bits {
                        collect(results.add((block * bits) as usize), sums, bits);
                    }
                }
            }
        )*
    };
}

fold! {
    g1_msm_fold, g1_msm_fold_run(Fp, G1_THREADS);
    g2_msm_fold, g2_msm_fold_run(Fp2, G2_THREADS);
}
