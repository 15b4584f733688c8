//! Additions of many pairs of points with one inversion for all.
//!
//! A sum of affine points takes `1/(x_b − x_a)`. By Montgomery's trick many such take one inversion
//! and three products each, so that an addition is 5M + 1S and gives an affine point. It goes in three
//! steps, each a kernel: [`denominators`], which gives a product for each thread; an inversion of these;
//! and [`sums`].
//!
//! On an H200 (driver 580.159, 2026-11-30), 3.82 G additions a second in G1, of 128 pairs a thread, and
//! 1.27 in G2, by `warpfield bench field`. In G1 an addition is 1482 wide multiply-adds, and they are
//! 69 % of what the chip does. A fifth of the time is the first step, which is bound by memory; the last
//! one alone does 5.1 G a second.

use super::Affine;
use crate::field::{Field, batch::Share};
use crate::slots::Slots;
use crate::words::{read, write};

/// The slots: the running product or inverse, a line's denominator, a pair's coordinates, and the
/// product before its denominator.
const U: u32 = 0;
const D: u32 = 1;
const XA: u32 = 2;
const XB: u32 = 3;
const YA: u32 = 4;
const YB: u32 = 5;
const T: u32 = 6;

const _: () = assert!(XB + 1 == crate::launch::DENOMINATOR_SLOTS);
const _: () = assert!(T + 1 == crate::launch::BATCH_SLOTS);

/// How a pair is added.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    /// Through two different points.
    Chord,
    /// At a point.
    Tangent,
    /// None: one of the points is infinity, or the sum is.
    None,
}

/// How a pair is added. Sets slots XA and XB, and D to its line's denominator, 1 for none.
#[inline(always)]
fn line<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    a: &Affine<F>,
    b: &Affine<F>,
) -> Line {
    slots.set(XA, &a.x);
    slots.set(XB, &b.x);
    slots.subtract(D, XB, XA);
    let infinite = a.is_infinity() || b.is_infinity();
    if !infinite && !slots.get(D).is_zero() {
        return Line::Chord;
    }
    // Not for opposite points, nor for one of order two.
    let tangent = !infinite && a.y == b.y && !a.y.is_zero();
    slots.set(D, &if tangent { a.y.double() } else { F::ONE });
    if tangent { Line::Tangent } else { Line::None }
}

/// Additions of pairs of one thread, with one inversion.
#[derive(Clone, Copy)]
pub struct Pairs<F, const THREADS: u32>(Slots<F, THREADS>);

impl<F: Field, const THREADS: u32> Pairs<F, THREADS> {
    /// No pairs yet.
    #[inline(always)]
    pub fn new(slots: Slots<F, THREADS>) -> Self {
        slots.set(U, &F::ONE);
        Self(slots)
    }

    /// Sets the abscissas of the pair that is taken next.
    #[inline(always)]
    pub fn set(&self, (a, b): (F, F)) {
        self.0.set(XA, &a);
        self.0.set(XB, &b);
    }

    /// Takes a pair: gives the product of the denominators of those before it.
    ///
    /// Abscissas are all that it needs, unless one is zero or both are equal: `pair` is called then.
    #[inline(always)]
    pub fn take(&self, pair: impl Fn() -> (Affine<F>, Affine<F>)) -> F {
        let slots = self.0;
        slots.subtract(D, XB, XA);
        if slots.get(XA).is_zero() || slots.get(XB).is_zero() || slots.get(D).is_zero() {
            let (a, b) = pair();
            line(slots, &a, &b);
        }
        let before = slots.get(U);
        slots.multiply(U, U, D);
        before
    }

    /// The product of the denominators of the pairs that were taken, and not added yet, or its
    /// inverse.
    #[inline(always)]
    pub fn product(&self) -> F {
        self.0.get(U)
    }

    /// Pairs with the inverse of [`product`](Self::product), to be added.
    #[inline(always)]
    pub fn inverted(slots: Slots<F, THREADS>, inverse: &F) -> Self {
        slots.set(U, inverse);
        Self(slots)
    }

    /// The sum of a pair: of those that were taken the last one that was not added yet. `before` is
    /// what [`take`](Self::take) gave.
    ///
    /// `pair` reads the points, perhaps twice.
    #[inline(always)]
    pub fn add(&self, pair: impl Fn() -> (Affine<F>, Affine<F>), before: &F) -> Affine<F> {
        let slots = self.0;
        let (a, b) = pair();
        slots.set(YA, &a.y);
        slots.set(YB, &b.y);
        slots.set(T, before);
        let line = line(slots, &a, &b);
        slots.multiply(T, T, U);
        slots.multiply(U, U, D);
        slots.subtract(YB, YB, YA);
        if line == Line::Tangent {
            let x = slots.get(XA);
            let xx = x.mul_inline(&x);
            slots.set(YB, &(xx.double() + xx));
        }
        // T is the slope, D = x₃ = T² − x_a − x_b, and XA = y₃ = T·(x_a − x₃) − y_a.
        slots.multiply(T, T, YB);
        slots.square(D, T);
        slots.subtract(D, D, XB);
        slots.subtract(D, D, XA);
        slots.subtract(XA, XA, D);
        slots.multiply(XA, XA, T);
        slots.subtract(XA, XA, YA);
        if line == Line::None {
            // Read again, or they would fill registers across the calls.
            let (a, b) = pair();
            return match (a.is_infinity(), b.is_infinity()) {
                (true, _) => b,
                (_, true) => a,
                _ => Affine::INFINITY,
            };
        }
        Affine { x: slots.get(D), y: slots.get(XA) }
    }
}

/// Writes to `prefixes[i]`, for a share of all i, the product of the denominators before that of
/// `a[i] + b[i]`, and returns the product of all.
///
/// # Safety
///
/// The pointers are to arrays of `share.count` elements, at multiples of 16, of which nobody else accesses this share
/// of `prefixes` meanwhile.
#[inline(always)]
pub unsafe fn denominators<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    (a, b): (*const Affine<F>, *const Affine<F>),
    prefixes: *mut F,
    Share { first, stride, count }: Share,
) -> F {
    let pairs = Pairs::new(slots);
    let mut i = first;
    while i < count {
        // SAFETY: i < count, and it is in the share.
        unsafe {
            let pair = || (read(a.add(i)), read(b.add(i)));
            let x = |point: *const Affine<F>| read(&raw const (*point).x);
            pairs.set((x(a.add(i)), x(b.add(i))));
            write(prefixes.add(i), &pairs.take(pair));
        }
        i += stride;
    }
    pairs.product()
}

/// Writes `a[i] + b[i]` to `out[i]` for a share of all i, given what [`denominators`] wrote and the
/// inverse of what it returned.
///
/// # Safety
///
/// The pointers are to arrays of `share.count` elements, at multiples of 16, of which nobody else accesses this share
/// meanwhile. `out` may be `a` or `b`; else they do not overlap.
#[inline(always)]
pub unsafe fn sums<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    out: *mut Affine<F>,
    (a, b): (*const Affine<F>, *const Affine<F>),
    (prefixes, inverse): (*const F, &F),
    Share { first, stride, count }: Share,
) {
    let pairs = Pairs::inverted(slots, inverse);
    // One past the last of the share; a division would bring a panic's code.
    let mut i = first;
    while i < count {
        i += stride;
    }
    while i > first {
        i -= stride;
        // SAFETY: i < count, and it is in the share.
        unsafe {
            let before = read(prefixes.add(i));
            let sum = pairs.add(|| (read(a.add(i)), read(b.add(i))), &before);
            write(out.add(i), &sum);
        }
    }
}
