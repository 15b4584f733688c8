//! Sums of long segments or many, of which a thread takes some at a time.
//!
//! First it halves them, once or more: adds neighbouring points, which gives affine ones, with one
//! inversion for the pairs of all its segments. That is 6M + 1S a pair, and a share of the inversion
//! by Montgomery's trick. What is left it adds up one by one, 8M + 2S each.

use super::entries::Entries;
use super::segments::{Segment, Segments};
use crate::curve::batch::Pairs;
use crate::curve::shared::SharedXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::{Field, Fp};
use crate::gpu;
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{BATCH_SLOTS, G1_THREADS, SUM_SLOTS, WARP};
use crate::slots::Slots;
use crate::words::{read, write};

// A thread has the same slots for pairs and for a sum, one after the other.
const _: () = assert!(BATCH_SLOTS == SUM_SLOTS);

/// The segments that a thread has at a time, and its memory for them.
struct Work<F> {
    entries: Entries<F>,
    /// How many segments.
    group: u32,
    /// The logarithm of the longest one's length.
    log: u32,
    /// Threads of the grid: what follows has an element for each in turn.
    stride: u32,
    /// The segments.
    runs: *mut Segment,
    /// For half of all entries, what is left of them.
    points: *mut Affine<F>,
    /// For half of all entries, the product of denominators before a pair.
    before: *mut F,
}

impl<F: Field> Work<F> {
    #[inline(always)]
    fn place(&self, index: u32) -> usize {
        index as usize * self.stride as usize + gpu::global_index() as usize
    }

    /// Where a segment's entries start, and how many points are left of them after so many halvings.
    #[inline(always)]
    unsafe fn run(&self, segment: u32, level: u32) -> (u32, u32) {
        // SAFETY: below `group`.
        let Segment { first, length, .. } = unsafe { read(self.runs.add(self.place(segment))) };
        (first, (length + (1 << level) - 1) >> level)
    }

    /// The place of a point that is left of a segment.
    #[inline(always)]
    fn left(&self, segment: u32, i: u32) -> *mut Affine<F> {
        self.points.wrapping_add(self.place((segment << (self.log - 1)) + i))
    }

    /// The i-th point of a segment after so many halvings, with its sign.
    #[inline(always)]
    unsafe fn signed(&self, segment: u32, first: u32, level: u32, i: u32) -> (Affine<F>, bool) {
        // SAFETY: the caller knows that there are so many.
        unsafe {
            if level == 0 {
                self.entries.get(first + i)
            } else {
                (read(self.left(segment, i)), false)
            }
        }
    }

    /// [`signed`](Self::signed) with the sign taken.
    #[inline(always)]
    unsafe fn point(&self, segment: u32, first: u32, level: u32, i: u32) -> Affine<F> {
        // SAFETY: as above.
        let (mut point, negative) = unsafe { self.signed(segment, first, level, i) };
        if negative {
            point.y = -point.y;
        }
        point
    }

    /// A pair of neighbouring points.
    #[inline(always)]
    unsafe fn pair(&self, segment: u32, first: u32, level: u32, i: u32) -> (Affine<F>, Affine<F>) {
        // SAFETY: as above.
        unsafe {
            (self.point(segment, first, level, 2 * i), self.point(segment, first, level, 2 * i + 1))
        }
    }

    /// The abscissas of a pair.
    #[inline(always)]
    unsafe fn x(&self, segment: u32, first: u32, level: u32, i: u32) -> (F, F) {
        // SAFETY: as above.
        unsafe {
            if level == 0 {
                (self.entries.x(first + 2 * i), self.entries.x(first + 2 * i + 1))
            } else {
                let x = |i| read(&raw const (*self.left(segment, i)).x);
                (x(2 * i), x(2 * i + 1))
            }
        }
    }

