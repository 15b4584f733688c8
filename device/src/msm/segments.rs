//! Buckets cut into segments, and these in the order of their lengths.
//!
//! A thread sums up one segment, so that its loop has one sum and one end. Of a bucket's entries the
//! first 2^log are a segment, and so on; those that are left at the end are its rest, which may be
//! none. The threads of a warp take segments of the same length, but for few: first come the full
//! ones, then the rests from the longest down, which also is the order that fills a device best.

use super::buckets::Buckets;
use super::{NO_BUCKET, TILE};
use crate::gpu;

/// How a bucket is cut.
#[derive(Clone, Copy)]
struct Cut {
    /// Full segments.
    full: u32,
    /// The rest's length.
    rest: u32,
}

impl Cut {
    /// Of so many entries.
    #[inline(always)]
    fn of(entries: u32, log: u32) -> Self {
        Self { full: entries >> log, rest: entries & ((1 << log) - 1) }
    }

    /// The counter of rests as long as this one, or [`NO_BUCKET`] for none: those of longer ones come
    /// before it, and behind all of them is one that stays 0.
    #[inline(always)]
    fn counter(self, log: u32) -> u32 {
        if self.rest == 0 { NO_BUCKET } else { (1 << log) - 1 - self.rest }
    }
}

/// Adds one to the counter of each thread's rest, if it has one, and gives what the counter would have
/// been before if threads came one by one.
///
/// # Safety
///
/// `counters` is to 2^log elements in global memory. All lanes of the warp call it together.
#[inline(always)]
unsafe fn count(counters: *mut u32, counter: u32) -> u32 {
    // SAFETY: all lanes are here.
    let peers = unsafe { gpu::lanes_with(counter) };
    let below = peers & gpu::lanes_below();
    let mut before = 0;
    if counter != NO_BUCKET && below == 0 {
        // SAFETY: the caller vouches for the counters.
        before = unsafe { gpu::fetch_add(counters.add(counter as usize), peers.count_ones()) };
    }
    // SAFETY: all lanes are here.
    unsafe { gpu::value_of(peers.trailing_zeros(), before) }.wrapping_add(below.count_ones())
}

/// Cuts buckets: gives the number of each one's full segments, and counts rests by length.
///
/// # Safety
///
/// `full` is to whole tiles of more than `buckets` elements, `counters` to 2^log, `starts` to
/// `buckets + 1`, all in global memory. There is a thread for each element of `full`, in blocks of whole
/// warps, and `log` is below 32.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_segments(
    full: *mut u32,
    counters: *mut u32,
    starts: *const u32,
    buckets: u32,
    log: u32,
) {
    let bucket = gpu::global_index();
    let mut cut = Cut { full: 0, rest: 0 };
    // SAFETY: the caller vouches for the arrays.
    unsafe {
        if bucket < buckets {
            let starts = Buckets::new(starts, buckets);
            cut = Cut::of(starts.start(bucket + 1) - starts.start(bucket), log);
        }
        if bucket < (buckets / TILE + 1) * TILE {
            full.add(bucket as usize).write(cut.full);
        }
        count(counters, cut.counter(log));
    }
}

/// Lists the buckets that have rests, those of the longest first.
///
/// # Safety
///
/// As [`msm_segments`]; `order` is to `buckets` elements, and each counter has the number of rests that
/// are longer than its own, as the scan makes it.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_order(
    order: *mut u32,
    counters: *mut u32,
    starts: *const u32,
    buckets: u32,
    log: u32,
) {
    let bucket = gpu::global_index();
    // SAFETY: the caller vouches for the arrays; there are no more rests than buckets.
    unsafe {
        let mut counter = NO_BUCKET;
        if bucket < buckets {
            let starts = Buckets::new(starts, buckets);
            let cut = Cut::of(starts.start(bucket + 1) - starts.start(bucket), log);
            counter = cut.counter(log);
        }
        let place = count(counters, counter);
        if counter != NO_BUCKET {
            order.add(place as usize).write(bucket);
        }
    }
}
