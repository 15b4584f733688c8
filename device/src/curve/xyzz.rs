//! Points with two denominators: the cheapest form to add affine points to.
//!
//! The formulas are those of the Explicit-Formulas Database for short Weierstrass curves in XYZZ
//! coordinates, named where they are used; a = 0. They fail for infinity and for equal and
//! opposite points, which are told apart here: every sum is right.

use super::Affine;
use crate::field::Field;
use crate::words::Words;

/// A point (x/zz, y/zzz) with zz³ = zzz², or infinity as zz = 0.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Xyzz<F> {
    /// The abscissa's numerator.
    pub x: F,
    /// The ordinate's numerator.
    pub y: F,
    /// The abscissa's denominator, z².
    pub zz: F,
    /// The ordinate's denominator, z³.
    pub zzz: F,
}

impl<F: Field> Xyzz<F> {
    /// The neutral element.
    pub const INFINITY: Self = Self { x: F::ZERO, y: F::ZERO, zz: F::ZERO, zzz: F::ZERO };

    /// Whether this is the neutral element.
    #[inline(always)]
    pub fn is_infinity(&self) -> bool {
        self.zz.is_zero()
    }

    /// `2·self`: dbl-2008-s-1. Infinity and points of order two give zz = 0, which is right.
    #[inline(always)]
    pub fn double(&self) -> Self {
        let (p, r) = tangent(&self.x, &self.y);
        let (doubled, pp, ppp) = numerators(&self.x, &self.y, p, r, true);
        Self { zz: self.zz * pp, zzz: self.zzz * ppp, ..doubled }
    }

    /// `self + point`: madd-2008-s, 8M + 2S with nine reductions.
    #[inline(always)]
    pub fn add_affine(&self, point: &Affine<F>) -> Self {
        if point.is_infinity() {
            return *self;
        }
        if self.is_infinity() {
            return Self::from(*point);
        }
        let p = point.x * self.zz - self.x;
        let r = point.y * self.zzz - self.y;
        let (sum, pp, ppp) = add_numerators(&self.x, &self.y, p, r);
        Self { zz: self.zz * pp, zzz: self.zzz * ppp, ..sum }
    }

    /// `self + other`: add-2008-s, 12M + 2S.
    #[inline(always)]
    pub fn add(&self, other: &Self) -> Self {
        if other.is_infinity() {
            return *self;
        }
        if self.is_infinity() {
            return *other;
        }
        let u1 = self.x * other.zz;
        let s1 = self.y * other.zzz;
        let p = other.x * self.zz - u1;
        let r = other.y * self.zzz - s1;
        let (sum, pp, ppp) = add_numerators(&u1, &s1, p, r);
        Self { zz: self.zz * other.zz * pp, zzz: self.zzz * other.zzz * ppp, ..sum }
    }

    /// The coordinates, at the price of an inversion.
    #[inline]
    pub fn to_affine(&self) -> Affine<F> {
        // 1/z = zz/zzz, and its square is 1/zz. Infinity gives (0, 0), as 1/0 is 0 here.
        let inverse_zzz = self.zzz.invert();
        let inverse_z = inverse_zzz * self.zz;
        Affine { x: self.x * inverse_z.square(), y: self.y * inverse_zzz }
    }
}

/// The sum's numerators, with P² and P³, by which the denominators grow, for points whose
/// numerators over a common denominator are (x, y) and (x + P, y + R).
///
/// Opposite points have P = 0 and R ≠ 0: the denominators vanish, which is infinity. Equal points
/// have P = R = 0, and are doubled.
#[inline(always)]
fn add_numerators<F: Field>(x: &F, y: &F, p: F, r: F) -> (Xyzz<F>, F, F) {
    let equal = p.is_zero() & r.is_zero();
    let (p, r) = if equal { tangent(x, y) } else { (p, r) };
    numerators(x, y, p, r, equal)
}

/// The P = 2y and R = 3x² from which [`numerators`] makes the double.
#[inline(always)]
fn tangent<F: Field>(x: &F, y: &F) -> (F, F) {
    let xx = x.square();
    (y.double(), xx.double() + xx)
}

/// What the formulas of a sum and of a double have in common.
#[inline(always)]
fn numerators<F: Field>(x: &F, y: &F, p: F, r: F, double: bool) -> (Xyzz<F>, F, F) {
    let pp = p.square();
    let ppp = p * pp;
    let q = *x * pp;
    let x3 = r.square() - q.double() - if double { F::ZERO } else { ppp };
    let y3 = r.mul_sub(&(q - x3), y, &ppp);
    (Xyzz { x: x3, y: y3, zz: F::ZERO, zzz: F::ZERO }, pp, ppp)
}

impl<F: Field> Words for Xyzz<F> {
    const QUADS: u32 = 4 * F::QUADS;

    #[inline(always)]
    fn from_quads(quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        let ((x, y), (zz, zzz)) = Words::from_quads(quad);
        Self { x, y, zz, zzz }
    }

    #[inline(always)]
    fn for_quads(&self, quad: impl FnMut(u32, [u32; 4])) {
        ((self.x, self.y), (self.zz, self.zzz)).for_quads(quad);
    }
}

impl<F: Field> From<Affine<F>> for Xyzz<F> {
    #[inline(always)]
    fn from(point: Affine<F>) -> Self {
        let z = if point.is_infinity() { F::ZERO } else { F::ONE };
        Self { x: point.x, y: point.y, zz: z, zzz: z }
    }
}

impl<F: Field> core::ops::Neg for Xyzz<F> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

/// The same point, whatever the denominators.
impl<F: Field> PartialEq for Xyzz<F> {
    fn eq(&self, other: &Self) -> bool {
        if self.is_infinity() || other.is_infinity() {
            return self.is_infinity() && other.is_infinity();
        }
        self.x * other.zz == other.x * self.zz && self.y * other.zzz == other.y * self.zzz
    }
}
