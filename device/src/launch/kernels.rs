//! Which kernel takes which launch.

use super::{
    BATCH_SLOTS, Block, DENOMINATOR_SLOTS, G1_THREADS, G2_THREADS, Grid, Launch, SUM_SLOTS, Shared,
    TEAM_SLOTS,
};
use crate::field::{Fp, Fp2};

const fn g1(slots: u32, grid: Grid) -> Launch {
    Launch::slots::<Fp>(G1_THREADS, slots, grid)
}

const fn g2(slots: u32, grid: Grid) -> Launch {
    Launch::slots::<Fp2>(G2_THREADS, slots, grid)
}

/// The same, in blocks of just as many threads as there may be.
const fn full_blocks(launch: Launch) -> Launch {
    match launch.block {
        Block::AtMost(threads) => Launch { block: Block::Exactly(threads), ..launch },
        _ => launch,
    }
}

const CHAIN: Launch = Launch { grid: Grid::Exact, ..Launch::ELEMENTS };
const WARPS: Launch = Launch { block: Block::Warps, ..Launch::ELEMENTS };
const COVERING_WARPS: Launch = Launch { grid: Grid::Covering, ..WARPS };
const SHARED_WORDS: Launch = Launch { shared: Shared::ByArguments, ..WARPS };
const CUT: Launch = Launch { block: Block::Any, grid: Grid::Covering, ..SHARED_WORDS };

/// A pass of a transform, in which threads hold so many elements.
const fn pass(held: u32) -> Launch {
    let (block, shared) = (Block::Tile { held }, Shared::Tile { held });
    Launch { block, shared, grid: Grid::Tiles, batched: true }
}

/// All that are not a loop over elements in registers.
const OTHERS: &[(&str, Launch)] = &[
    ("add_rate", CHAIN),
    ("fp2_mul_rate", CHAIN),
    ("fp_add_rate", CHAIN),
    ("fp_mul_rate", CHAIN),
    ("fp_sqr_rate", CHAIN),
    ("fp_sub_rate", CHAIN),
    ("fr_add_rate", CHAIN),
    ("fr_mul_rate", CHAIN),
    ("fr_sub_rate", CHAIN),
    ("g1_add_affine_rate", g1(SUM_SLOTS, Grid::Exact)),
    ("g1_add_affine_shared", g1(SUM_SLOTS, Grid::Any)),
    ("g1_add_shared", g1(SUM_SLOTS, Grid::Any)),
    ("g1_add_team", full_blocks(g1(TEAM_SLOTS, Grid::Any))),
    ("g1_batch_denominators", g1(DENOMINATOR_SLOTS, Grid::Any)),
    ("g1_batch_sums", g1(BATCH_SLOTS, Grid::Any)),
    ("g1_msm_accumulate", g1(SUM_SLOTS, Grid::Covering)),
    ("g1_msm_accumulate_halved", full_blocks(g1(SUM_SLOTS, Grid::Any))),
    ("g1_msm_fixed_base", g1(SUM_SLOTS, Grid::Any)),
    ("g1_msm_fold", g1(SUM_SLOTS, Grid::Covering)),
    ("g1_msm_fold_run", full_blocks(g1(TEAM_SLOTS, Grid::Exact))),
    ("g1_msm_join", full_blocks(g1(TEAM_SLOTS, Grid::Covering))),
    ("g1_msm_table", g1(SUM_SLOTS, Grid::Any)),
    ("g2_add_affine_rate", g2(SUM_SLOTS, Grid::Exact)),
    ("g2_add_affine_shared", g2(SUM_SLOTS, Grid::Any)),
    ("g2_add_shared", g2(SUM_SLOTS, Grid::Any)),
    ("g2_add_team", full_blocks(g2(TEAM_SLOTS, Grid::Any))),
    ("g2_batch_denominators", g2(DENOMINATOR_SLOTS, Grid::Any)),
    ("g2_batch_sums", g2(BATCH_SLOTS, Grid::Any)),
    ("g2_msm_accumulate", g2(SUM_SLOTS, Grid::Covering)),
    ("g2_msm_fixed_base", g2(SUM_SLOTS, Grid::Any)),
    ("g2_msm_fold", g2(SUM_SLOTS, Grid::Covering)),
    ("g2_msm_fold_run", full_blocks(g2(TEAM_SLOTS, Grid::Exact))),
    ("g2_msm_join", full_blocks(g2(TEAM_SLOTS, Grid::Covering))),
    ("g2_msm_table", g2(SUM_SLOTS, Grid::Any)),
    ("groth16_cut_rows", COVERING_WARPS),
    ("mad_rate", CHAIN),
    ("msm_bins", Launch { grid: Grid::One, ..SHARED_WORDS }),
    ("msm_digits", Launch { shared: Shared::ByArguments, ..Launch::ELEMENTS }),
    ("msm_order", CUT),
    ("msm_partition", Launch { grid: Grid::Covering, batched: true, ..SHARED_WORDS }),
    ("msm_segments", CUT),
    ("msm_sort", Launch { grid: Grid::Exact, ..SHARED_WORDS }),
    ("msm_starts", COVERING_WARPS),
    ("msm_tile_sums", COVERING_WARPS),
    ("ntt_bit_reverse", Launch { batched: true, ..Launch::ELEMENTS }),
    ("ntt_pass_four", pass(4)),
    ("ntt_pass_four_transposed", pass(4)),
    ("ntt_pass_two", pass(2)),
    ("ntt_pass_two_transposed", pass(2)),
];

/// The launch of the kernel of this name.
pub const fn of(kernel: &str) -> Launch {
    let mut i = 0;
    while i < OTHERS.len() {
        if is_same(OTHERS[i].0, kernel) {
            return OTHERS[i].1;
        }
        i += 1;
    }
    Launch::ELEMENTS
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
