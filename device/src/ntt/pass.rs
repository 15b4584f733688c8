//! What the threads of a block do for a tile.

use super::flags;
use super::residue::Residue;
use super::twiddle::Twiddle;
use crate::field::Fr;
use crate::gpu;
use crate::limbs::unroll;
use crate::words::{Words, read, write};

/// A pass over one transform; the same for all threads of the block.
#[derive(Clone, Copy)]
pub struct Pass {
    /// log₂ of the transform's size.
    pub log_size: u32,
    /// The first of its layers.
    pub first: u32,
    /// How many layers: a multiple of those that a thread does between exchanges.
    pub layers: u32,
    /// log₂ of a tile's columns.
    pub log_columns: u32,
    /// See [`flags`].
    pub flags: u32,
    /// The tile.
    pub tile: u32,
    /// How many elements there are; those from there on are zeros.
    pub available: u64,
}

/// Elements of a tile that differ in a few bits of the row: those that a thread holds at a time.
#[derive(Clone, Copy)]
struct Window {
    /// The lowest of the bits.
    low: u32,
    /// The first element's place in the tile.
    start: u32,
    /// From each place to the next, in bits.
    log_stride: u32,
    /// The block of the pass's first layer, and the row's bits above the window.
    block: u32,
    high: u32,
}

impl Window {
    fn place(&self, i: usize) -> u32 {
        self.start + ((i as u32) << self.log_stride)
    }
}

impl Pass {
    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Bits of an index below those that the pass transforms.
    fn below(&self) -> u32 {
        self.log_size - self.first - self.layers
    }

    /// The column and the row of a place in the tile, where elements lie as in memory.
    fn position(&self, place: u32) -> (u32, u32) {
        if self.below() != 0 {
            (place & ((1 << self.log_columns) - 1), place >> self.log_columns)
        } else {
            (place >> self.layers, place & ((1 << self.layers) - 1))
        }
    }

    /// The block that a column of the tile belongs to.
    fn block(&self, column: u32) -> u32 {
        if self.below() != 0 {
            self.tile >> (self.below() - self.log_columns)
        } else if self.has(flags::REVERSED) {
            // Far apart, so that in the other order they are neighbours.
            column << (self.first - self.log_columns) | self.tile
        } else {
            self.tile << self.log_columns | column
        }
    }

    /// Where in memory the element of a place is.
    fn index(&self, place: u32) -> u64 {
        let (column, k) = self.position(place);
        let row = u64::from(self.block(column)) << self.layers | u64::from(k);
        if self.below() == 0 {
            return row;
        }
        let columns = (1 << (self.below() - self.log_columns)) - 1;
        row << self.below() | u64::from((self.tile & columns) << self.log_columns | column)
    }

    /// The place of the i-th element that is written, and where in memory it belongs.
    fn output(&self, i: u32) -> (u32, u64) {
        if !self.has(flags::REVERSED) {
            return (i, self.index(i));
        }
        let column = reversed(i & ((1 << self.log_columns) - 1), self.log_columns);
        let k = i >> self.log_columns;
        let place = column << self.layers | reversed(k, self.layers);
        let block = reversed(self.block(column), self.first);
        (place, u64::from(k) << self.first | u64::from(block))
    }

    /// The thread's window of so many bits, with which it does the layers after those done.
    #[inline(always)]
    fn window<const TRANSPOSED: bool>(&self, thread: u32, bits: u32, done: u32) -> Window {
        let low = if TRANSPOSED { done } else { self.layers - bits - done };
        let log_stride = if self.below() != 0 { low + self.log_columns } else { low };
        let above = thread >> log_stride;
        let start = above << (log_stride + bits) | thread & ((1 << log_stride) - 1);
        let block = self.block(self.position(start).0);
        let high = above & ((1 << (self.layers - bits - low)) - 1);
        Window { low, start, log_stride, block, high }
    }

    /// A twiddle of a window of so many elements: entry 2ˡ + b is of block b in its layer l.
    #[inline(always)]
    fn twiddle<const HELD: usize>(
        &self,
        window: &Window,
        entry: usize,
        twiddles: *const Twiddle,
    ) -> Twiddle {
        let log = (entry as u32).ilog2();
        let layer = self.layers - window.low - const { HELD.ilog2() } + log;
        let index = window.block << layer | window.high << log | (entry as u32 - (1 << log));
        let offset = if self.has(flags::LAYERED) { 1 << (self.first + layer) } else { 0 };
        // SAFETY: the layers take these.
        unsafe { read(twiddles.add((offset + index) as usize)) }
    }

    /// Writes an element of the transform. Before the last pass it may stay a residue below 2r.
    #[inline(always)]
    fn store<const TRANSPOSED: bool>(&self, out: *mut Fr, index: u64, residue: &Residue) {
        let mut limbs = *residue.limbs();
        if if TRANSPOSED { self.first == 0 } else { self.below() == 0 } {
            let mut value = residue.reduce();
            if self.has(flags::DIVIDED) {
                value = value.divide_by_power_of_two(self.log_size);
            }
            limbs = *value.montgomery_limbs();
        }
        // SAFETY: the transform's element.
        unsafe { write(out.add(index as usize).cast(), &limbs) };
    }
}

/// The lowest `bits` bits in reverse.
#[inline(always)]
fn reversed(value: u32, bits: u32) -> u32 {
    (u64::from(value.reverse_bits()) >> (32 - bits)) as u32
}

/// A tile in shared memory: the elements' lower quads, then the upper ones.
#[derive(Clone, Copy)]
struct Tile {
    base: u32,
    /// Bytes of a plane.
    plane: u32,
}

