//! Inverses by division steps.
//!
//! Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (TCHES 2019/3),
//! with δ from 1/2 as Pieter Wuille proposes (<https://github.com/sipa/safegcd-bounds>). With f odd,
//! a step is
//!
//! ```text
//! (δ, f, g) → (1 − δ, g, (g − f)/2)   if δ > 0 and g is odd
//!             (1 + δ, f, (g + f)/2)   if δ < 0 and g is odd
//!             (1 + δ, f, g/2)         if g is even
//! ```
//!
//! From f = p and g = a it comes to g = 0 and f = ±1. The lowest k bits of f and g decide the next k
//! steps, so [`STEPS`] of them are done on words, which gives a [`Matrix`]; that is then applied to
//! f and g, and modulo p to d and e, which keep f ≡ d·a and g ≡ e·a up to a common factor.
//!
//! That factor is the e of the start: from 2⁶⁴ᴺ mod p, the inverse of a Montgomery form comes out as
//! a Montgomery form. Numbers have digits of 30 bits, so that sums of three products of digits stay
//! far from 64 bits, and each product with its sum is one multiply-add of the GPU.

use super::{Config, Prime};
use crate::limbs::{self, signed::mad_wide, unroll};

/// Bits of a digit, and steps of a batch: entries of their matrix are within ±2³⁰.
const STEPS: u32 = 30;

/// The bits of a digit.
const MASK: i32 = (1 << STEPS) - 1;

/// Batches after which g is 0, for a modulus of so many bits.
///
/// ⌊(45907·bits + 26313)/19929⌋ steps, by the hulls of safegcd-bounds.
const fn batches(bits: u32) -> u32 {
    ((45_907 * bits + 26_313) / 19_929).div_ceil(STEPS)
}

// The formula gives 591 steps for 256 bits, of which 590 are proved to be enough: as many batches.
const _: () = assert!(batches(256) == 590u32.div_ceil(STEPS));

/// The bits of a number that is not 0.
const fn bits<const N: usize>(limbs: &[u32; N]) -> u32 {
    let mut n = N;
    while limbs[n - 1] == 0 {
        n -= 1;
    }
    32 * n as u32 - limbs[n - 1].leading_zeros()
}

/// `a⁻¹`, and zero for zero; a call on the GPU too, as the quadratic extension's product is.
#[inline(never)]
pub(super) extern "C" fn invert<C: Config<N>, const N: usize>(a: Prime<C, N>) -> Prime<C, N> {
    let p = const { Digits::from_limbs(&C::MODULUS) };
    let mut f = p;
    let mut g = Digits::from_limbs(a.montgomery_limbs());
    let mut d = Digits::ZERO;
    let mut e = const { Digits::from_limbs(&C::R2) };
    let mut delta = 0;
    let mut batch = 0;
    // The number of batches is not secret.
    while batch < const { batches(bits(&C::MODULUS)) } && !g.is_zero() {
        let matrix;
        (matrix, delta) = steps(delta, f.low[0] as u32, g.low[0] as u32);
        matrix.apply(&mut f, &mut g);
        matrix.apply_modulo(&mut d, &mut e, &p, C::INV);
        batch += 1;
    }
    let inverse = Prime::from_montgomery_limbs(d.to_residue(&C::MODULUS));
    if f.is_negative() { -inverse } else { inverse }
}

/// What [`STEPS`] steps do: 2³⁰·(f, g) → (u·f + v·g, q·f + r·g). |u| + |v| ≤ 2³⁰, and |q| + |r|.
struct Matrix {
    u: i32,
    v: i32,
    q: i32,
    r: i32,
}

/// The matrix of the next steps and the δ after them, from the lowest bits of f and g.
///
/// δ is given and returned less 1/2.
#[inline(always)]
fn steps(mut delta: i32, mut f: u32, mut g: u32) -> (Matrix, i32) {
    let (mut u, mut v, mut q, mut r) = (1u32, 0u32, 0u32, 1u32);
    let mut step = 0;
    while step < STEPS {
        // In place of halving the second of a pair, the first is doubled, so g's lowest bit moves up.
        // By masks and not by conditions, of which LLVM makes branches.
        let odd = g >> step & 1;
        let swap = odd.wrapping_neg() & !((delta >> 31) as u32);
        // −1 where the pairs are swapped, else 1 or 0.
        let sign = odd | swap;
        let pair = |a: u32, b: u32| {
            let first = a ^ ((a ^ b) & swap);
            (first << 1, b.wrapping_add(sign.wrapping_mul(a)))
        };
        ((f, g), (u, q), (v, r)) = (pair(f, g), pair(u, q), pair(v, r));
        delta = (delta ^ swap as i32) + 1;
        step += 1;
    }
    (Matrix { u: u as i32, v: v as i32, q: q as i32, r: r as i32 }, delta)
}

