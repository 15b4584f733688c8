//! Buckets cut into segments, and these in the order of their lengths.
//!
//! A thread sums up one segment, so that its loop has one sum and one end. Of a bucket's entries the
//! first 2^log are a segment, and so on; those that are left at the end are its rest, which may be
//! none. The threads of a warp take segments of the same length, but for few: first come the full
//! ones, then the rests from the longest down, which also is the order that fills a device best.

use super::buckets::Buckets;
use super::words::{SharedWords, for_all};
use super::{CUT, NO_BUCKET};
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
    const NONE: Self = Self { full: 0, rest: 0 };

    /// The counter of rests as long as this one, which is not none: those of longer ones come before
    /// it, and behind all of them is one that stays 0.
    #[inline(always)]
    fn counter(self, log: u32) -> u32 {
        (1 << log) - 1 - self.rest
    }
}

/// Calls `each(bucket, cut)` for the buckets of this block below `end`, each by one thread; those from
/// `buckets` on have no entries.
///
/// # Safety
///
/// `starts` is to `buckets + 1` elements in global memory, which nobody writes, and `buckets` is not 0.
#[inline(always)]
unsafe fn for_buckets(
    starts: *const u32,
    (buckets, end): (u32, u32),
    log: u32,
    mut each: impl FnMut(u32, Cut),
) {
    let room = CUT * gpu::block_size();
    let first = gpu::block_index().0 * room;
    // SAFETY: the caller vouches for them.
    let starts = unsafe { Buckets::new(starts, buckets) };
    let cut = |i| {
        let bucket = first + i;
        if bucket >= buckets {
            return Cut::NONE;
        }
        let entries = starts.length(bucket);
        Cut { full: entries >> log, rest: entries & ((1 << log) - 1) }
    };
    for_all::<_, 4>(room.min(end.saturating_sub(first)), cut, |i, cut| each(first + i, cut));
}

/// Calls `each(bucket, cut)` as [`for_buckets`] and counts their rests in `own`, by length. Adds these
/// numbers to `counters`, and calls `counted(i, before)` with what each that grew was before.
///
/// # Safety
///
/// As [`for_buckets`]. `own` are 2^log words, and `counters` is to as many elements. All threads of the block
/// call it together.
#[inline(always)]
unsafe fn count_rests(
    own: SharedWords,
    counters: *mut u32,
    starts: *const u32,
    (buckets, end): (u32, u32),
    log: u32,
    mut each: impl FnMut(u32, Cut),
    mut counted: impl FnMut(u32, u32),
) {
    own.for_each(|i| own.set(i, 0));
    gpu::barrier();
    let count = |bucket, cut: Cut| {
        each(bucket, cut);
        if cut.rest != 0 {
            own.add(cut.counter(log), 1);
        }
    };
    // SAFETY: the caller vouches for them.
    unsafe { for_buckets(starts, (buckets, end), log, count) };
    gpu::barrier();
    own.for_each(|i| {
        let rests = own.get(i);
        if rests != 0 {
            // SAFETY: as above.
            counted(i, unsafe { gpu::fetch_add(counters.add(i as usize), rests) });
        }
    });
}

/// Cuts buckets: gives the number of each one's full segments, and adds those of rests, by length, to
/// `counters`.
///
/// # Safety
///
/// `full` is to `room` elements, more than `buckets`, of which those in excess become 0, `counters` to
/// 2^log, `starts` to `buckets + 1`, all in global memory. There is a thread for each [`CUT`] of `room`, and
/// blocks have the shared memory of [`cut_words`](super::cut_words). `buckets` is not 0, and `log` is
/// below 32.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_segments(
    full: *mut u32,
    counters: *mut u32,
    starts: *const u32,
    buckets: u32,
    log: u32,
    room: u32,
) {
    // SAFETY: the caller vouches for the launch and the arrays.
    unsafe {
        let own = SharedWords::first(1 << log);
        let write = |bucket, cut: Cut| full.add(bucket as usize).write(cut.full);
        count_rests(own, counters, starts, (buckets, room), log, write, |_, _| ());
    }
}

