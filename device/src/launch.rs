//! What kernels ask of their launch.

use crate::words::Words;

/// Threads of a warp.
pub const WARP: u32 = 32;

/// Threads in a block that sums points of G1, and slots of each.
pub const G1_THREADS: u32 = 128;

/// Threads in a block that sums points of G2: a slot of G2 has twice the words.
pub const G2_THREADS: u32 = 64;

/// Slots of a thread that adds to a sum of points: its coordinates and three for what is between.
pub const SUM_SLOTS: u32 = 7;

/// Lanes that compute the sum of two points together, in one warp.
pub const TEAM: u32 = 4;

/// Slots of a lane of a team.
pub const TEAM_SLOTS: u32 = 4;

/// Slots of a thread in the first step of additions with one inversion for all. No more than it
/// needs, as shared memory is taken from the cache.
pub const DENOMINATOR_SLOTS: u32 = 4;

/// Slots of a thread in the last step of additions with one inversion for all.
pub const BATCH_SLOTS: u32 = 7;

/// Steps that a round of the kernels `mad_rate` and `add_rate` has, in each of two chains.
pub const LIMIT_STEPS: usize = 8;

/// Bytes of dynamic shared memory for a block of so many threads with so many slots each.
pub const fn bytes<F: Words>(threads: u32, slots: u32) -> u32 {
    16 * F::QUADS * threads * slots
}
