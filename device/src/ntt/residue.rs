//! Residues below 2r: what butterflies compute with.
//!
//! Fr's modulus leaves one bit of eight limbs free, and a product need not be brought below r if what
//! follows does not mind: that saves a seventh of a butterfly's additions.

use crate::field::{Config, Fr, fr::FrConfig};
use crate::limbs::{self, montgomery};

/// A residue below 2r, in Montgomery form.
#[derive(Clone, Copy)]
pub struct Residue([u32; 8]);

/// 2r.
const TWICE: [u32; 8] = {
    let mut twice = [0; 8];
    let mut i = 0;
    while i < 8 {
        let below = if i == 0 { 0 } else { FrConfig::MODULUS[i - 1] >> 31 };
        twice[i] = FrConfig::MODULUS[i] << 1 | below;
        i += 1;
    }
    twice
};

impl Residue {
    /// Zero.
    pub const ZERO: Self = Self([0; 8]);

    /// From its limbs, which are below 2r.
    #[inline(always)]
    pub fn from_limbs(limbs: [u32; 8]) -> Self {
        Self(limbs)
    }

    /// The limbs.
    #[inline(always)]
    pub fn limbs(&self) -> &[u32; 8] {
        &self.0
    }

    /// The element.
    #[inline(always)]
    pub fn reduce(self) -> Fr {
        Fr::from_montgomery_limbs(montgomery::reduce_once(&self.0, &FrConfig::MODULUS))
    }

    /// The product with an element.
    #[inline(always)]
    pub fn times(self, factor: &Fr) -> Self {
        let modulus = montgomery::Modulus { p: &FrConfig::MODULUS, inv: FrConfig::INV };
        Self(montgomery::mul_lazy(factor.montgomery_limbs(), &self.0, modulus))
    }

    /// The sum: below 4r, and so perhaps with a carry, less 2r if that leaves it.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let (sum, carry) = limbs::add(&self.0, &other.0);
        let (less, borrow) = limbs::sub(&sum, &TWICE);
        Self(limbs::select(carry != 0 || borrow == 0, &less, &sum))
    }

    /// The difference, with 2r if it is negative.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        let (difference, borrow) = limbs::sub(&self.0, &other.0);
        let correction = limbs::select(borrow != 0, &TWICE, &[0; 8]);
        Self(limbs::add(&difference, &correction).0)
    }
}
