//! Digits become entries: counted in each bucket, then written where the bucket has its place.

use super::digits::Digits;
use super::{MONTGOMERY, NO_BUCKET, SIGN};
use crate::gpu;
use crate::words::read;

/// Calls `entry(bucket, peers, value)` for each digit of each scalar, by all lanes of a warp together:
/// [`NO_BUCKET`] where the digit is 0 or there is no scalar; the lanes with the same bucket; the
/// scalar's index and sign.
///
/// # Safety
///
/// `scalars` is to `count` < 2³¹ elements, at a multiple of 16. Blocks are of whole warps.
#[inline(always)]
unsafe fn for_digits(
    scalars: *const [u32; 8],
    (count, form): (u32, u32),
    (bits, windows): (u32, u32),
    mut entry: impl FnMut(u32, u32, u32),
) {
    let mut first = gpu::global_index() - gpu::lane();
    // The same in all lanes, as are the windows.
    while first < count {
        let index = first + gpu::lane();
        let mut digits = Digits::ZERO;
        if index < count {
            // SAFETY: below count, and the caller vouches for the array.
            let scalar = unsafe { read(scalars.add(index as usize)) };
            digits = if form == MONTGOMERY {
                Digits::of_montgomery(&scalar)
            } else {
                Digits::of_integer(&scalar)
            };
        }
        let mut window = 0;
        while window < windows {
            let digit = digits.take(bits);
            let bucket = match digit.absolute {
                0 => NO_BUCKET,
                absolute => (window << (bits - 1)) + absolute - 1,
            };
            // SAFETY: all lanes are here.
            let peers = unsafe { gpu::lanes_with(bucket) };
            entry(bucket, peers, index | if digit.negative { SIGN } else { 0 });
            window += 1;
        }
        first += gpu::grid_size();
    }
}

/// Counts the entries of each bucket: adds to `counts`.
///
/// # Safety
///
/// `scalars` is to `count` < 2³¹ elements in global memory, at a multiple of 16, whose
/// form is [`MONTGOMERY`], or else [`INTEGERS`](super::INTEGERS). `bits` is one of [`BITS`](super::digits::BITS)
/// and `windows` the windows of so many; `counts` is to their buckets. Blocks are of whole warps.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_count(
    counts: *mut u32,
    scalars: *const [u32; 8],
    count: u32,
    form: u32,
    bits: u32,
    windows: u32,
) {
    // SAFETY: the caller vouches for the scalars; digits have buckets.
    unsafe {
        for_digits(scalars, (count, form), (bits, windows), |bucket, peers, _| {
            if bucket != NO_BUCKET && peers & gpu::lanes_below() == 0 {
                gpu::fetch_add(counts.add(bucket as usize), peers.count_ones());
            }
        });
    }
}

/// Writes entries: `places` is where the next one of each bucket goes, and at the end where the next
/// bucket starts.
///
/// # Safety
///
/// As [`msm_count`], and `entries` is to `capacity` elements. Entries that have no place there are
/// left out, as can only be if the scalars are not those that were counted.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_scatter(
    entries: *mut u32,
    places: *mut u32,
    scalars: *const [u32; 8],
    count: u32,
    form: u32,
    bits: u32,
    windows: u32,
    capacity: u32,
) {
    // SAFETY: as above.
    unsafe {
        for_digits(scalars, (count, form), (bits, windows), |bucket, peers, value| {
            let below = peers & gpu::lanes_below();
            let mut place = 0;
            if bucket != NO_BUCKET && below == 0 {
                place = gpu::fetch_add(places.add(bucket as usize), peers.count_ones());
            }
            // The lowest of the peers, of which this lane is one.
            let leader = (!peers & (peers.wrapping_sub(1))).count_ones();
            let place = gpu::value_of(leader, place).wrapping_add(below.count_ones());
            if bucket != NO_BUCKET && place < capacity {
                entries.add(place as usize).write(value);
            }
        });
    }
}
