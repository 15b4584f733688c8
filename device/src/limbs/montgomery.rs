//! Montgomery multiplication over the carry chains: `a·b·2⁻³²ᴺ mod p`.
//!
//! # Even and odd accumulators
//!
//! A 32×32-bit product has 64 bits, so the products of one row `a·bᵢ` overlap by half. Split by
//! the parity of the limb of `a` they do not, and each half of the row is one carry chain of
//! multiply-adds. Hence two accumulators of N words: `x` stands at words 0 … N−1 and `y` one word
//! up, at 1 … N. A row adds `a·bᵢ` and `m·p`, where `m = x₀·(−p⁻¹) mod 2³²`, so that `x₀` becomes
//! 0. Dividing by 2³² then swaps the two: the new `x` is `y` (with `x₁` added at the bottom), the
//! new `y` is `x₂ …` with two words of zero on top, and the carry of that bottom addition enters
//! the first multiply-add of the new `y`.
//!
//! # Bounds
//!
//! Let `t = x + y·2³²` after a row, before the division. Each row adds at most `(2³²−1)·(a + p)`
//! to the quotient of the row before, which is below `a + p`; so `t < 2³²·(a + p)`. All summands
//! are positive, hence `y ≤ t/2³² < a + p`, and `y` fits its N words when `a + p ≤ 2³²ᴺ`. The
//! result is below `p + a·b/2³²ᴺ`: below `2p` for operands below `p`, one subtraction from
//! canonical. A modulus may therefore have 32N − 1 bits.
//!
//! # Inlining
//!
//! On the GPU everything is inlined: an array passed to a call goes through local memory. On the
//! host a product is a call, or a sum of two points would be a function of 100,000 instructions.

use super::{add, add_mad, mad, mad_last, mul_wide, sub, wide_add_mad};

/// What a reduction needs to know of a modulus.
#[derive(Clone, Copy)]
pub struct Modulus<'a, const N: usize> {
    /// The modulus p: odd, of at most 32N − 1 bits.
    pub p: &'a [u32; N],
    /// −p⁻¹ mod 2³².
    pub inv: u32,
}

impl<const N: usize> Modulus<'_, N> {
    /// Whether p ≡ 2⁶⁴ − 2³² + 1 (mod 2⁶⁴): then −p⁻¹ ≡ −1 (mod 2³²), and the two lowest limbs
    /// of m·p need no multiplication.
    const fn has_short_tail(&self) -> bool {
        self.p[0] == 1 && self.p[1] == u32::MAX
    }

    /// Whether a sum of three residues fits N limbs, which [`sqr`] needs.
    const fn three_fit(&self) -> bool {
        self.p[N - 1] < u32::MAX / 3
    }
}

/// `a·b·2⁻³²ᴺ mod p`, canonical, for `a, b < p`.
///
/// 2N² wide products and N low ones; 2N² − 2N wide ones for a modulus with a short tail.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn mul<const N: usize>(a: &[u32; N], b: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    let mut x = mul_row(a, b[0]);
    let mut y = mul_row(&odd(a), b[0]);
    reduce_row(&mut x, &mut y, modulus);
    unroll!(I in 1..N => {
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        add_mad(&mut x[0], carried, &mut y, a, b[I]);
        y[N - 1] = mad::<N, 0, 0>(&mut x, a, b[I], y[N - 1]);
        reduce_row(&mut x, &mut y, modulus);
    });
    finish(&x, &y, modulus)
}

