//! Bases and scalars of which the sum is known.

use blstrs::Scalar;
use ff::Field as _;
use group::Group as _;
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore as _, SeedableRng as _};
use rayon::prelude::*;
use warpfield::curve::{CurveGroup, PointSlice, write_points};
use warpfield::msm::{ScalarSlice, mul_many};

use crate::failure::Failure;

/// The most terms that the CPU sums as well.
#[cfg(feature = "ptx")]
const CHECKED_BY_CPU: usize = 1 << 16;

/// Values that one generator draws.
const PIECE: usize = 1 << 12;

/// Random scalars, and bases that are random multiples of the generator; the same each time.
pub struct Operands<G: CurveGroup> {
    scalars: Vec<Scalar>,
    /// The bases are these multiples: of 64 bits, which are quicker to make.
    multiples: Vec<u64>,
    bases: Vec<u8>,
    group: std::marker::PhantomData<G>,
}

/// So many values, piece by piece.
fn draw<T: Send>(count: usize, seed: u64, one: fn(&mut ChaCha20Rng) -> T) -> Vec<T> {
    let pieces = (0..count.div_ceil(PIECE)).into_par_iter();
    let piece = |piece: usize| {
        let mut rng = ChaCha20Rng::seed_from_u64(seed + 2 * piece as u64);
        (0..PIECE.min(count - piece * PIECE)).map(|_| one(&mut rng)).collect::<Vec<_>>()
    };
    pieces.flat_map_iter(piece).collect()
}

impl<G: CurveGroup> Operands<G> {
    pub fn new(count: usize) -> Self {
        let scalars = draw(count, 0, |rng| Scalar::random(rng));
        let multiples = draw(count, 1, |rng| rng.next_u64());
        let encoded: Vec<_> =
            multiples.par_iter().map(|multiple| Scalar::from(*multiple).to_bytes_le()).collect();
        let generator = G::to_affine(&G::Projective::generator());
        let points = mul_many::<G>(&generator, ScalarSlice::from(&encoded[..]));
        let bases = write_points::<G>(&points);
        Self { scalars, multiples, bases, group: std::marker::PhantomData }
    }

    /// The bases, in blst's layout.
    pub fn bases(&self) -> Result<PointSlice<'_, G>, Failure> {
        PointSlice::new(&self.bases).map_err(Failure::other)
    }

    /// The scalars, as a GPU takes them.
    #[cfg(feature = "ptx")]
    pub fn montgomery(&self) -> Vec<warpfield_device::field::Fr> {
        let element = |scalar: &Scalar| {
            let limbs = blst::blst_fr::from(*scalar).l;
            let word = |i: usize| (limbs[i / 2] >> (32 * (i % 2))) as u32;
            warpfield_device::field::Fr::from_montgomery_limbs(std::array::from_fn(word))
        };
        self.scalars.par_iter().map(element).collect()
    }

    /// The first so many scalars, as the CPU takes them.
    pub fn integers(&self, terms: usize) -> Vec<[u8; 32]> {
        self.scalars[..terms].par_iter().map(Scalar::to_bytes_le).collect()
    }

    /// The sum of the first so many terms, by the multiples.
    pub fn multiple(&self, terms: usize) -> G::Projective {
        let products = self.scalars[..terms].par_iter().zip(&self.multiples[..terms]);
        let sum: Scalar = products
            .map(|(scalar, multiple)| *scalar * Scalar::from(*multiple))
            .reduce(|| Scalar::ZERO, |a, b| a + b);
        G::Projective::generator() * sum
    }

    /// The same; the CPU's is, too.
    #[cfg(feature = "ptx")]
    pub fn expected(&self, terms: usize) -> Result<G::Projective, Failure> {
        let expected = self.multiple(terms);
        if terms <= CHECKED_BY_CPU {
            let integers = self.integers(terms);
            let bases = self.bases()?.slice(0..terms);
            let found = warpfield::msm::msm(bases, ScalarSlice::from(&integers[..]))
                .map_err(Failure::other)?;
            if found != expected {
                return Err(Failure::other(format!("{terms} terms: the CPU's sum is wrong")));
            }
        }
        Ok(expected)
    }
}
