//! What a thread can ask of the machine: the only file that knows which code generator runs.
//!
//! What is not shared memory comes from LLVM's intrinsics. An operation that threads perform together
//! (barrier, shuffle, vote) must never be an `asm!` block: LLVM may copy such a block into both
//! arms of a divergent branch, whatever its options, and does not do so with a convergent
//! intrinsic.

use core::arch::{asm, global_asm, nvptx};

/// The index of this thread in the whole grid (one-dimensional launches).
#[inline(always)]
pub fn global_index() -> u32 {
    // SAFETY: these read special registers, which every thread has.
    unsafe {
        (nvptx::_block_idx_x() as u32) * (nvptx::_block_dim_x() as u32)
            + nvptx::_thread_idx_x() as u32
    }
}

/// The index of this thread in its block.
#[inline(always)]
pub fn thread_index() -> u32 {
    // SAFETY: as in `global_index`.
    unsafe { nvptx::_thread_idx_x() as u32 }
}

/// The index of this thread's block, in both dimensions of the grid.
#[inline(always)]
pub fn block_index() -> (u32, u32) {
    // SAFETY: as in `global_index`.
    unsafe { (nvptx::_block_idx_x() as u32, nvptx::_block_idx_y() as u32) }
}

/// Waits for all threads of the block; what they wrote to memory before is then seen by all.
#[inline(always)]
pub fn barrier() {
    // SAFETY: all threads come here, or the launch hangs, which is not undefined.
    unsafe { nvptx::_syncthreads() }
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

// Shared memory has no syntax in Rust: this is what the launch asks for.
global_asm!(".extern .shared .align 16 .b8 warpfield_shared[];");

/// The address of the block's dynamic shared memory, among addresses of shared memory.
#[inline(always)]
pub fn shared_base() -> u32 {
    let address;
    // SAFETY: the address of a symbol.
    unsafe {
        asm!("mov.u32 {}, warpfield_shared;", out(reg32) address, options(pure, nomem, nostack));
    }
    address
}

/// Reads a quad of words.
///
/// # Safety
///
/// `address` is of 16 initialised bytes of this block's shared memory, a multiple of 16, which no
/// other thread writes at the same time.
#[inline(always)]
pub unsafe fn load_shared(address: u32) -> [u32; 4] {
    let (a, b, c, d);
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "ld.shared.v4.u32 {{{a}, {b}, {c}, {d}}}, [{address}];",
            a = out(reg32) a,
            b = out(reg32) b,
            c = out(reg32) c,
            d = out(reg32) d,
            address = in(reg32) address,
            options(readonly, nostack),
        );
    }
    [a, b, c, d]
}

/// Writes a quad of words.
///
/// # Safety
///
/// `address` is of 16 bytes of this block's shared memory, a multiple of 16, which no other thread
/// accesses at the same time.
#[inline(always)]
pub unsafe fn store_shared(address: u32, [a, b, c, d]: [u32; 4]) {
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "st.shared.v4.u32 [{address}], {{{a}, {b}, {c}, {d}}};",
            a = in(reg32) a,
            b = in(reg32) b,
            c = in(reg32) c,
            d = in(reg32) d,
            address = in(reg32) address,
            options(nostack),
        );
    }
}
