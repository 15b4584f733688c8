//! Multi-scalar multiplication Σ scalarᵢ · baseᵢ by Pippenger's method.
//!
//! Scalars are cut into W signed digits of c bits ([`digits`]). A digit d ≠ 0 of window w puts the
//! point, or its opposite, into bucket w·2^(c−1) + |d| − 1, and the sum is that of
//! 2^(c·w)·(k + 1)·S over the buckets k of all windows w, with S the sum of a bucket.
//!
//! For bases that stay the same a table may hold more copies of each, the j-th 2^(c·g·j) times the
//! base. Then a digit of window w = g·j + v puts the j-th copy into a bucket of group v: so there are g
//! groups of buckets where there were W.
//!
//! | step | kernels | work |
//! | --- | --- | --- |
//! | count | `msm_digits`, `msm_bins` | digits, and where each bin of buckets starts |
//! | sort | `msm_partition`, `msm_sort` | entries by bin, then by bucket within each bin |
//! | cut | `msm_segments`, `msm_bins`, `msm_order`, `msm_tile_sums`, `msm_starts` | buckets cut into segments, the longest first |
//! | accumulate | `accumulate`, or `accumulate_halved` | sums of segments |
//! | join | `join`, repeatedly | buckets of several segments |
//! | fold | `fold`, `fold_run`, repeatedly | for each group and bit of k the sum of the buckets whose k has it |
//!
//! The host does the rest, about 255 doublings and as many additions in a chain: for that one thread
//! of a GPU is slow.
//!
//! Sorting is bound by memory: an entry moves twice, both times by way of a block's shared memory, so
//! that it is written beside its neighbours. A counting sort in one step writes each entry, and counts
//! it, in a place of its own: five times slower for 2²⁴ scalars.
//!
//! However scalars are distributed, buckets are cut and a bucket of all entries is joined in a tree; but one
//! block sorts a bin. The order in a bucket differs from run to run, so that coordinates do, and the
//! point does not.
//!
//! Many multiples of one point, as key generation needs them, are another matter: `fixed_base` looks each
//! digit's multiple up in a table.

pub mod digits;

use crate::launch::WARP;

#[cfg(target_arch = "nvptx64")]
mod accumulate;
#[cfg(target_arch = "nvptx64")]
mod bins;
#[cfg(target_arch = "nvptx64")]
mod buckets;
#[cfg(target_arch = "nvptx64")]
mod count;
#[cfg(target_arch = "nvptx64")]
mod entries;
#[cfg(target_arch = "nvptx64")]
mod fixed_base;
#[cfg(target_arch = "nvptx64")]
mod fold;
#[cfg(target_arch = "nvptx64")]
mod halve;
#[cfg(target_arch = "nvptx64")]
mod join;
#[cfg(target_arch = "nvptx64")]
mod partition;
#[cfg(target_arch = "nvptx64")]
mod scan;
#[cfg(target_arch = "nvptx64")]
mod segments;
#[cfg(target_arch = "nvptx64")]
mod sort;
#[cfg(target_arch = "nvptx64")]
mod table;
#[cfg(target_arch = "nvptx64")]
mod words;

/// An entry's bit that says that the point is subtracted; the others are its index.
pub const SIGN: u32 = 1 << 31;

/// Stands for no bucket.
pub const NO_BUCKET: u32 = u32::MAX;

/// Digits that a thread partitions.
pub const DIGITS: u32 = 16;

/// Words of shared memory of a block that counts or sums up so many bins.
pub const fn count_words(bins: u32) -> u32 {
    bins + WARP
}

/// Words of shared memory of a block that partitions digits to so many bins.
pub const fn partition_words(threads: u32, bins: u32) -> u32 {
    2 * bins + 1 + DIGITS * threads + DIGITS * threads / 2
}

/// Words of shared memory of a block that sorts a bin of so many buckets, with room for so many entries.
pub const fn sort_words(buckets: u32, room: u32) -> u32 {
    buckets + if room > WARP { room } else { WARP }
}

/// Buckets that a thread cuts.
pub const CUT: u32 = 8;

/// Words of shared memory of a block that counts segments of up to 2^log entries.
pub const fn cut_words(log: u32) -> u32 {
    1 << log
}

/// Words of shared memory of a block that puts such segments in order.
pub const fn order_words(log: u32) -> u32 {
    2 << log
}

/// Says of scalars that they are integers.
pub const INTEGERS: u32 = 0;

/// Says of scalars that they are in Montgomery form.
pub const MONTGOMERY: u32 = 1;
