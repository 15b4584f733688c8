//! Counts become places: each counter becomes the sum of those before it.
//!
//! A warp takes a tile of counters, all lanes four side by side at a time.

use crate::gpu;
use crate::launch::WARP;
use crate::words::{read, write};

/// Counters that the lanes of a warp take at a time.
const STEP: u32 = 4 * WARP;

/// The tile of this warp.
fn tile() -> u32 {
    gpu::global_index() / WARP
}

/// Sums up each tile.
///
/// # Safety
///
/// `counts` is to `tiles` tiles of 2^log counters in global memory, at a multiple of 16, and `sums` to
/// `tiles` elements; `log` is from 7 to 31. Blocks are of whole warps, and there are as many warps as
/// tiles.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_tile_sums(
    sums: *mut u32,
    counts: *const u32,
    tiles: u32,
    log: u32,
) {
    if tile() >= tiles {
        return;
    }
    let mut sum = 0u32;
    let mut step = 0;
    while step < (1 << log) / STEP {
        let at = (tile() << log) + step * STEP + 4 * gpu::lane();
        // SAFETY: within the tile.
        let [a, b, c, d]: [u32; 4] = unsafe { read(counts.add(at as usize).cast()) };
        sum = sum.wrapping_add(a).wrapping_add(b).wrapping_add(c).wrapping_add(d);
        step += 1;
    }
    // SAFETY: a warp has one tile.
    let sum = unsafe { gpu::sum_to_lane(sum) };
    if gpu::lane() == WARP - 1 {
        // SAFETY: below `tiles`.
        unsafe { sums.add(tile() as usize).write(sum) };
    }
}

/// Each counter becomes the sum of those before it, given that before each tile.
///
/// # Safety
///
/// As [`msm_tile_sums`].
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_starts(
    counts: *mut u32,
    starts: *const u32,
    tiles: u32,
    log: u32,
) {
    if tile() >= tiles {
        return;
    }
    // SAFETY: below `tiles`.
    let mut before = unsafe { starts.add(tile() as usize).read() };
    let mut step = 0;
    while step < (1 << log) / STEP {
        let at = (tile() << log) + step * STEP + 4 * gpu::lane();
        // SAFETY: within the tile.
        let quad = unsafe { counts.add(at as usize) }.cast();
        // SAFETY: as above.
        let [a, b, c, d]: [u32; 4] = unsafe { read(quad) };
        let ab = a.wrapping_add(b);
        let abc = ab.wrapping_add(c);
        let all = abc.wrapping_add(d);
        // SAFETY: a warp has one tile.
        let sum = unsafe { gpu::sum_to_lane(all) };
        let start = before.wrapping_add(sum.wrapping_sub(all));
        let places = [0, a, ab, abc].map(|offset| start.wrapping_add(offset));
        // SAFETY: as above.
        unsafe { write(quad, &places) };
        // SAFETY: a warp has one tile.
        before = before.wrapping_add(unsafe { gpu::value_of(WARP - 1, sum) });
        step += 1;
    }
}
