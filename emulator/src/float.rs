//! IEEE arithmetic in all four rounding directions, exact.
//!
//! A finite number is `sig · 2^exp` with an integer significand. Every operation forms the exact
//! result, or a result with a sticky bit far below the last bit that can matter, and rounds once.
//! To nearest the host's own arithmetic does the same faster.

mod convert;
mod native;

pub(crate) use convert::convert;
pub(crate) use native::{Float, flush32, saturate};

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Rounding {
    pub(crate) const ALL: [Rounding; 4] =
        [Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up];
}

/// A binary format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of the significand, the hidden one counted.
    pub precision: u32,
    /// Exponent of the last bit of subnormals.
    pub least: i32,
    pub exponent_bits: u32,
    /// What an invalid operation gives.
    pub nan: u64,
    /// Results below the normal numbers become zero. They are told by rounding as if there were
    /// no lower bound, so that what would round up to the least normal number is zero too.
    pub flush: bool,
}

pub(crate) const F32: Format =
    Format { precision: 24, least: -149, exponent_bits: 8, nan: 0x7fff_ffff, flush: false };
pub(crate) const F64: Format = Format {
    precision: 53,
    least: -1074,
    exponent_bits: 11,
    nan: 0xfff8_0000_0000_0000,
    flush: false,
};

/// A number taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Num {
    Nan,
    Inf(bool),
    /// Negative, significand (0 for zero), exponent of its last bit.
    Finite(bool, u128, i32),
}