    /// Adds neighbouring points of each segment, after so many halvings before.
    #[inline(always)]
    unsafe fn halve<const THREADS: u32>(&self, slots: Slots<F, THREADS>, level: u32) {
        let pairs = Pairs::new(slots);
        let mut count = 0;
        let mut segment = self.group;
        while segment > 0 {
            segment -= 1;
            // SAFETY: all are below the run's length.
            unsafe {
                let (first, length) = self.run(segment, level);
                let mut i = length / 2;
                while i > 0 {
                    i -= 1;
                    pairs.set(self.x(segment, first, level, i));
                    if level == 0 && i > 0 {
                        self.entries.expect(first + 2 * i - 2);
                        self.entries.expect(first + 2 * i - 1);
                    }
                    let before = pairs.take(|| self.pair(segment, first, level, i));
                    write(self.before.add(self.place(count)), &before);
                    count += 1;
                }
            }
        }
        let pairs = Pairs::inverted(slots, &pairs.product().invert());
        while segment < self.group {
            // SAFETY: as above. What is written was read, or is not read any more.
            unsafe {
                let (first, length) = self.run(segment, level);
                let mut i = 0;
                while i < length / 2 {
                    count -= 1;
                    let before = read(self.before.add(self.place(count)));
                    let pair = || self.pair(segment, first, level, i);
                    write(self.left(segment, i), &pairs.add(pair, &before));
                    i += 1;
                }
                if length % 2 == 1 {
                    let last = self.point(segment, first, level, length - 1);
                    write(self.left(segment, i), &last);
                }
            }
            segment += 1;
        }
    }

    /// The sum of the points that are left of a segment.
    #[inline(always)]
    unsafe fn sum<const THREADS: u32>(
        &self,
        slots: Slots<F, THREADS>,
        segment: u32,
        level: u32,
    ) -> Xyzz<F> {
        let mut sum = SharedXyzz::new(slots, &Xyzz::INFINITY);
        // SAFETY: all are below the run's length.
        unsafe {
            let (first, length) = self.run(segment, level);
            let mut i = 0;
            while i < length {
                let (point, negative) = self.signed(segment, first, level, i);
                sum.add_signed(&point, negative);
                i += 1;
            }
        }
        sum.get()
    }
}

/// Defines kernels `name(…)`, of so many threads a block.
macro_rules! accumulate_halved {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Sums up the entries of each segment: of a full one to its element of `parts`, of a
            /// bucket's rest to the bucket's sum. Warps take `group` segments for each lane at a
            /// time, and halve them `halvings` times first.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`], in blocks of just so many threads. The pointers are to
            /// global memory: `sums` and `order` to `buckets` elements, `starts` and `firsts` to
            /// `buckets + 1`, `rests` to 2^log, `parts` and `part_buckets` to as many as there are
            /// full segments, `entries` to as many as there are, `points` to all that they are of, and
            /// `taken` to a word that is 0. For each thread of the grid, `runs` is to `group` elements,
            /// and `left` and `before` to group·2^(log − 1). Those to more than words are multiples of
            /// 16. `buckets` and `group` are not 0, and `log` is from 1 to 31.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                parts: *mut Xyzz<$field>,
                part_buckets: *mut u32,
                starts: *const u32,
                firsts: *const u32,
                order: *const u32,
                rests: *const u32,
                buckets: u32,
                log: u32,
                entries: *const u32,
                points: *const Affine<$field>,
                taken: *mut u32,
                runs: *mut [u32; 4],
                left: *mut Affine<$field>,
                before: *mut $field,
                group: u32,
                halvings: u32,
            ) {
                // SAFETY: the caller vouches for the arrays and the launch.
                unsafe {
                    let segments =
                        Segments::new((starts, firsts), (order, rests), (buckets, log));
                    let slots = Slots::<$field, { $threads }>::new();
                    let entries = Entries::new(entries, points);
                    let stride = gpu::grid_size();
                    let runs = runs.cast();
                    let work = Work { entries, group, log, stride, runs, points: left, before };
                    loop {
                        let first = segments.take(taken, group);
                        // The same for all lanes.
                        if first - gpu::lane() >= segments.count() {
                            return;
                        }
                        let mut i = 0;
                        while i < group {
                            let index = first + i * WARP;
                            let segment = segments.get(index);
                            if index < segments.full() {
                                part_buckets.add(index as usize).write(segment.bucket);
                            }
                            write(work.runs.add(work.place(i)), &segment);
                            i += 1;
                        }
                        let mut level = 0;
                        while level < halvings {
                            work.halve(slots, level);
                            level += 1;
                        }
                        let mut i = 0;
                        while i < group {
                            let sum = work.sum(slots, i, level);
                            let index = first + i * WARP;
                            if index < segments.full() {
                                write(parts.add(index as usize), &sum);
                            } else if index < segments.count() {
                                let Segment { bucket, .. } = read(work.runs.add(work.place(i)));
                                write(sums.add(bucket as usize), &sum);
                            }
                            i += 1;
                        }
                    }
                }
            }
        )*
    };
}

accumulate_halved! {
    g1_msm_accumulate_halved(Fp, G1_THREADS);
}