/// `(a·b + c·d)·2⁻³²ᴺ mod p`, canonical, for factors up to p, given as `(a, b, c, d)`.
///
/// 3N² wide products and N low ones: both products share a reduction. Here `t < 2³²·(a + c + p)`;
/// where three residues do not fit N limbs, the products are reduced one by one.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn mul_add_mul<const N: usize>(
    (a, b, c, d): (&[u32; N], &[u32; N], &[u32; N], &[u32; N]),
    modulus: Modulus<'_, N>,
) -> [u32; N] {
    if !modulus.three_fit() {
        let (sum, _) = add(&mul(a, b, modulus), &mul(c, d, modulus));
        return reduce_once(&sum, modulus.p);
    }
    let mut x = mul_row(a, b[0]);
    let mut y = mul_row(&odd(a), b[0]);
    mad_last::<N, 0, 1>(&mut y, c, d[0]);
    y[N - 1] = mad::<N, 0, 0>(&mut x, c, d[0], y[N - 1]);
    reduce_row(&mut x, &mut y, modulus);
    unroll!(I in 1..N => {
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        add_mad(&mut x[0], carried, &mut y, a, b[I]);
        y[N - 1] = mad::<N, 0, 0>(&mut x, a, b[I], y[N - 1]);
        mad_last::<N, 0, 1>(&mut y, c, d[I]);
        y[N - 1] = mad::<N, 0, 0>(&mut x, c, d[I], y[N - 1]);
        reduce_row(&mut x, &mut y, modulus);
    });
    // (a·b + c·d)/2³²ᴺ is below 2p·(p/2³²ᴺ) < p, so this is below 2p again.
    finish(&x, &y, modulus)
}

/// `a²·2⁻³²ᴺ mod p`, canonical, for `a < p`.
///
/// N(N+1)/2 wide products for the square and N² for the reduction. Row i of the square is
/// `aᵢ·(aᵢ + 2·aᵢ₊₁·2³² + …)`, which starts i words above the bottom of the accumulators; its
/// factors are the limbs of 2a, but for the lowest two.
///
/// Here `t < 2³²·(2a + p)`: where three residues do not fit N limbs, this is [`mul`].
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn sqr<const N: usize>(a: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    if !modulus.three_fit() {
        return mul(a, a, modulus);
    }
    // 2a < 2³²ᴺ by the same bound.
    let (double, _) = add(a, a);

    let row = square_row::<N>(a, &double, 0);
    let mut x = mul_row(&row, a[0]);
    let mut y = mul_row(&odd(&row), a[0]);
    reduce_row(&mut x, &mut y, modulus);
    unroll!(I in 1..N => {
        // The row of the square leaves word 0 alone, so m is known before it, and the carry
        // of the division enters the products by p.
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        let m = x[0].wrapping_add(carried).wrapping_mul(modulus.inv);
        add_mad(&mut x[0], carried, &mut y, modulus.p, m);
        y[N - 1] = mad::<N, 0, 0>(&mut x, modulus.p, m, y[N - 1]);

        // Word w of the row stands at x[w] or, one word up, at y[w − 1].
        let row = square_row::<N>(a, &double, I);
        const EVEN: usize = I.next_multiple_of(2);
        const ODD: usize = I | 1;
        mad_last::<N, { ODD - 1 }, ODD>(&mut y, &row, a[I]);
        if EVEN < N {
            y[N - 1] = mad::<N, EVEN, EVEN>(&mut x, &row, a[I], y[N - 1]);
        }
    });
    finish(&x, &y, modulus)
}

/// `a·2⁻³²ᴺ mod p`, canonical, for any `a` of N limbs: out of Montgomery form.
///
/// N² wide products and N low ones.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn reduce<const N: usize>(a: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    reduce_once(&reduce_half(a, modulus), modulus.p)
}

/// `(low + high·2³²ᴺ)·2⁻³²ᴺ mod p`, canonical, for a number below `p·2³²ᴺ`.
///
/// N² wide products and N low ones.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn reduce_wide<const N: usize>(
    (low, high): (&[u32; N], &[u32; N]),
    modulus: Modulus<'_, N>,
) -> [u32; N] {
    // high < p, and the rest is at most p.
    let (sum, _) = add(&reduce_half(low, modulus), high);
    reduce_once(&sum, modulus.p)
}

/// `a·b`, unreduced: the low and the high half. N² wide products.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn mul_wide_full<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], [u32; N]) {
    let mut low = [0; N];
    let mut x = mul_row(a, b[0]);
    let mut y = mul_row(&odd(a), b[0]);
    low[0] = x[0];
    unroll!(I in 1..N => {
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        add_mad(&mut x[0], carried, &mut y, a, b[I]);
        y[N - 1] = mad::<N, 0, 0>(&mut x, a, b[I], y[N - 1]);
        low[I] = x[0];
    });
    (low, join(&x, &y))
}