impl Format {
    fn max_biased(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    pub(crate) fn sign_bit(self) -> u64 {
        1 << (self.precision - 1 + self.exponent_bits)
    }

    pub(crate) fn infinity(self, negative: bool) -> u64 {
        self.max_biased() << (self.precision - 1) | if negative { self.sign_bit() } else { 0 }
    }

    pub(crate) fn zero(self, negative: bool) -> u64 {
        if negative { self.sign_bit() } else { 0 }
    }

    pub(crate) fn unpack(self, bits: u64) -> Num {
        let negative = bits & self.sign_bit() != 0;
        let fraction = bits & ((1 << (self.precision - 1)) - 1);
        let biased = bits >> (self.precision - 1) & self.max_biased();
        if biased == self.max_biased() {
            return if fraction == 0 { Num::Inf(negative) } else { Num::Nan };
        }
        if biased == 0 {
            return Num::Finite(negative, u128::from(fraction), self.least);
        }
        let sig = u128::from(fraction | 1 << (self.precision - 1));
        Num::Finite(negative, sig, self.least + biased as i32 - 1)
    }

    /// Rounds `±(sig + ε) · 2^exp`, where ε in (0, 1) is there if `sticky`. sig < 2^127.
    pub(crate) fn round(
        self,
        negative: bool,
        sig: u128,
        exp: i32,
        sticky: bool,
        mode: Rounding,
    ) -> u64 {
        let (sig, exp) = (sig << 1 | u128::from(sticky), exp - 1);
        if sig == 0 {
            return self.zero(negative);
        }
        let top = exp + 127 - sig.leading_zeros() as i32;
        let unbounded = top - (self.precision as i32 - 1);
        let mut last = if self.flush { unbounded } else { unbounded.max(self.least) };
        let shift = last - exp;
        let (mut m, half, rest) = if shift <= 0 {
            (sig << -shift, false, false)
        } else if shift > 127 {
            (0, false, true)
        } else {
            let below = sig & ((1 << shift) - 1);
            let half = 1u128 << (shift - 1);
            (sig >> shift, below & half != 0, below & (half - 1) != 0)
        };
        m += u128::from(match mode {
            Rounding::Nearest => half && (rest || m & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => negative && (half || rest),
            Rounding::Up => !negative && (half || rest),
        });
        if m >> self.precision != 0 {
            m >>= 1;
            last += 1;
        }
        let sign = self.zero(negative);
        let hidden = 1u64 << (self.precision - 1);
        let m = m as u64;
        if last < self.least {
            return sign;
        }
        if m < hidden {
            return sign | m;
        }
        let biased = (last - self.least + 1) as u64;
        if biased >= self.max_biased() {
            let away = match mode {
                Rounding::Nearest => true,
                Rounding::Zero => false,
                Rounding::Down => negative,
                Rounding::Up => !negative,
            };
            return self.infinity(negative) - u64::from(!away);
        }
        sign | biased << (self.precision - 1) | (m & (hidden - 1))
    }

    /// `a · b + c`, rounded once.
    pub(crate) fn fma(self, a: u64, b: u64, c: u64, mode: Rounding) -> u64 {
        use Num::{Finite, Inf, Nan};
        let (product, addend) = match (self.unpack(a), self.unpack(b), self.unpack(c)) {
            (Nan, ..) | (_, Nan, _) | (.., Nan) => return self.nan_of(&[a, c, b]),
            (Finite(n, x, e), Finite(m, y, f), c) => (Finite(n != m, x * y, e + f), c),
            (x, y, c) => match (x, y) {
                (Finite(_, 0, _), _) | (_, Finite(_, 0, _)) => return self.nan,
                _ => (Inf(negative(x) != negative(y)), c),
            },
        };
        match (product, addend) {
            (Inf(n), Inf(m)) if n != m => self.nan,
            (Inf(n), _) | (_, Inf(n)) => self.infinity(n),
            (Finite(n, x, e), Finite(m, y, f)) => self.sum((n, x, e), (m, y, f), mode),
            _ => self.nan,
        }
    }

    pub(crate) fn add(self, a: u64, b: u64, mode: Rounding) -> u64 {
        use Num::{Finite, Inf, Nan};
        match (self.unpack(a), self.unpack(b)) {
            (Nan, _) | (_, Nan) => self.nan_of(&[a, b]),
            (Inf(n), Inf(m)) if n != m => self.nan,
            (Inf(n), _) | (_, Inf(n)) => self.infinity(n),
            (Finite(n, x, e), Finite(m, y, f)) => self.sum((n, x, e), (m, y, f), mode),
        }
    }

    /// Significands of up to 106 bits.
    fn sum(self, a: (bool, u128, i32), b: (bool, u128, i32), mode: Rounding) -> u64 {
        let zero_sign = mode == Rounding::Down;
        let (a, b) = match (a.1, b.1) {
            (0, 0) => return self.zero(if a.0 == b.0 { a.0 } else { zero_sign }),
            (0, _) => return self.round(b.0, b.1, b.2, false, mode),
            (_, 0) => return self.round(a.0, a.1, a.2, false, mode),
            _ => (normal(a), normal(b)),
        };
        // Leading bits at 125: the larger exponent is the larger number, or they tie.
        let (big, small) = if (a.2, a.1) >= (b.2, b.1) { (a, b) } else { (b, a) };
        let shift = (big.2 - small.2) as u32;
        // Bits are only lost when the exponents are far apart; then at most one leading bit
        // cancels and the sticky bit lies far below what is kept.
        let (low, sticky) = if shift > 127 {
            (0, true)
        } else {
            (small.1 >> shift, small.1 & ((1 << shift) - 1) != 0)
        };
        if big.0 == small.0 {
            return self.round(big.0, big.1 + low, big.2, sticky, mode);
        }
        // big - (low + ε) = (big - low - 1) + (1 - ε)
        let difference = big.1 - low - u128::from(sticky);
        if difference == 0 && !sticky {
            return self.zero(zero_sign);
        }
        self.round(big.0, difference, big.2, sticky, mode)
    }

    pub(crate) fn mul(self, a: u64, b: u64, mode: Rounding) -> u64 {
        use Num::{Finite, Nan};
        match (self.unpack(a), self.unpack(b)) {
            (Nan, _) | (_, Nan) => self.nan_of(&[a, b]),
            (Finite(n, x, e), Finite(m, y, f)) => self.round(n != m, x * y, e + f, false, mode),
            (Finite(_, 0, _), _) | (_, Finite(_, 0, _)) => self.nan,
            (x, y) => self.infinity(negative(x) != negative(y)),
        }
    }

    pub(crate) fn div(self, a: u64, b: u64, mode: Rounding) -> u64 {
        use Num::{Finite, Inf, Nan};
        let (x, y) = (self.unpack(a), self.unpack(b));
        let sign = negative(x) != negative(y);
        match (x, y) {
            (Nan, _) | (_, Nan) => self.nan_of(&[b, a]),
            (Inf(_), Inf(_)) | (Finite(_, 0, _), Finite(_, 0, _)) => self.nan,
            (Inf(_), _) | (_, Finite(_, 0, _)) => self.infinity(sign),
            (_, Inf(_)) | (Finite(_, 0, _), _) => self.zero(sign),
            (Finite(n, s, e), Finite(m, t, f)) => {
                // 126 bits over at most 53 leave at least 73 of quotient.
                let (_, s, e) = normal((n, s, e));
                let (_, t, f) = trimmed((m, t, f));
                self.round(sign, s / t, e - f, s % t != 0, mode)
            }
        }
    }

    pub(crate) fn sqrt(self, a: u64, mode: Rounding) -> u64 {
        match self.unpack(a) {
            Num::Nan => self.nan_of(&[a]),
            Num::Finite(_, 0, _) | Num::Inf(false) => a,
            Num::Inf(true) | Num::Finite(true, ..) => self.nan,
            Num::Finite(_, s, e) => {
                let (_, s, e) = normal((false, s, e));
                // An even exponent; 125 or 126 bits have a root of 63.
                let (s, e) = if e & 1 == 0 { (s, e) } else { (s << 1, e - 1) };
                let root = s.isqrt();
                self.round(false, root, e / 2, root * root != s, mode)
            }
        }
    }

    /// What an operation on a NaN gives: the canonical NaN for 32 bits, the last operand that is
    /// one, made quiet, for 64, as hardware has it.
    pub(crate) fn nan_of(self, operands: &[u64]) -> u64 {
        if self.precision == 24 {
            return self.nan;
        }
        let quiet = 1 << (self.precision - 2);
        operands.iter().rfind(|&&o| self.unpack(o) == Num::Nan).map_or(self.nan, |o| o | quiet)
    }
}

pub(crate) fn negative(n: Num) -> bool {
    matches!(n, Num::Inf(true) | Num::Finite(true, ..))
}

/// Leading bit at 125.
fn normal((n, s, e): (bool, u128, i32)) -> (bool, u128, i32) {
    let up = s.leading_zeros() as i32 - 2;
    (n, s << up, e - up)
}

/// No trailing zeros.
fn trimmed((n, s, e): (bool, u128, i32)) -> (bool, u128, i32) {
    let down = s.trailing_zeros();
    (n, s >> down, e + down as i32)
}

#[cfg(test)]
mod tests;
