//! Buckets cut into segments, and these in the order of their lengths.
//!
//! A thread sums up one segment, so that its loop has one sum and one end. Of a bucket's entries the
//! first 2^log are a segment, and so on; those that are left at the end are its rest, which may be
//! none. The threads of a warp take segments of the same length, but for few: first come the full
//! ones, then the rests from the longest down, which also is the order that fills a device best.

use super::buckets::Buckets;
use super::{NO_BUCKET, TILE};
use crate::gpu;
use crate::launch::WARP;
use crate::words::Words;

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

/// A segment.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub struct Segment {
    /// Its first entry.
    pub first: u32,
    /// How many entries it has.
    pub length: u32,
    /// Its bucket, or [`NO_BUCKET`].
    pub bucket: u32,
}

impl Words for Segment {
    const QUADS: u32 = 1;

    #[inline(always)]
    fn from_quads(mut quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        let [first, length, bucket, _] = quad(0);
        Self { first, length, bucket }
    }

    #[inline(always)]
    fn for_quads(&self, mut quad: impl FnMut(u32, [u32; 4])) {
        quad(0, [self.first, self.length, self.bucket, 0]);
    }
}

/// All segments, the longest first.
pub struct Segments {
    /// Where the entries of each bucket start.
    pub starts: Buckets,
    /// Where the full segments of each bucket start.
    pub firsts: Buckets,
    /// Buckets in the order of their rests.
    pub order: *const u32,
    /// Counters of rests; the last one is of all.
    pub rests: *const u32,
    /// The logarithm of the length of full ones.
    pub log: u32,
    /// Room for entries.
    pub capacity: u32,
}

impl Segments {
    /// Full segments.
    #[inline(always)]
    pub fn full(&self) -> u32 {
        self.firsts.entries()
    }

    /// All segments.
    #[inline(always)]
    pub unsafe fn count(&self) -> u32 {
        // SAFETY: the caller vouches for the counters.
        self.full() + unsafe { self.rests.add((1 << self.log) - 1).read() }
    }

    /// Takes `group` segments for each lane of the warp, that other warps do not take: gives the first
    /// one, of which the next is [`WARP`] behind.
    ///
    /// # Safety
    ///
    /// `taken` is to a word in global memory, how many groups of a warp were taken. All lanes of the
    /// warp call it together.
    #[inline(always)]
    pub unsafe fn take(&self, taken: *mut u32, group: u32) -> u32 {
        let mut index = 0;
        if gpu::lane() == 0 {
            // SAFETY: the caller vouches for the word.
            index = unsafe { gpu::fetch_add(taken, 1) };
        }
        // SAFETY: all lanes are here.
        unsafe { gpu::value_of(0, index) * group * WARP + gpu::lane() }
    }

    /// A segment; one of no entries behind the last.
    #[inline(always)]
    pub unsafe fn get(&self, index: u32) -> Segment {
        let full = self.full();
        let (bucket, cut);
        // SAFETY: the caller vouches for the arrays.
        unsafe {
            if index < full {
                bucket = self.firsts.of_entry(0, index);
                cut = index - self.firsts.start(bucket);
            } else if index < self.count() {
                bucket = self.order.add((index - full) as usize).read();
                cut = self.firsts.start(bucket + 1) - self.firsts.start(bucket);
            } else {
                return Segment { first: 0, length: 0, bucket: NO_BUCKET };
            }
        }
        let first = self.starts.start(bucket) + (cut << self.log);
        // Whatever the scalars were when they were sorted, no more than a segment.
        let end = self.starts.start(bucket + 1).min(self.capacity);
        Segment { first, length: end.saturating_sub(first).min(1 << self.log), bucket }
    }
}
