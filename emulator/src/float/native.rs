//! The two float types of lanes, with the host's arithmetic where it rounds as asked.

use super::{F32, F64, Format, Rounding};

/// Subnormals to zero of the same sign, as `.ftz` has it.
#[inline(always)]
pub(crate) fn flush32(v: f32) -> f32 {
    if v.is_subnormal() { 0f32.copysign(v) } else { v }
}

/// To [0, 1]; NaN to +0.
pub(crate) fn saturate<T: Float>(v: T) -> T {
    if v >= T::ONE {
        T::ONE
    } else if v > T::ZERO {
        v
    } else {
        T::ZERO
    }
}

/// A type of floating-point lanes. The operations round as told; none flushes subnormals.
pub(crate) trait Float: crate::lanes::Word + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    const FORMAT: Format;
    fn flush(self) -> Self;
    fn add(self, b: Self, mode: Rounding) -> Self;
    fn mul(self, b: Self, mode: Rounding) -> Self;
    fn fma(self, b: Self, c: Self, mode: Rounding) -> Self;
    fn div(self, b: Self, mode: Rounding) -> Self;
    fn sqrt(self, mode: Rounding) -> Self;
    fn is_nan(self) -> bool;
    fn negate(self) -> Self;
    /// The smaller; a number before a NaN unless `nan`; −0 below +0.
    fn least(self, b: Self, nan: bool) -> Self;
    fn greatest(self, b: Self, nan: bool) -> Self;
}

macro_rules! float {
    ($t:ident, $format:expr) => {
        impl Float for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const FORMAT: Format = $format;

            fn flush(self) -> Self {
                if self.is_subnormal() { (0.0 as $t).copysign(self) } else { self }
            }

            #[inline]
            fn add(self, b: Self, mode: Rounding) -> Self {
                if mode == Rounding::Nearest {
                    let r = self + b;
                    if !r.is_nan() {
                        return r;
                    }
                }
                from(Self::FORMAT.add(bits(self), bits(b), mode))
            }

            #[inline]
            fn mul(self, b: Self, mode: Rounding) -> Self {
                if mode == Rounding::Nearest {
                    let r = self * b;
                    if !r.is_nan() {
                        return r;
                    }
                }
                from(Self::FORMAT.mul(bits(self), bits(b), mode))
            }

            #[inline]
            fn fma(self, b: Self, c: Self, mode: Rounding) -> Self {
                if mode == Rounding::Nearest {
                    let r = self.mul_add(b, c);
                    if !r.is_nan() {
                        return r;
                    }
                }
                from(Self::FORMAT.fma(bits(self), bits(b), bits(c), mode))
            }

            #[inline]
            fn div(self, b: Self, mode: Rounding) -> Self {
                if mode == Rounding::Nearest {
                    let r = self / b;
                    if !r.is_nan() {
                        return r;
                    }
                }
                from(Self::FORMAT.div(bits(self), bits(b), mode))
            }

            #[inline]
            fn sqrt(self, mode: Rounding) -> Self {
                if mode == Rounding::Nearest {
                    let r = $t::sqrt(self);
                    if !r.is_nan() {
                        return r;
                    }
                }
                from(Self::FORMAT.sqrt(bits(self), mode))
            }

            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }

            fn negate(self) -> Self {
                -self
            }

            fn least(self, b: Self, nan: bool) -> Self {
                match (self.is_nan(), b.is_nan()) {
                    (true, true) => from(Self::FORMAT.nan_of(&[bits(self), bits(b)])),
                    (true, _) | (_, true) if nan => {
                        from(Self::FORMAT.nan & !Self::FORMAT.sign_bit())
                    }
                    (true, false) => b,
                    (false, true) => self,
                    _ if self == b => {
                        if self.is_sign_negative() {
                            self
                        } else {
                            b
                        }
                    }
                    _ => {
                        if self < b {
                            self
                        } else {
                            b
                        }
                    }
                }
            }

            fn greatest(self, b: Self, nan: bool) -> Self {
                match (self.is_nan(), b.is_nan()) {
                    (false, false) => -(-self).least(-b, nan),
                    _ => self.least(b, nan),
                }
            }
        }
    };
}

fn bits<T: crate::lanes::Word>(v: T) -> u64 {
    v.put()
}

fn from<T: crate::lanes::Word>(v: u64) -> T {
    T::get(v)
}

float!(f32, F32);
float!(f64, F64);
