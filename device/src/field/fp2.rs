//! The quadratic extension of the base field, in which G2 has its coordinates.

use core::ops::{Add, Mul, Neg, Sub};

use super::{Config, Field, Prime, fp::FpConfig};
use crate::limbs::{self, product::schoolbook};
use crate::words::Words;

/// An element `c0 + c1·u` of Fp\[u\]/(u² + 1); the layout is blst's `blst_fp2`.
pub type Fp2 = Quadratic<FpConfig, 12>;

/// An element `c0 + c1·u` of the extension by `u² = −1` of a prime field that has no root of −1.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Quadratic<C, const N: usize> {
    /// The real part.
    pub c0: Prime<C, N>,
    /// The imaginary part.
    pub c1: Prime<C, N>,
}

/// A number of 2N limbs in two's complement: its low and its high half.
///
/// Sums of a few products of residues stay far from the ends: p has 32N − 1 bits at most, so 2p²
/// has 64N − 1.
type Wide<const N: usize> = ([u32; N], [u32; N]);

/// `a − b`.
#[inline(always)]
fn sub_wide<const N: usize>(a: &Wide<N>, b: &Wide<N>) -> Wide<N> {
    let (low, borrow) = limbs::sub(&a.0, &b.0);
    let (high, _) = limbs::sub_borrow(&a.1, &b.1, borrow);
    (low, high)
}

/// Reduces a number of −2p² to 2p²: p·2³²ᴺ, added to a negative one, makes it positive.
#[inline(always)]
fn reduce_signed<C: Config<N>, const N: usize>((low, high): &Wide<N>) -> Prime<C, N> {
    let correction = limbs::select(high[N - 1] >> 31 == 1, &C::MODULUS, &[0; N]);
    Prime::reduce(&(*low, limbs::add(high, &correction).0))
}

impl<C: Config<N>, const N: usize> Field for Quadratic<C, N> {
    const ZERO: Self = Self { c0: Prime::ZERO, c1: Prime::ZERO };
    const ONE: Self = Self { c0: Prime::ONE, c1: Prime::ZERO };

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero()
    }

    #[inline(always)]
    fn mul_inline(&self, other: &Self) -> Self {
        Self::reduce(&self.mul_wide(other))
    }

    #[inline(always)]
    fn square(&self) -> Self {
        square(*self)
    }

    /// `(c0 + c1)(c0 − c1) + 2·c0·c1·u`: two products of the base field.
    #[inline(always)]
    fn square_inline(&self) -> Self {
        let c0 = (self.c0 + self.c1).mul_inline(&(self.c0 - self.c1));
        let c1 = self.c0.mul_inline(&self.c1).double();
        Self { c0, c1 }
    }

    /// The real part, which may be negative, and the imaginary one.
    type Wide = (Wide<N>, Wide<N>);

    /// By Karatsuba: three products of the base field.
    ///
    /// With `v0 = a0·b0`, `v1 = a1·b1` and `v2 = (a0 + a1)(b0 + b1)` it is
    /// `v0 − v1 + (v2 − v0 − v1)·u`: the real part between −p² and p², the imaginary one, which is
    /// `a0·b1 + a1·b0`, between 0 and 2p².
    ///
    /// The products are not by Karatsuba again, as its additions would be too many: see
    /// `curve::shared`.
    #[inline(always)]
    fn mul_wide(&self, other: &Self) -> Self::Wide {
        let (a0, a1) = (self.c0.montgomery_limbs(), self.c1.montgomery_limbs());
        let (b0, b1) = (other.c0.montgomery_limbs(), other.c1.montgomery_limbs());
        let v0 = schoolbook(a0, b0);
        let v1 = schoolbook(a1, b1);
        // The sums are below 2p < 2³²ᴺ, so no carry.
        let v2 = schoolbook(&limbs::add(a0, a1).0, &limbs::add(b0, b1).0);
        (sub_wide(&v0, &v1), sub_wide(&sub_wide(&v2, &v0), &v1))
    }

    #[inline(always)]
    fn add_wide(a: &Self::Wide, b: &Self::Wide) -> Self::Wide {
        // An imaginary part is then below 4p², which `reduce` takes when 4p < 2³²ᴺ.
        const { assert!(C::MODULUS[N - 1] < 1 << 30) };
        (Prime::<C, N>::add_wide(&a.0, &b.0), Prime::<C, N>::add_wide(&a.1, &b.1))
    }

    #[inline(always)]
    fn reduce(wide: &Self::Wide) -> Self {
        Self { c0: reduce_signed(&wide.0), c1: Prime::reduce(&wide.1) }
    }

    #[inline(always)]
    fn mul_sub(&self, a: &Self, b: &Self, c: &Self) -> Self {
        product_sub(*self, *a, *b, *c)
    }

    /// `(c0 − c1·u)/(c0² + c1²)`.
    #[inline]
    fn invert(&self) -> Self {
        let inverse = (self.c0.square() + self.c1.square()).invert();
        Self { c0: self.c0 * inverse, c1: -(self.c1 * inverse) }
    }
}

