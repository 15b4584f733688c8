//! Multi-scalar multiplication Σ scalarᵢ · baseᵢ by Pippenger's method.
//!
//! Scalars are cut into W signed digits of c bits ([`digits`]). A digit d ≠ 0 of window w puts the
//! point, or its opposite, into bucket w·2^(c−1) + |d| − 1, and the sum is that of
//! 2^(c·w)·(k + 1)·S over the buckets k of all windows w, with S the sum of a bucket.
//!
//! | step | kernels | work |
//! | --- | --- | --- |
//! | count | `msm_count` | entries of each bucket |
//! | sort | `msm_tile_sums`, `msm_tile_starts`, `msm_starts`, `msm_scatter` | where each bucket starts; entries by bucket |
//! | accumulate | `accumulate` | each thread takes as many consecutive entries, whatever their buckets |
//! | join | `join`, repeatedly | buckets that were cut by threads |
//! | fold | `fold`, `fold_run`, repeatedly | for each window and bit of k the sum of the buckets whose k has it |
//!
//! The host does the rest, about 255 doublings and as many additions in a chain: for that one thread
//! of a GPU is slow.
//!
//! No step's time depends on how scalars are distributed: buckets are cut, counters of a bucket are added to
//! once a warp, and a bucket of all entries is joined in a tree. The order in a bucket differs from
//! run to run, so that coordinates do, and the point does not.

pub mod digits;

#[cfg(target_arch = "nvptx64")]
mod accumulate;
#[cfg(target_arch = "nvptx64")]
mod buckets;
#[cfg(target_arch = "nvptx64")]
mod count;
#[cfg(target_arch = "nvptx64")]
mod fold;
#[cfg(target_arch = "nvptx64")]
mod join;
#[cfg(target_arch = "nvptx64")]
mod scan;

/// An entry's bit that says that the point is subtracted; the others are its index.
pub const SIGN: u32 = 1 << 31;

/// Stands for no bucket.
pub const NO_BUCKET: u32 = u32::MAX;

/// Counters that one warp of the scan takes.
pub const TILE: u32 = 1024;

/// Says of scalars that they are integers.
pub const INTEGERS: u32 = 0;

/// Says of scalars that they are in Montgomery form.
pub const MONTGOMERY: u32 = 1;
