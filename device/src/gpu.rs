//! What a thread can ask of the machine: the only file that knows which code generator runs.
//!
//! Everything here comes from LLVM's intrinsics. An operation that threads perform together
//! (barrier, shuffle, vote) must never be an `asm!` block: LLVM may copy such a block into both
//! arms of a divergent branch, whatever its options, and does not do so with a convergent
//! intrinsic.

use core::arch::nvptx;

/// The index of this thread in the whole grid (one-dimensional launches).
#[inline(always)]
pub fn global_index() -> u32 {
    // SAFETY: these read special registers, which every thread has.
    unsafe {
        (nvptx::_block_idx_x() as u32) * (nvptx::_block_dim_x() as u32)
            + nvptx::_thread_idx_x() as u32
    }
}

/// The number of threads in the whole grid: the stride of a grid-stride loop.
#[inline(always)]
pub fn grid_size() -> u32 {
    // SAFETY: as in `global_index`.
    unsafe { (nvptx::_grid_dim_x() as u32) * (nvptx::_block_dim_x() as u32) }
}

/// Ends the kernel with an error that the host sees at its next call.
#[inline(always)]
pub fn trap() -> ! {
    // SAFETY: a trap has no precondition.
    unsafe { nvptx::trap() }
}
