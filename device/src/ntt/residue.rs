//! Residues below 2r: what butterflies compute with.
//!
//! Fr's modulus leaves one bit of eight limbs free, and a product need not be brought below r if what
//! follows does not mind.

use super::twiddle::Twiddle;
use crate::field::{Config, Fr, fr::FrConfig};
use crate::limbs::{add_corrected, montgomery, sub_corrected};

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

    /// The product.
    #[inline(always)]
    pub fn times(self, twiddle: &Twiddle) -> Self {
        Self(twiddle.times(&self.0))
    }

    /// The sum.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self(add_corrected(&self.0, &other.0, &TWICE))
    }

    /// The difference.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        Self(sub_corrected(&self.0, &other.0, &TWICE))
    }
}