impl<C: Config<N>, const N: usize> Mul for Quadratic<C, N> {
    type Output = Self;

    /// Three products of the base field and two reductions.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        product(self, other)
    }
}

/// The product, as a call on the GPU too.
///
/// Inlined, a sum of points over this field is a megabyte of PTX. `extern "C"` passes the operands
/// by value, which become registers; Rust's own convention would pass them through local memory.
#[inline(never)]
extern "C" fn product<C: Config<N>, const N: usize>(
    a: Quadratic<C, N>,
    b: Quadratic<C, N>,
) -> Quadratic<C, N> {
    a.mul_inline(&b)
}

/// The square, as a call like [`product`].
#[inline(never)]
extern "C" fn square<C: Config<N>, const N: usize>(a: Quadratic<C, N>) -> Quadratic<C, N> {
    a.square_inline()
}

/// `a·b − c·d`, as a call like [`product`].
#[inline(never)]
extern "C" fn product_sub<C: Config<N>, const N: usize>(
    a: Quadratic<C, N>,
    b: Quadratic<C, N>,
    c: Quadratic<C, N>,
    d: Quadratic<C, N>,
) -> Quadratic<C, N> {
    let (plus, minus) = (a.mul_wide(&b), c.mul_wide(&d));
    Quadratic {
        c0: reduce_signed(&sub_wide(&plus.0, &minus.0)),
        c1: reduce_signed(&sub_wide(&plus.1, &minus.1)),
    }
}

impl<C: Config<N>, const N: usize> Words for Quadratic<C, N> {
    const QUADS: u32 = 2 * Prime::<C, N>::QUADS;

    #[inline(always)]
    fn from_quads(quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        let (c0, c1) = Words::from_quads(quad);
        Self { c0, c1 }
    }

    #[inline(always)]
    fn for_quads(&self, quad: impl FnMut(u32, [u32; 4])) {
        (self.c0, self.c1).for_quads(quad);
    }
}

impl<C: Config<N>, const N: usize> Add for Quadratic<C, N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { c0: self.c0 + other.c0, c1: self.c1 + other.c1 }
    }
}

impl<C: Config<N>, const N: usize> Sub for Quadratic<C, N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { c0: self.c0 - other.c0, c1: self.c1 - other.c1 }
    }
}

impl<C: Config<N>, const N: usize> Neg for Quadratic<C, N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { c0: -self.c0, c1: -self.c1 }
    }
}

impl<C: Config<N>, const N: usize> PartialEq for Quadratic<C, N> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (self.c0 == other.c0) & (self.c1 == other.c1)
    }
}

impl<C: Config<N>, const N: usize> Eq for Quadratic<C, N> {}

impl<C: Config<N>, const N: usize> core::fmt::Debug for Quadratic<C, N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?} + {:?}·u", self.c0, self.c1)
    }
}
