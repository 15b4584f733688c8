//! The quadratic extension of the base field, in which G2 has its coordinates.

use core::ops::{Add, Mul, Neg, Sub};

use super::{Config, Field, Prime, fp::FpConfig};
use crate::limbs::{self, montgomery};

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

impl<C: Config<N>, const N: usize> Quadratic<C, N> {
    /// The product by Karatsuba, unreduced: three products of the base field.
    ///
    /// With `v0 = a0·b0`, `v1 = a1·b1` and `v2 = (a0 + a1)(b0 + b1)` it is
    /// `v0 − v1 + (v2 − v0 − v1)·u`: the real part between −p² and p², the imaginary one, which is
    /// `a0·b1 + a1·b0`, between 0 and 2p².
    #[inline(always)]
    fn mul_wide(&self, other: &Self) -> (Wide<N>, Wide<N>) {
        let (a0, a1) = (self.c0.montgomery_limbs(), self.c1.montgomery_limbs());
        let (b0, b1) = (other.c0.montgomery_limbs(), other.c1.montgomery_limbs());
        let v0 = montgomery::mul_wide_full(a0, b0);
        let v1 = montgomery::mul_wide_full(a1, b1);
        // The sums are below 2p < 2³²ᴺ, so no carry.
        let v2 = montgomery::mul_wide_full(&limbs::add(a0, a1).0, &limbs::add(b0, b1).0);
        (sub_wide(&v0, &v1), sub_wide(&sub_wide(&v2, &v0), &v1))
    }
}

/// Reduces a number of 0 to 2p², which is below p·2³²ᴺ since 2p < 2³²ᴺ.
#[inline(always)]
fn reduce<C: Config<N>, const N: usize>((low, high): Wide<N>) -> Prime<C, N> {
    let limbs = montgomery::reduce_wide((&low, &high), Prime::<C, N>::MODULUS);
    Prime::from_montgomery_limbs(limbs)
}

/// Reduces a number of −2p² to 2p²: p·2³²ᴺ, added to a negative one, makes it positive.
#[inline(always)]
fn reduce_signed<C: Config<N>, const N: usize>((low, high): Wide<N>) -> Prime<C, N> {
    let correction = limbs::select(high[N - 1] >> 31 == 1, &C::MODULUS, &[0; N]);
    reduce((low, limbs::add(&high, &correction).0))
}

impl<C: Config<N>, const N: usize> Field for Quadratic<C, N> {
    const ZERO: Self = Self { c0: Prime::ZERO, c1: Prime::ZERO };
    const ONE: Self = Self { c0: Prime::ONE, c1: Prime::ZERO };

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero()
    }

    /// `(c0 + c1)(c0 − c1) + 2·c0·c1·u`: two products of the base field.
    #[inline(always)]
    fn square(&self) -> Self {
        square(*self)
    }

    /// Six products of the base field and two reductions.
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
    let (c0, c1) = a.mul_wide(&b);
    Quadratic { c0: reduce_signed(c0), c1: reduce(c1) }
}

/// The square, as a call like [`product`].
#[inline(never)]
extern "C" fn square<C: Config<N>, const N: usize>(a: Quadratic<C, N>) -> Quadratic<C, N> {
    let c0 = (a.c0 + a.c1) * (a.c0 - a.c1);
    let c1 = (a.c0 * a.c1).double();
    Quadratic { c0, c1 }
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
        c0: reduce_signed(sub_wide(&plus.0, &minus.0)),
        c1: reduce_signed(sub_wide(&plus.1, &minus.1)),
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
