//! The values that operations are measured on.

use blst::{blst_fp, blst_fp2, blst_fr, blst_p1_affine, blst_p2_affine};
use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::Field as _;
use group::{Curve as _, Group as _};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

/// How many values of a kind are drawn; arrays repeat them.
pub const COUNT: usize = 1024;

/// Random values, the same each time.
pub struct Samples {
    pub fr: Vec<blst_fr>,
    pub g1: Vec<G1Affine>,
    pub g2: Vec<G2Affine>,
}

impl Samples {
    pub fn draw() -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        Self {
            fr: (0..COUNT).map(|_| Scalar::random(&mut rng).into()).collect(),
            g1: (0..COUNT).map(|_| G1Projective::random(&mut rng).to_affine()).collect(),
            g2: (0..COUNT).map(|_| G2Projective::random(&mut rng).to_affine()).collect(),
        }
    }

    /// Abscissas, which are as good as random.
    pub fn fp(&self) -> Vec<blst_fp> {
        self.g1.iter().map(|point| point.as_ref().x).collect()
    }

    pub fn fp2(&self) -> Vec<blst_fp2> {
        self.g2.iter().map(|point| point.as_ref().x).collect()
    }
}

/// A value of blst's as the 32-bit words that a kernel sees.
pub trait ToWords {
    fn to_words(&self) -> Vec<u32>;
}

fn split(limbs: &[u64]) -> Vec<u32> {
    limbs.iter().flat_map(|limb| [*limb as u32, (limb >> 32) as u32]).collect()
}

impl ToWords for blst_fr {
    fn to_words(&self) -> Vec<u32> {
        split(&self.l)
    }
}

impl ToWords for blst_fp {
    fn to_words(&self) -> Vec<u32> {
        split(&self.l)
    }
}

impl ToWords for blst_fp2 {
    fn to_words(&self) -> Vec<u32> {
        [self.fp[0].to_words(), self.fp[1].to_words()].concat()
    }
}

impl ToWords for blst_p1_affine {
    fn to_words(&self) -> Vec<u32> {
        [self.x.to_words(), self.y.to_words()].concat()
    }
}

impl ToWords for blst_p2_affine {
    fn to_words(&self) -> Vec<u32> {
        [self.x.to_words(), self.y.to_words()].concat()
    }
}

impl ToWords for G1Affine {
    fn to_words(&self) -> Vec<u32> {
        self.as_ref().to_words()
    }
}

impl ToWords for G2Affine {
    fn to_words(&self) -> Vec<u32> {
        self.as_ref().to_words()
    }
}

/// All words of some values.
pub fn words<T: ToWords>(values: &[T]) -> Vec<u32> {
    values.iter().flat_map(ToWords::to_words).collect()
}
