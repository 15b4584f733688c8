//! PartBuckets of several segments.
//!
//! A bucket's sum is that of its rest and of its full segments, the parts. Each block takes as many parts
//! in a row as it has teams of lanes and sums up those of each bucket, in a tree; only teams that are
//! needed work. What it has of a bucket's first parts goes to the bucket's sum. Others can only start at
//! the block's first part, and stay there: the first parts of all blocks are the next launch's.
//!
//! So parts that are alone, as most are, cost one addition each, and a bucket of all parts costs as many
//! additions and a few launches.

use super::NO_BUCKET;
use crate::curve::Xyzz;
use crate::curve::team::TeamXyzz;
use crate::field::{Field, Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::TEAM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS, TEAM, WARP};
use crate::slots::Slots;

/// The buckets of all parts.
#[derive(Clone, Copy)]
struct PartBuckets {
    of: *const u32,
    count: u32,
}

impl PartBuckets {
    /// # Safety
    ///
    /// There is that part.
    #[inline(always)]
    unsafe fn get(self, part: u32) -> u32 {
        // SAFETY: the caller vouches for it.
        unsafe { self.of.add(part as usize).read() }
    }

    /// Whether there is that part, and one of the same bucket so far before it.
    #[inline(always)]
    fn reach(self, part: u32, distance: u32) -> bool {
        if part >= self.count || part < distance {
            return false;
        }
        // SAFETY: below their number.
        let [bucket, before] = unsafe { [self.get(part), self.get(part - distance)] };
        bucket != NO_BUCKET && bucket == before
    }
}

/// The place of the n-th bit that is set, from the lowest, or 32.
#[inline(always)]
fn place_of(mut bits: u32, n: u32) -> u32 {
    let mut i = 0;
    while i < n {
        bits &= bits.wrapping_sub(1);
        i += 1;
    }
    bits.trailing_zeros()
}

/// Joins the parts that a block has.
///
/// # Safety
///
/// The arguments are as in the kernels; all threads of the block call it together.
#[inline(always)]
unsafe fn join<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    sums: *mut Xyzz<F>,
    parts: *mut Xyzz<F>,
    buckets: PartBuckets,
    (stride, back): (u32, u32),
) {
    let teams = const { THREADS / TEAM };
    const { assert!(THREADS / TEAM <= WARP) };
    let (lane, team) = (gpu::lane(), gpu::thread_index() / TEAM);
    let part = |i: u32| (gpu::block_index().0 * teams + i) * stride;
    let sum = TeamXyzz::new(slots);
    // Each warp looks at all parts of the block, a lane at one of them: whether it is left, and whether
    // the one before it in this launch is of the same bucket.
    let is_left = lane < teams && buckets.reach(part(lane), back);
    let is_linked = is_left && buckets.reach(part(lane), back + stride);
    // SAFETY: in a step each part is of one team, and a barrier is between steps. Of a bucket's first
    // parts, and so of its sum, there is one block.
    unsafe {
        let links = gpu::lanes_where(is_linked);
        let first = gpu::lanes_where(is_left) & !links;
        // How many of the bucket the block has before and behind the lane's.
        let before = ((links & !1) << (WARP - 1 - lane)).leading_ones();
        let behind = (links >> lane >> 1).trailing_ones();
        let mut distance = 1;
        loop {
            let is_even = is_left && before & (2 * distance - 1) == 0;
            let pairs = gpu::lanes_where(is_even && behind >= distance);
            // In the end the first parts are added to the buckets' sums: one place for both.
            let last = pairs == 0;
            let work = if last { first } else { pairs };
            if team - lane / TEAM < work.count_ones() {
                let i = place_of(work, team);
                let (mut to, mut other) = (sums, parts);
                if i < WARP {
                    other = parts.add(part(i) as usize);
                    to = if last { sums.add(buckets.get(part(i)) as usize) } else { other };
                    if !last {
                        other = other.add((distance * stride) as usize);
                    }
                }
                sum.add_to(to, other, i < WARP);
            }
            if last {
                break;
            }
            gpu::barrier();
            distance *= 2;
        }
    }
}

/// Defines kernels `name(…)`, of so many threads a block.
macro_rules! join {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Joins parts with each other and with the sums of their buckets: of `count` parts those at
            /// multiples of `stride` whose bucket has the part `back` before, too. Of them those stay
            /// that are a block's first and whose bucket has the part `stride + back` before.
            ///
            /// The first launch has stride 1 and back 0, which is all parts; each next one a stride
            /// greater by a block's teams, and back greater by the last stride: what the last one left.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`TEAM_SLOTS`], with blocks of just so many threads, a team for each
            /// multiple of `stride`. The pointers are to global memory: `sums` to an element for each
            /// bucket, `parts` and `buckets` to `count`; those to points are multiples of 16. Parts of a
            /// bucket are in a row.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                parts: *mut Xyzz<$field>,
                buckets: *const u32,
                count: u32,
                stride: u32,
                back: u32,
            ) {
                let buckets = PartBuckets { of: buckets, count };
                // SAFETY: the caller vouches for the launch and the arrays.
                unsafe {
                    let slots = Slots::<$field, { $threads }>::new();
                    join(slots, sums, parts, buckets, (stride, back));
                }
            }
        )*
    };
}

join! {
    g1_msm_join(Fp, G1_THREADS);
    g2_msm_join(Fp2, G2_THREADS);
}
