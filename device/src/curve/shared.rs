//! A sum of points that lives in shared memory: the fastest form to add affine points to.
//!
//! On an H200 (driver 580.159, 2026-11-30), 2.92 G additions a second in G1 and 0.98 in G2, by
//! `warpfield bench field`: 82 and 79 % of the wide multiply-adds that the chip does. Most of what is
//! missing warps wait for at dispatch, by Nsight Compute, the more the larger the part of additions.
//! In registers and inlined it is 2.71 in G1; in G2, where products are calls, operands are spilled
//! and it is 0.82.
//!
//! | machine code of an addition | wide multiply-adds | low | registers | spills |
//! | --- | --- | --- | --- | --- |
//! | G1 | 2316 | 108 | 82 | 0 |
//! | G2 | 6624 | 228 | 160 | 0 |

use super::{Affine, Xyzz};
use crate::field::Field;
use crate::slots::Slots;

/// The slots: a sum's coordinates, then what is between.
const X: u32 = 0;
const Y: u32 = 1;
const ZZ: u32 = 2;
const ZZZ: u32 = 3;
const P: u32 = 4;
const R: u32 = 5;
const Q: u32 = 6;

const _: () = assert!(Q + 1 == crate::launch::SUM_SLOTS);

/// The sum of a thread.
pub struct SharedXyzz<F, const THREADS: u32> {
    slots: Slots<F, THREADS>,
    /// Whether it is the sum's opposite that the slots hold.
    negated: bool,
}

impl<F: Field, const THREADS: u32> SharedXyzz<F, THREADS> {
    /// The sum: `point`.
    #[inline(always)]
    pub fn new(slots: Slots<F, THREADS>, point: &Xyzz<F>) -> Self {
        slots.set(X, &point.x);
        slots.set(Y, &point.y);
        slots.set(ZZ, &point.zz);
        slots.set(ZZZ, &point.zzz);
        Self { slots, negated: false }
    }

    /// The sum.
    #[inline(always)]
    pub fn get(&self) -> Xyzz<F> {
        let slots = self.slots;
        let y = slots.get(Y);
        let y = if self.negated { -y } else { y };
        Xyzz { x: slots.get(X), y, zz: slots.get(ZZ), zzz: slots.get(ZZZ) }
    }

    /// Adds a point: madd-2008-s, 8M + 2S with nine reductions.
    #[inline(always)]
    pub fn add_affine(&mut self, point: &Affine<F>) {
        self.add_signed(point, false);
    }

    /// Adds a point, or subtracts it if `negative`.
    #[inline(always)]
    pub fn add_signed(&mut self, point: &Affine<F>, negative: bool) {
        if point.is_infinity() {
            return;
        }
        let slots = self.slots;
        if slots.get(ZZ).is_zero() {
            // Whichever is held, the point or its opposite: the sign tells.
            *self = Self::new(slots, &Xyzz { x: point.x, y: point.y, zz: F::ONE, zzz: F::ONE });
            self.negated = negative;
            return;
        }
        let y = if self.negated != negative { -point.y } else { point.y };
        slots.set(P, &point.x);
        slots.set(R, &y);
        slots.set(P, &(slots.product(P, ZZ) - slots.get(X)));
        slots.set(R, &(slots.product(R, ZZZ) - slots.get(Y)));
        self.finish();
    }

    /// Adds a point with denominators: add-2008-s, 12M + 2S.
    #[inline(always)]
    pub fn add(&mut self, other: &Xyzz<F>) {
        if other.is_infinity() {
            return;
        }
        let slots = self.slots;
        if slots.get(ZZ).is_zero() {
            *self = Self::new(slots, other);
            return;
        }
        let y = if self.negated { -other.y } else { other.y };
        slots.set(P, &other.x);
        slots.set(R, &y);
        slots.set(Q, &other.zz);
        slots.multiply(P, P, ZZ);
        slots.multiply(X, X, Q);
        slots.multiply(ZZ, ZZ, Q);
        slots.set(Q, &other.zzz);
        slots.multiply(R, R, ZZZ);
        slots.multiply(Y, Y, Q);
        slots.multiply(ZZZ, ZZZ, Q);
        slots.subtract(P, P, X);
        slots.subtract(R, R, Y);
        self.finish();
    }

    /// Doubles the sum: dbl-2008-s-1. Infinity stays what it is.
    #[inline(always)]
    pub fn double(&mut self) {
        let slots = self.slots;
        // As in `tangent`, but with all products called.
        slots.set(P, &F::ZERO);
        slots.subtract(P, P, Y);
        slots.subtract(P, P, Y);
        slots.square(Q, X);
        slots.set(R, &F::ZERO);
        slots.subtract(R, R, Q);
        slots.subtract(R, R, Q);
        slots.subtract(R, R, Q);
        slots.square(Q, P);
        slots.multiply(P, P, Q);
        self.complete(true);
    }

    /// The sum of (X, Y) and (X + P, Y + R) over the denominators ZZ and ZZZ, and the double of the
    /// former if P and R are zero.
    #[inline(always)]
    fn finish(&mut self) {
        let slots = self.slots;
        let equal = slots.get(P).is_zero() && slots.get(R).is_zero();
        if equal {
            self.tangent();
        } else {
            slots.square(Q, P);
            slots.multiply(P, P, Q);
        }
        self.complete(equal);
    }

    /// The rest of a sum, or of a double, where Q is P² and P is P³. For opposite points they are 0:
    /// so are the denominators then.
    ///
    /// With Q = X·P², `y₃ = R·(Q − x₃) − Y·P³`. A difference of products may be negative, which takes
    /// more to reduce. So its opposite `R·(x₃ − Q) + Y·P³` is computed, and the sum turns into its
    /// opposite.
    #[inline(always)]
    fn complete(&mut self, double: bool) {
        let slots = self.slots;
        slots.multiply(ZZ, ZZ, Q);
        slots.multiply(ZZZ, ZZZ, P);
        slots.multiply(Q, X, Q);
        let mut x = slots.squared(R);
        if !double {
            x = x - slots.get(P);
        }
        let q = slots.get(Q);
        let x = x - q - q;
        slots.set(X, &x);
        slots.set(Q, &(x - q));
        const { assert!(Q == R + 1) };
        slots.set(Y, &slots.sum_of_products((R, Q), (Y, P), R));
        self.negated = !self.negated;
    }

    /// P², P³ and R with which the formulas of a sum double, but for the term P³ of x₃; from P = −2y
    /// and R = −3x², as the signs of both together do not matter. P and R are zero before.
    #[inline(always)]
    fn tangent(&self) {
        let slots = self.slots;
        slots.subtract(P, P, Y);
        slots.subtract(P, P, Y);
        let x = slots.get(X);
        slots.set(Q, &x.mul_inline(&x));
        slots.subtract(R, R, Q);
        slots.subtract(R, R, Q);
        slots.subtract(R, R, Q);
        let p = slots.get(P);
        let pp = p.mul_inline(&p);
        slots.set(Q, &pp);
        slots.set(P, &pp.mul_inline(&slots.get(P)));
    }
}
