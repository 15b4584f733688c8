//! Scalars become digits, counted bin by bin.

use core::num::NonZeroU32;

use super::bins::Bins;
use super::digits::Digits;
use super::words::SharedWords;
use super::{MONTGOMERY, NO_BUCKET, SIGN};
use crate::gpu;
use crate::launch::WARP;
use crate::words::read;

/// Writes the digits of scalars, all of a window side by side, and adds their number in each bin to
/// `counts`.
///
/// A digit is written as its absolute value less 1, which is its bucket, with [`SIGN`] if it is negative;
/// 0 as [`NO_BUCKET`].
///
/// # Safety
///
/// `scalars` is to `count` elements in global memory, at a multiple of 16, whose form is
/// [`MONTGOMERY`], or else [`INTEGERS`](super::INTEGERS). `bits` is one of
/// [`BITS`](super::digits::BITS) and `windows` the windows of so many; `digits` is to
/// `count·windows` < 2³² elements, and `counts` to as many as there are bins ([`Bins`]), for each of
/// which a block has a word of shared memory.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_digits(
    digits: *mut u32,
    counts: *mut u32,
    scalars: *const [u32; 8],
    count: u32,
    form: u32,
    windows: u32,
    groups: u32,
    bits: u32,
    low: u32,
) {
    let Some(groups) = NonZeroU32::new(groups) else { return };
    let bins = Bins { groups, bits, low };
    // SAFETY: the caller vouches for the launch.
    let counters = unsafe { SharedWords::first(bins.count()) };
    counters.for_each(|bin| counters.set(bin, 0));
    gpu::barrier();
    let mut index = gpu::global_index();
    while index < count {
        // SAFETY: below count, and the caller vouches for the array.
        let scalar = unsafe { read(scalars.add(index as usize)) };
        let mut rest = if form == MONTGOMERY {
            Digits::of_montgomery(&scalar)
        } else {
            Digits::of_integer(&scalar)
        };
        let (mut window, mut group) = (0, 0);
        while window < windows {
            let digit = rest.take(bits);
            let mut value = NO_BUCKET;
            if digit.absolute != 0 {
                value = digit.absolute - 1;
                counters.add(group * bins.of_group() + bins.bin(value), 1);
                value |= if digit.negative { SIGN } else { 0 };
            }
            // SAFETY: so many digits.
            unsafe { digits.add((window * count + index) as usize).write(value) };
            window += 1;
            group = if group + 1 < groups.get() { group + 1 } else { 0 };
        }
        index += gpu::grid_size();
    }
    gpu::barrier();
    counters.for_each(|bin| {
        let entries = counters.get(bin);
        if entries != 0 {
            // SAFETY: a counter for each bin.
            unsafe { gpu::fetch_add(counts.add(bin as usize), entries) };
        }
    });
}

/// Each counter becomes the sum of those before it: of bins, of rests, or of tiles.
///
/// # Safety
///
/// `counts` is to `count` elements in global memory. One block runs it, of whole warps, with so many
/// words of shared memory and those of [`SharedWords::sum_up`].
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_bins(counts: *mut u32, count: u32) {
    // SAFETY: the caller vouches for the launch and the array; all threads are here.
    unsafe {
        let words = SharedWords::first(count);
        words.for_each(|i| words.set(i, counts.add(i as usize).read()));
        gpu::barrier();
        words.sum_up(words.after(WARP));
        words.for_each(|i| counts.add(i as usize).write(words.get(i)));
    }
}
