//! What the threads of a block do for a tile.

use super::residue::Residue;
use super::{WINDOW, flags, padded};
use crate::field::Fr;
use crate::gpu;
use crate::words::{Words, read, write};

/// Repeats a block for each constant: elements are in registers, which have no index.
macro_rules! each {
    ($i:ident in [$($k:literal)*] => $body:block) => {
        $({
            const $i: usize = $k;
            $body
        })*
    };
}

/// A pass over one transform; the same for all threads of the block.
#[derive(Clone, Copy)]
pub struct Pass {
    /// log₂ of the transform's size.
    pub log_size: u32,
    /// The first of its layers.
    pub first: u32,
    /// How many layers, from [`WINDOW`] up.
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

impl Pass {
    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Bits of an index below those that the pass transforms.
    fn below(&self) -> u32 {
        self.log_size - self.first - self.layers
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

    /// Where in memory an element of the tile is.
    fn index(&self, column: u32, k: u32) -> u64 {
        let row = u64::from(self.block(column)) << self.layers | u64::from(k);
        if self.below() == 0 {
            return row;
        }
        let columns = (1 << (self.below() - self.log_columns)) - 1;
        row << self.below() | u64::from((self.tile & columns) << self.log_columns | column)
    }

    /// The column and the row of the i-th element of the tile, in the order in which memory is read.
    fn position(&self, i: u32) -> (u32, u32) {
        if self.below() == 0 {
            (i >> self.layers, i & ((1 << self.layers) - 1))
        } else {
            (i & ((1 << self.log_columns) - 1), i >> self.log_columns)
        }
    }

    /// The column, the row and the place of the i-th element that is written.
    fn output(&self, i: u32) -> (u32, u32, u64) {
        if !self.has(flags::REVERSED) {
            let (column, k) = self.position(i);
            return (column, k, self.index(column, k));
        }
        let column = reversed(i & ((1 << self.log_columns) - 1), self.log_columns);
        let k = reversed(i >> self.log_columns, self.layers);
        let block = reversed(self.block(column), self.first);
        (column, k, u64::from(reversed(k, self.layers)) << self.first | u64::from(block))
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
    fn at(self, i: u32) -> u32 {
        self.base + 16 * padded_index(i)
    }

    #[inline(always)]
    fn get(self, i: u32) -> Residue {
        // SAFETY: within the tile, which the launch has room for; barriers keep threads apart.
        let quad = |quad| unsafe { gpu::load_shared(self.at(i) + quad * self.plane) };
        Residue::from_limbs(Words::from_quads(quad))
    }

    #[inline(always)]
    fn set(self, i: u32, value: &Residue) {
        value.limbs().for_quads(|quad, words| {
            // SAFETY: as in `get`.
            unsafe { gpu::store_shared(self.at(i) + quad * self.plane, words) };
        });
    }
}

fn padded_index(i: u32) -> u32 {
    i + i / 8
}

/// Does the pass's tile, as one of the threads of its block, of which there are an eighth of the
/// tile's elements.
///
/// # Safety
///
/// `input` is to `pass.available` elements, or as many as the transform has if these are fewer; `out`
/// to the transform's; `twiddles` to as many as the layers take; all at multiples of 16. `out` may be
/// `input`, but with [`flags::REVERSED`]; no other block accesses the tile's elements. The block has
/// [`tile_bytes`](super::tile_bytes) of shared memory.
#[inline(always)]
pub unsafe fn run<const TRANSPOSED: bool>(
    pass: Pass,
    out: *mut Fr,
    input: *const Fr,
    twiddles: *const Fr,
) {
    let log_tile = pass.layers + pass.log_columns;
    let tile = Tile { base: gpu::shared_base(), plane: 16 * padded(1 << log_tile) };
    let thread = gpu::thread_index();
    let threads = 1 << (log_tile - WINDOW);

    let mut j = 0;
    while j < 8 {
        let (column, k) = pass.position(j * threads + thread);
        let index = pass.index(column, k);
        let mut value = [0; 8];
        if index < pass.available {
            // SAFETY: there are so many.
            value = unsafe { read(input.add(index as usize).cast()) };
        }
        let value = Residue::from_limbs(value);
        tile.set(column << pass.layers | k, &value);
        j += 1;
    }
    gpu::barrier();

    let mut done = 0;
    while done < pass.layers {
        // Windows go over the rows' bits, from the top down or from the bottom up. The last may
        // reach over bits that are done.
        let most = pass.layers - WINDOW;
        let low = if TRANSPOSED { done.min(most) } else { most.saturating_sub(done) };
        let over = if TRANSPOSED { done - low } else { done.saturating_sub(most) };
        let rest = thread >> low;
        let (column, high) = (rest >> (most - low), rest & ((1 << (most - low)) - 1));
        let start = column << pass.layers | high << (low + WINDOW) | thread & ((1 << low) - 1);

        let mut v = [Residue::ZERO; 8];
        each!(I in [0 1 2 3 4 5 6 7] => {
            v[I] = tile.get(start + ((I as u32) << low));
        });
        let block = pass.block(column);
        // The twiddle of elements that differ in a bit of the window, by the bits above it.
        let twiddle = |bit: u32, above: u32| {
            let layer = most - low + 2 - bit;
            let entry = block << layer | high << (2 - bit) | above;
            let offset = if pass.has(flags::LAYERED) { 1 << (pass.first + layer) } else { 0 };
            // SAFETY: the layers take these.
            unsafe { read(twiddles.add((offset + entry) as usize)) }
        };
        if TRANSPOSED {
            layers_up(&mut v, over, twiddle);
        } else {
            layers_down(&mut v, over, twiddle);
        }
        each!(I in [0 1 2 3 4 5 6 7] => {
            tile.set(start + ((I as u32) << low), &v[I]);
        });
        gpu::barrier();
        done += WINDOW - over;
    }

    // Others leave residues below 2r to the next.
    let last = if TRANSPOSED { pass.first == 0 } else { pass.below() == 0 };
    let mut j = 0;
    while j < 8 {
        let (column, k, index) = pass.output(j * threads + thread);
        let residue = tile.get(column << pass.layers | k);
        let mut limbs = *residue.limbs();
        if last {
            let mut value = residue.reduce();
            if pass.has(flags::DIVIDED) {
                value = value.divide_by_power_of_two(pass.log_size);
            }
            limbs = *value.montgomery_limbs();
        }
        // SAFETY: the transform's element.
        unsafe { write(out.add(index as usize).cast(), &limbs) };
        j += 1;
    }
}

/// The layers of a window from its highest bit down, but for the first `over`.
#[inline(always)]
fn layers_down(v: &mut [Residue; 8], over: u32, twiddle: impl Fn(u32, u32) -> Fr) {
    if over < 1 {
        let w = twiddle(2, 0);
        each!(I in [0 1 2 3] => {
            split(v, I, I + 4, w);
        });
    }
    if over < 2 {
        each!(I in [0 1] => {
            let w = twiddle(1, I as u32);
            split(v, 4 * I, 4 * I + 2, w);
            split(v, 4 * I + 1, 4 * I + 3, w);
        });
    }
    each!(I in [0 1 2 3] => {
        split(v, 2 * I, 2 * I + 1, twiddle(0, I as u32));
    });
}

/// The layers of a window from its lowest bit up, transposed, but for the first `over`.
#[inline(always)]
fn layers_up(v: &mut [Residue; 8], over: u32, twiddle: impl Fn(u32, u32) -> Fr) {
    if over < 1 {
        each!(I in [0 1 2 3] => {
            join(v, 2 * I, 2 * I + 1, twiddle(0, I as u32));
        });
    }
    if over < 2 {
        each!(I in [0 1] => {
            let w = twiddle(1, I as u32);
            join(v, 4 * I, 4 * I + 2, w);
            join(v, 4 * I + 1, 4 * I + 3, w);
        });
    }
    let w = twiddle(2, 0);
    each!(I in [0 1 2 3] => {
        join(v, I, I + 4, w);
    });
}

/// (a, b) → (a + w·b, a − w·b).
#[inline(always)]
fn split(v: &mut [Residue; 8], a: usize, b: usize, w: Fr) {
    let product = v[b].times(&w);
    (v[a], v[b]) = (v[a].plus(product), v[a].minus(product));
}

/// (a, b) → (a + b, w·(a − b)).
#[inline(always)]
fn join(v: &mut [Residue; 8], a: usize, b: usize, w: Fr) {
    (v[a], v[b]) = (v[a].plus(v[b]), v[a].minus(v[b]).times(&w));
}
