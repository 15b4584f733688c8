//! What a thread can ask of the machine: the only file that knows which code generator runs.
//!
//! An operation that threads perform together (barrier, shuffle, vote) is one of LLVM's intrinsics
//! and never an `asm!` block: LLVM may copy such a block into both arms of a divergent branch, whatever
//! its options, and does not do so with a convergent intrinsic.

use core::arch::{asm, global_asm, nvptx};
use core::sync::atomic::{AtomicU32, Ordering};

use crate::launch::WARP;

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

/// The number of threads in a block.
#[inline(always)]
pub fn block_size() -> u32 {
    // SAFETY: as in `global_index`.
    unsafe { nvptx::_block_dim_x() as u32 }
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

/// Waits for all threads of the warp; what they wrote to memory before is then seen by all.
///
/// # Safety
///
/// All lanes of the warp call it together.
#[inline(always)]
pub unsafe fn warp_barrier() {
    // SAFETY: all lanes are members, and here.
    unsafe { warp_sync(u32::MAX) }
}

/// The index of this thread in its warp (one-dimensional blocks of whole warps).
#[inline(always)]
pub fn lane() -> u32 {
    thread_index() % WARP
}

unsafe extern "C" {
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn warp_sync(members: u32);
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn ballot_sync(members: u32, value: bool) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shuffle_sync(members: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shuffle_up_sync(members: u32, value: u32, distance: u32, clamp: u32) -> u32;
}

/// The lanes of the warp whose value is true, as bits.
///
/// # Safety
///
/// All lanes of the warp call it together.
#[inline(always)]
pub unsafe fn lanes_where(value: bool) -> u32 {
    // SAFETY: all lanes are members, and here.
    unsafe { ballot_sync(u32::MAX, value) }
}

/// The value that another lane gives, by its index below [`WARP`].
///
/// # Safety
///
/// All lanes of the warp call it together.
#[inline(always)]
pub unsafe fn value_of(lane: u32, value: u32) -> u32 {
    // SAFETY: all lanes are members, and here.
    unsafe { shuffle_sync(u32::MAX, value, lane, WARP - 1) }
}

/// The sum of the values of this lane and all below it, modulo 2³².
///
/// # Safety
///
/// All lanes of the warp call it together.
#[inline(always)]
pub unsafe fn sum_to_lane(value: u32) -> u32 {
    let lane = lane();
    let mut sum = value;
    let mut distance = 1;
    while distance < WARP {
        // SAFETY: as above.
        let below = unsafe { shuffle_up_sync(u32::MAX, sum, distance, 0) };
        if lane >= distance {
            sum = sum.wrapping_add(below);
        }
        distance *= 2;
    }
    sum
}

/// Adds to a word that other threads add to, and gives what it was before.
///
/// # Safety
///
/// `word` is of an aligned word in global memory that other threads access by this function alone.
#[inline(always)]
pub unsafe fn fetch_add(word: *mut u32, value: u32) -> u32 {
    // SAFETY: the caller vouches for the word.
    unsafe { AtomicU32::from_ptr(word) }.fetch_add(value, Ordering::Relaxed)
}

/// Has what is in memory at an address brought nearer, to be read soon.
///
/// # Safety
///
/// `address` is of global memory.
#[inline(always)]
pub unsafe fn prefetch<T>(address: *const T) {
    // SAFETY: the caller vouches for the address; nothing else comes of it.
    unsafe { asm!("prefetch.global.L2 [{}];", in(reg64) address, options(nostack, readonly)) };
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

/// Reads a word.
///
/// # Safety
///
/// As [`load_shared`], of four bytes.
#[inline(always)]
pub unsafe fn load_shared_word(address: u32) -> u32 {
    let word;
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "ld.shared.u32 {word}, [{address}];",
            word = out(reg32) word,
            address = in(reg32) address,
            options(readonly, nostack),
        );
    }
    word
}

/// Writes a word.
///
/// # Safety
///
/// As [`store_shared`], of four bytes.
#[inline(always)]
pub unsafe fn store_shared_word(address: u32, word: u32) {
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "st.shared.u32 [{address}], {word};",
            word = in(reg32) word,
            address = in(reg32) address,
            options(nostack),
        );
    }
}

/// Reads the lower half of a word in two bytes.
///
/// # Safety
///
/// As [`load_shared`], of two bytes.
#[inline(always)]
pub unsafe fn load_shared_half(address: u32) -> u32 {
    let half: u16;
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "ld.shared.u16 {half}, [{address}];",
            half = out(reg16) half,
            address = in(reg32) address,
            options(readonly, nostack),
        );
    }
    half.into()
}

/// Writes the lower half of a word to two bytes.
///
/// # Safety
///
/// As [`store_shared`], of two bytes.
#[inline(always)]
pub unsafe fn store_shared_half(address: u32, word: u32) {
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "st.shared.u16 [{address}], {half};",
            half = in(reg16) word as u16,
            address = in(reg32) address,
            options(nostack),
        );
    }
}

/// Adds to a word that other threads of the block add to, and gives what it was before.
///
/// # Safety
///
/// `address` is of four initialised bytes of this block's shared memory, a multiple of 4, which other
/// threads access by this function alone at the same time.
#[inline(always)]
pub unsafe fn fetch_add_shared(address: u32, value: u32) -> u32 {
    let before;
    // SAFETY: as this function's.
    unsafe {
        asm!(
            "atom.shared.add.u32 {before}, [{address}], {value};",
            before = out(reg32) before,
            address = in(reg32) address,
            value = in(reg32) value,
            options(nostack),
        );
    }
    before
}
