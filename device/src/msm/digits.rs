//! Signed digits of scalars.

use crate::field::fr::FrConfig;
use crate::field::{Config, Fr};
use crate::limbs::{self, montgomery::reduce_once};

/// The fewest and the most bits of a digit.
pub const BITS: core::ops::RangeInclusive<u32> = 2..=24;

/// Digits of `bits` bits that a scalar has: its absolute value is below 2²⁵⁴, and the highest bit of
/// the highest digit must be 0 for it not to be negative.
pub const fn windows(bits: u32) -> u32 {
    255u32.div_ceil(bits)
}

const ORDER: [u32; 8] = FrConfig::MODULUS;

/// (r − 1)/2
const HALF: [u32; 8] = {
    let mut half = [0; 8];
    let mut i = 0;
    while i < 8 {
        let above = if i < 7 { ORDER[i + 1] } else { 0 };
        half[i] = ORDER[i] >> 1 | above << 31;
        i += 1;
    }
    half
};

/// A digit: its absolute value and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// From 0 to 2^(bits − 1).
    pub absolute: u32,
    /// Whether it counts negative. Of 0 too, perhaps.
    pub negative: bool,
}

/// A scalar modulo r of which the digits are taken, the lowest first.
///
/// It is a sign and an absolute value of at most (r − 1)/2, so that −1 has one digit that is not 0,
/// as 1 has. The digits are Booth's: no carry runs through them.
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// Twice what is left of the absolute value, and the bit below it.
    rest: [u32; 8],
    negative: bool,
}

impl Digits {
    /// Of 0.
    pub const ZERO: Self = Self { rest: [0; 8], negative: false };

    /// Of an integer, which counts modulo r.
    #[inline(always)]
    pub fn of_integer(value: &[u32; 8]) -> Self {
        // 2²⁵⁶ < 3r.
        let value = reduce_once(&reduce_once(value, &ORDER), &ORDER);
        let (_, borrow) = limbs::sub(&HALF, &value);
        let negative = borrow != 0;
        let (opposite, _) = limbs::sub(&ORDER, &value);
        let absolute = limbs::select(negative, &opposite, &value);
        // No carry: below 2²⁵⁴.
        let (rest, _) = limbs::add(&absolute, &absolute);
        Self { rest, negative }
    }

    /// Of a scalar in Montgomery form.
    #[inline(always)]
    pub fn of_montgomery(limbs: &[u32; 8]) -> Self {
        Self::of_integer(&Fr::from_montgomery_limbs(*limbs).to_canonical())
    }

    /// Takes the next digit, of the same number of bits each time. With the digit's bits b and the
    /// bit a below them it is b + a, less 2^bits if the highest bit of b is set.
    #[inline(always)]
    pub fn take(&mut self, bits: u32) -> Digit {
        let taken = self.rest[0] & ((2 << bits) - 1);
        self.rest = limbs::shift_right(&self.rest, bits);
        let negative = taken >> bits == 1;
        let positive = (taken + 1) >> 1;
        let absolute = if negative { (1 << bits) - positive } else { positive };
        Digit { absolute, negative: negative != self.negative }
    }
}