/// Lists the buckets that have rests, those of the longest first.
///
/// # Safety
///
/// As [`msm_segments`], but for the shared memory, that of [`order_words`](super::order_words), and the
/// threads, one for each [`CUT`] buckets. `order` is to `buckets` elements, and each counter has the
/// number of rests that are longer than its own.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_order(
    order: *mut u32,
    counters: *mut u32,
    starts: *const u32,
    buckets: u32,
    log: u32,
) {
    // SAFETY: the caller vouches for the launch and the arrays; there are no more rests than buckets.
    unsafe {
        // The block's rests of each length, and where they go.
        let own = SharedWords::first(1 << log);
        let places = own.after(1 << log);
        let all = (buckets, buckets);
        let place = |i, before| places.set(i, before);
        count_rests(own, counters, starts, all, log, |_, _| (), place);
        gpu::barrier();
        for_buckets(starts, all, log, |bucket, cut| {
            if cut.rest != 0 {
                let place = places.add(cut.counter(log), 1);
                order.add(place as usize).write(bucket);
            }
        });
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
#[derive(Clone, Copy)]
pub struct Segments {
    /// Where the entries of each bucket start.
    starts: Buckets,
    /// Where the full segments of each bucket start.
    firsts: Buckets,
    order: *const u32,
    rests: *const u32,
    log: u32,
}

impl Segments {
    /// Segments of up to 2^log entries of so many buckets.
    ///
    /// # Safety
    ///
    /// `starts` and `firsts` are as for [`Buckets::new`], of entries and of full segments; `order` is to
    /// the buckets in the order of their rests, and `rests` to the 2^log counters of these, of which the
    /// last one is of all.
    #[inline(always)]
    pub unsafe fn new(
        (starts, firsts): (*const u32, *const u32),
        (order, rests): (*const u32, *const u32),
        (buckets, log): (u32, u32),
    ) -> Self {
        // SAFETY: the caller vouches for the arrays.
        let [starts, firsts] = [starts, firsts].map(|of| unsafe { Buckets::new(of, buckets) });
        Self { starts, firsts, order, rests, log }
    }

    /// Full segments.
    #[inline(always)]
    pub fn full(self) -> u32 {
        self.firsts.total()
    }

    /// All segments.
    #[inline(always)]
    pub fn count(self) -> u32 {
        // SAFETY: there are so many counters.
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
    pub unsafe fn take(self, taken: *mut u32, group: u32) -> u32 {
        let mut index = 0;
        if gpu::lane() == 0 {
            // SAFETY: the caller vouches for the word.
            index = unsafe { gpu::fetch_add(taken, 1) };
        }
        // SAFETY: all lanes are here.
        let index = unsafe { gpu::value_of(0, index) };
        // Behind the last, where products might wrap, there is no other.
        let step = u64::from(group * WARP);
        let first = (u64::from(index) * step).min(self.count().into()) as u32;
        first + gpu::lane()
    }

    /// A segment; one of no entries behind the last.
    #[inline(always)]
    pub fn get(self, index: u32) -> Segment {
        let full = self.full();
        let (bucket, cut);
        if index < full {
            bucket = self.firsts.of(index);
            cut = index - self.firsts.start(bucket);
        } else if index < self.count() {
            // SAFETY: there are so many rests.
            bucket = unsafe { self.order.add((index - full) as usize).read() };
            cut = self.firsts.length(bucket);
        } else {
            return Segment { first: 0, length: 0, bucket: NO_BUCKET };
        }
        let first = self.starts.start(bucket) + (cut << self.log);
        let length = (self.starts.start(bucket + 1) - first).min(1 << self.log);
        Segment { first, length, bucket }
    }
}