impl Tile {
    /// Eight quads fill the banks once. Threads whose places differ in any three neighbouring bits are to
    /// find theirs in different ones, so all digits of a place are added to the last.
    fn at(self, place: u32) -> u32 {
        self.base + 16 * (place ^ (place >> 3 ^ place >> 6 ^ place >> 9) & 7)
    }

    #[inline(always)]
    fn get(self, place: u32) -> Residue {
        // SAFETY: within the tile, which the launch has room for; barriers keep threads apart.
        let quad = |quad| unsafe { gpu::load_shared(self.at(place) + quad * self.plane) };
        Residue::from_limbs(Words::from_quads(quad))
    }

    #[inline(always)]
    fn set(self, place: u32, value: &Residue) {
        value.limbs().for_quads(|quad, words| {
            // SAFETY: as in `get`.
            unsafe { gpu::store_shared(self.at(place) + quad * self.plane, words) };
        });
    }
}

/// Does the pass's tile, as one of the threads of its block, each of which holds `HELD` of the tile's
/// elements, 2 or 4.
///
/// # Safety
///
/// `input` is to `pass.available` elements, or as many as the transform has if these are fewer; `out`
/// to the transform's; `twiddles` to as many as the layers take; all at multiples of 16. `out` may be
/// `input`, but with [`flags::REVERSED`]; no other block accesses the tile's elements. The block has
/// [`tile_bytes`](super::tile_bytes) of shared memory.
#[inline(always)]
pub unsafe fn run<const TRANSPOSED: bool, const HELD: usize>(
    pass: Pass,
    out: *mut Fr,
    input: *const Fr,
    twiddles: *const Twiddle,
) {
    let bits = const { HELD.ilog2() };
    let log_tile = pass.layers + pass.log_columns;
    let tile = Tile { base: gpu::shared_base(), plane: 16 << log_tile };
    let thread = gpu::thread_index();

    let mut done = 0;
    let mut window = pass.window::<TRANSPOSED>(thread, bits, done);
    // The one that is needed first is read early.
    let first = const { if TRANSPOSED { HELD / 2 } else { 1 } };
    let mut early = pass.twiddle::<HELD>(&window, first, twiddles);
    let mut v = [Residue::ZERO; HELD];
    unroll!(I in 0..HELD => {
        let index = pass.index(window.place(I));
        if index < pass.available {
            // SAFETY: there are so many.
            v[I] = Residue::from_limbs(unsafe { read(input.add(index as usize).cast()) });
        }
    });
    loop {
        let w = |entry| {
            if entry == first { early } else { pass.twiddle::<HELD>(&window, entry, twiddles) }
        };
        let unit = (window.block | window.high) == 0 && !pass.has(flags::LAYERED);
        unroll!(I in 0..HELD.ilog2() as usize => {
            if TRANSPOSED {
                layer_up(&mut v, I, unit, w);
            } else {
                layer_down(&mut v, HELD.ilog2() as usize - 1 - I, unit, w);
            }
        });
        done += bits;
        if done == pass.layers {
            break;
        }
        unroll!(I in 0..HELD => {
            tile.set(window.place(I), &v[I]);
        });
        window = pass.window::<TRANSPOSED>(thread, bits, done);
        early = pass.twiddle::<HELD>(&window, first, twiddles);
        gpu::barrier();
        unroll!(I in 0..HELD => {
            v[I] = tile.get(window.place(I));
        });
    }

    if TRANSPOSED || pass.below() != 0 {
        unroll!(I in 0..HELD => {
            pass.store::<TRANSPOSED>(out, pass.index(window.place(I)), &v[I]);
        });
        return;
    }
    // A thread's elements are neighbours: the tile makes neighbours of different threads'.
    unroll!(I in 0..HELD => {
        tile.set(window.place(I), &v[I]);
    });
    gpu::barrier();
    let threads = 1 << (log_tile - bits);
    let mut i = thread;
    while i < 1 << log_tile {
        let (place, index) = pass.output(i);
        pass.store::<TRANSPOSED>(out, index, &tile.get(place));
        i += threads;
    }
}

/// The pairs of a window that differ in a bit, and the twiddle of each: `(a, b, w)`.
const fn pair<const HELD: usize>(bit: usize, i: usize) -> (usize, usize, usize) {
    let above = i >> bit;
    let a = above << (bit + 1) | i & ((1 << bit) - 1);
    (a, a | 1 << bit, (HELD / 2) >> bit | above)
}

/// (a, b) → (a + w·b, a − w·b) for elements that differ in a bit of the window; with `unit`, the first w is
/// 1.
#[inline(always)]
fn layer_down<const HELD: usize>(
    v: &mut [Residue; HELD],
    bit: usize,
    unit: bool,
    w: impl Fn(usize) -> Twiddle,
) {
    unroll!(I in 0..HELD / 2 => {
        let (a, b, entry) = pair::<HELD>(bit, I);
        let product = if unit && I >> bit == 0 { v[b] } else { v[b].times(&w(entry)) };
        (v[a], v[b]) = (v[a].plus(product), v[a].minus(product));
    });
}

/// (a, b) → (a + b, w·(a − b)), likewise.
#[inline(always)]
fn layer_up<const HELD: usize>(
    v: &mut [Residue; HELD],
    bit: usize,
    unit: bool,
    w: impl Fn(usize) -> Twiddle,
) {
    unroll!(I in 0..HELD / 2 => {
        let (a, b, entry) = pair::<HELD>(bit, I);
        let difference = v[a].minus(v[b]);
        v[a] = v[a].plus(v[b]);
        v[b] = if unit && I >> bit == 0 { difference } else { difference.times(&w(entry)) };
    });
}
