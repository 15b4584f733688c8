//! Many multiples of one point, for key generation.

use group::Group;
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::curve::{BatchAdder, CurveGroup, Digit, prefetch};

use super::{ScalarSlice, scalars::Recoded, window};

/// Scalars that one task works on: about 3000 table entries, which fit a core's L2 cache.
const PIECE: usize = 160;

/// How many entries ahead of its use a table entry is asked for.
const PREFETCH: usize = 16;

/// scalarᵢ · base for every scalar, in order; scalars of r and more count modulo r.
///
/// A table holds k · 2^(cw) · base for every window w and digit k up to 2^(c−1); a product is then
/// one table entry a window, added up in affine coordinates for many scalars at once. `base` must
/// be in the subgroup of order r. Runs on the current rayon pool.
pub fn mul_many<G: CurveGroup>(base: &G::Affine, scalars: ScalarSlice<'_>) -> Vec<G::Affine> {
    let bits = width(scalars.len());
    let table = table::<G>(base, bits);
    let windows = window::count(window::VALUE_BITS, bits) as usize;
    let mut products = vec![G::Affine::default(); scalars.len()];
    let pieces = products.par_chunks_mut(PIECE).enumerate();
    pieces.for_each_init(Scratch::<G>::default, |scratch, (piece, products)| {
        scratch.digits.clear();
        scratch.digits.reserve_exact(products.len() * windows);
        for index in piece * PIECE..piece * PIECE + products.len() {
            let scalar = Recoded::of(scalars.get(index));
            let digits = (0..windows as u32).map(|window| scalar.digit(window, bits));
            scratch.digits.extend(digits);
        }
        scratch.gather(&table);
        let mut lengths = vec![windows as u32; products.len()];
        scratch.adder.sum_segments(&mut scratch.points, &mut lengths);
        products.copy_from_slice(&scratch.points[..products.len()]);
    });
    products
}

/// Memory for one task.
struct Scratch<G: CurveGroup> {
    adder: BatchAdder<G::Affine>,
    digits: Zeroizing<Vec<Digit>>,
    points: Vec<G::Affine>,
}

impl<G: CurveGroup> Default for Scratch<G> {
    fn default() -> Self {
        Self { adder: BatchAdder::with_capacity(0), digits: Default::default(), points: Vec::new() }
    }
}

impl<G: CurveGroup> Scratch<G> {
    /// Looks the digits up, which go through the windows again and again.
    fn gather(&mut self, table: &[Vec<G::Affine>]) {
        self.points.clear();
        let mut later = self.digits.iter().zip(table.iter().cycle()).skip(PREFETCH);
        for (digit, multiples) in self.digits.iter().zip(table.iter().cycle()) {
            if let Some((digit, multiples)) = later.next() {
                prefetch(&multiples[digit.bucket().saturating_sub(1)]);
            }
            self.points.push(digit.of_multiples::<G>(multiples));
        }
    }
}

/// The width with the fewest additions: a table entry takes about three times those of a product.
fn width(scalars: usize) -> u32 {
    let cost = |bits: u32| {
        window::count(window::VALUE_BITS, bits) as usize * (scalars + (3 << (bits - 1)))
    };
    (2..=15).min_by_key(|&bits| cost(bits)).expect("the range is not empty")
}

/// For every window w the multiples of 2^(bits·w) · base by 1, 2, …, 2^(bits − 1).
pub(super) fn table<G: CurveGroup>(base: &G::Affine, bits: u32) -> Vec<Vec<G::Affine>> {
    let mut power = G::to_projective(base);
    let mut powers = Vec::new();
    for _ in 0..window::count(window::VALUE_BITS, bits) {
        powers.push(G::to_affine(&power));
        for _ in 0..bits {
            power = power.double();
        }
    }
    powers.par_iter().map(|power| multiples::<G>(power, 1 << (bits - 1))).collect()
}

/// 1, 2, …, `count` times `point`, a power of two: the multiples up to k give those up to 2k by
/// adding the k-th to each.
fn multiples<G: CurveGroup>(point: &G::Affine, count: usize) -> Vec<G::Affine> {
    let mut adder = BatchAdder::with_capacity(count);
    let mut multiples = Vec::with_capacity(count);
    multiples.push(*point);
    while multiples.len() < count {
        let last = multiples[multiples.len() - 1];
        let mut sums: Vec<_> = multiples.iter().flat_map(|&multiple| [multiple, last]).collect();
        adder.sum_segments(&mut sums, &mut vec![2; multiples.len()]);
        let have = multiples.len();
        multiples.extend_from_slice(&sums[..have]);
    }
    multiples
}