/// `a·2⁻³²ᴺ` modulo p, at most p.
#[inline(always)]
fn reduce_half<const N: usize>(a: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    let m = a[0].wrapping_mul(modulus.inv);
    let mut x = *a;
    let mut y = mul_row(&odd(modulus.p), m);
    y[N - 1] = mad::<N, 0, 0>(&mut x, modulus.p, m, y[N - 1]);
    unroll!(_I in 1..N => {
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        let m = x[0].wrapping_add(carried).wrapping_mul(modulus.inv);
        add_mad(&mut x[0], carried, &mut y, modulus.p, m);
        y[N - 1] = mad::<N, 0, 0>(&mut x, modulus.p, m, y[N - 1]);
    });
    join(&x, &y)
}

/// The end of a multiplication: joins the accumulators and subtracts p if needed.
#[inline(always)]
fn finish<const N: usize>(x: &[u32; N], y: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    // Below 2p, as the module's bounds say.
    reduce_once(&join(x, y), modulus.p)
}

/// `y + x/2³²`: the accumulators' quotient by 2³².
#[inline(always)]
fn join<const N: usize>(x: &[u32; N], y: &[u32; N]) -> [u32; N] {
    add(&odd(x), y).0
}

/// `a mod p` for `a < 2p`.
#[inline(always)]
pub fn reduce_once<const N: usize>(a: &[u32; N], p: &[u32; N]) -> [u32; N] {
    let (difference, borrow) = sub(a, p);
    super::select(borrow == 0, &difference, a)
}

/// Adds `m·p` with the m that makes `x₀` zero.
#[inline(always)]
fn reduce_row<const N: usize>(x: &mut [u32; N], y: &mut [u32; N], modulus: Modulus<'_, N>) {
    let p = modulus.p;
    if modulus.has_short_tail() {
        // m = −x₀, and m·(2³² − 1) = m·2³² − m: the low word is x₀ again, the high one is m, less
        // 1 unless m is 0.
        let ([m, high], _) = sub(&[0, 0], &[x[0], 0]);
        let high = high.wrapping_add(m);
        wide_add_mad::<N, 3>(y, x[0], high, p, m, 0);
        y[N - 1] = wide_add_mad::<N, 2>(x, m, 0, p, m, y[N - 1]);
    } else {
        let m = x[0].wrapping_mul(modulus.inv);
        mad_last::<N, 0, 1>(y, p, m);
        y[N - 1] = mad::<N, 0, 0>(x, p, m, y[N - 1]);
    }
}

/// `m·Σ a[2k]·2⁶⁴ᵏ`.
#[inline(always)]
fn mul_row<const N: usize>(a: &[u32; N], m: u32) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        if I.is_multiple_of(2) {
            (out[I], out[I + 1]) = mul_wide(a[I], m);
        }
    });
    out
}

/// The factors of row `i` of a square: `aᵢ` at word i, `2·aᵢ₊₁ mod 2³²` above it, then the limbs
/// of 2a. (Limb i + 1 of 2a holds the top bit of `aᵢ`, which is not this row's.)
#[inline(always)]
fn square_row<const N: usize>(a: &[u32; N], double: &[u32; N], i: usize) -> [u32; N] {
    let mut row = *double;
    row[i] = a[i];
    if i + 1 < N {
        row[i + 1] = a[i + 1] << 1;
    }
    row
}

/// The limbs from 1 up, and a zero: a division by 2³², and the odd limbs at even places.
#[inline(always)]
fn odd<const N: usize>(a: &[u32; N]) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        out[I] = if I + 1 < N { a[I + 1] } else { 0 };
    });
    out
}

/// The limbs from 2 up, with two zeros above them.
#[inline(always)]
fn shift_pair<const N: usize>(x: &[u32; N]) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..N => {
        out[I] = if I + 2 < N { x[I + 2] } else { 0 };
    });
    out
}