impl Matrix {
    /// The rows applied to two digits, and added to what is carried.
    #[inline(always)]
    fn mad(&self, (up, down): (i64, i64), a: i32, b: i32) -> (i64, i64) {
        let row = |sum, x, y| mad_wide(mad_wide(sum, x, a), y, b);
        (row(up, self.u, self.v), row(down, self.q, self.r))
    }

    /// Takes the steps; the division is exact.
    #[inline(always)]
    fn apply<const N: usize>(&self, f: &mut Digits<N>, g: &mut Digits<N>) {
        let (cf, cg) = self.mad((0, 0), f.low[0], g.low[0]);
        let (mut cf, mut cg) = (cf >> STEPS, cg >> STEPS);
        unroll!(I in 0..N => {
            let (sf, sg) = self.mad((cf, cg), f.digit(I + 1), g.digit(I + 1));
            (cf, cg) = (f.push(I, sf), g.push(I, sg));
        });
        (f.top, g.top) = (cf as i32, cg as i32);
    }

    /// Takes the steps modulo p. Before and after, −2p < d, e < p.
    #[inline(always)]
    fn apply_modulo<const N: usize>(
        &self,
        d: &mut Digits<N>,
        e: &mut Digits<N>,
        p: &Digits<N>,
        inv: u32,
    ) {
        // With p added to negative ones d and e are within ±p, and the rows of the matrix applied
        // to them within ±2³⁰·p. The multiple of p that makes the lowest digit 0 is subtracted: at
        // most 2³⁰ − 1 times p.
        let (sd, se) = (d.top >> 31, e.top >> 31);
        let (md, me) = ((self.u & sd) + (self.v & se), (self.q & sd) + (self.r & se));
        let (cd, ce) = self.mad((0, 0), d.low[0], e.low[0]);
        let multiple = |m: i32, c: i64| {
            let zeroing = (c as u32).wrapping_mul(inv) as i32;
            m - (m.wrapping_sub(zeroing) & MASK)
        };
        let (md, me) = (multiple(md, cd), multiple(me, ce));
        let mut cd = mad_wide(cd, md, p.low[0]) >> STEPS;
        let mut ce = mad_wide(ce, me, p.low[0]) >> STEPS;
        unroll!(I in 0..N => {
            let (sd, se) = self.mad((cd, ce), d.digit(I + 1), e.digit(I + 1));
            cd = d.push(I, mad_wide(sd, md, p.digit(I + 1)));
            ce = e.push(I, mad_wide(se, me, p.digit(I + 1)));
        });
        (d.top, e.top) = (cd as i32, ce as i32);
    }
}

/// A number in two's complement: N digits and a signed one above them, which is as much as N limbs
/// and two bits need for N up to 14.
#[derive(Clone, Copy)]
struct Digits<const N: usize> {
    low: [i32; N],
    top: i32,
}

impl<const N: usize> Digits<N> {
    const ZERO: Self = Self { low: [0; N], top: 0 };

    /// Digit i has the bits from 30i up: those from 32 − 2i of limb i − 1, and from 0 of limb i.
    #[inline(always)]
    const fn from_limbs(limbs: &[u32; N]) -> Self {
        const { assert!(N <= 14) };
        let mut low = [0; N];
        low[0] = limbs[0] as i32 & MASK;
        unroll!(I in 1..N => {
            let bits = limbs[I - 1] >> (32 - 2 * I) | limbs[I] << (2 * I);
            low[I] = bits as i32 & MASK;
        });
        Self { low, top: (limbs[N - 1] >> (32 - 2 * N)) as i32 }
    }

    /// The residue of a number between −2p and p.
    #[inline(always)]
    fn to_residue(self, p: &[u32; N]) -> [u32; N] {
        let mut limbs = [0; N];
        unroll!(I in 0..N => {
            limbs[I] = self.digit(I) as u32 >> (2 * I) | (self.digit(I + 1) as u32) << (30 - 2 * I);
        });
        // A carry says that the sum is not negative any more.
        let (once, carry) = limbs::add(&limbs, p);
        let (twice, _) = limbs::add(&once, p);
        let corrected = limbs::select(carry != 0, &once, &twice);
        limbs::select(self.is_negative(), &corrected, &limbs)
    }

    #[inline(always)]
    const fn digit(&self, i: usize) -> i32 {
        if i == N { self.top } else { self.low[i] }
    }

    /// Sets digit `i` to the lowest bits of `sum`, and returns the others.
    #[inline(always)]
    fn push(&mut self, i: usize, sum: i64) -> i64 {
        self.low[i] = sum as i32 & MASK;
        sum >> STEPS
    }

    #[inline(always)]
    fn is_negative(&self) -> bool {
        self.top < 0
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        let mut any = self.top;
        unroll!(I in 0..N => {
            any |= self.low[I];
        });
        any == 0
    }
}
