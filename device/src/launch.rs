//! What kernels ask of their launch.

mod kernels;

pub use kernels::of;

use crate::ntt::tile_bytes;
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

/// The most threads in a block that sorts entries.
pub const SORT_THREADS: u32 = 1024;

/// Threads in a block that cuts buckets.
pub const CUT_THREADS: u32 = 256;

/// The most threads in a block that partitions digits.
pub const PARTITION_THREADS: u32 = 1024;

/// Steps that a round of the kernels `mad_rate` and `add_rate` has, in each of two chains.
pub const LIMIT_STEPS: usize = 8;

/// Bytes of dynamic shared memory for a block of so many threads with so many slots each.
pub const fn bytes<F: Words>(threads: u32, slots: u32) -> u32 {
    16 * F::QUADS * threads * slots
}

/// What a kernel takes for a launch. Blocks have one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Threads of a block.
    pub block: Block,
    /// Dynamic shared memory of a block.
    pub shared: Shared,
    /// Blocks, in the first dimension.
    pub grid: Grid,
    /// Whether there is a second dimension: of arrays that lie one after the other.
    pub batched: bool,
}

/// Threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// As many as the registers allow.
    Any,
    /// Whole warps.
    Warps,
    /// Up to so many.
    AtMost(u32),
    /// Just so many.
    Exactly(u32),
    /// One for so many elements of a tile, a power of two.
    Tile {
        /// That a thread holds.
        held: u32,
    },
}

/// Dynamic shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// None.
    None,
    /// So many quads of words for each thread, in runs of a quad for each of `threads`.
    Quads {
        /// Of a thread.
        quads: u32,
        /// The most threads of a block.
        threads: u32,
    },
    /// A tile of a transform.
    Tile {
        /// Elements of it that a thread holds.
        held: u32,
    },
    /// So many bytes as the kernel's docs say, by its arguments.
    ByArguments,
}

/// Blocks, in the first dimension of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// Any number: each thread takes every grid's size-th element.
    Any,
    /// So many that each element has a thread, or what else the kernel's docs give it: a team of lanes, a
    /// warp, a share of a thread; those in excess do nothing.
    Covering,
    /// So many that each element has a thread, or a block where the kernel's docs say so, and none is in
    /// excess.
    Exact,
    /// One.
    One,
    /// One for each tile of a transform.
    Tiles,
}

impl Launch {
    /// Of a loop over elements in registers.
    pub const ELEMENTS: Self =
        Self { block: Block::Any, shared: Shared::None, grid: Grid::Any, batched: false };

    /// Of blocks of up to so many threads with so many slots each.
    pub const fn slots<F: Words>(threads: u32, slots: u32, grid: Grid) -> Self {
        let shared = Shared::Quads { quads: F::QUADS * slots, threads };
        Self { block: Block::AtMost(threads), shared, grid, ..Self::ELEMENTS }
    }

    /// Bytes of dynamic shared memory for a block of so many threads: no more than it uses, and none where
    /// arguments say how many.
    pub const fn shared_bytes(self, block_threads: u32) -> u32 {
        match self.shared {
            Shared::None | Shared::ByArguments => 0,
            // The last run ends with the block's last thread.
            Shared::Quads { quads, threads } => 16 * ((quads - 1) * threads + block_threads),
            Shared::Tile { held } => tile_bytes((block_threads * held).ilog2()),
        }
    }
}
