//! Montgomery multiplication over the carry chains: `a·b·2⁻³²ᴺ mod p`.
//!
//! Rows are added to two accumulators, as [`product`](super::product) says. In a reduction each row
//! adds `m·p`, where `m = x₀·(−p⁻¹) mod 2³²`, so that `x₀` becomes 0 and the division by 2³² is exact.
//! The rows of a product stand between them, or the product is made first.
//!
//! # Bounds
//!
//! Interleaved, let `t = x + y·2³²` after a row, before the division. Each row adds at most `(2³²−1)·(a + p)`
//! to the quotient of the row before, which is below `a + p`; so `t < 2³²·(a + p)`. All summands
//! are positive, hence `y ≤ t/2³² < a + p`, and `y` fits its N words when `a + p ≤ 2³²ᴺ`. The
//! result is below `p + a·b/2³²ᴺ`: below `2p` for operands below `p`, one subtraction from
//! canonical. A modulus may therefore have 32N − 1 bits.
//!
//! # Speed
//!
//! A GPU's wide multiply-adds bound everything here: an H200 does one for every two additions, and
//! the two run side by side. In its machine code (of the wide multiply-adds of 12 limbs, 12 give only
//! their high half):
//!
//! | | wide multiply-adds | low | additions, selections, shifts | registers |
//! | --- | --- | --- | --- | --- |
//! | [`mul`] of 12 limbs, Karatsuba | 252 | 12 | 205 | 80 |
//! | [`mul_interleaved`] of 12 limbs | 288 | 12 | 70 | 56 |
//! | [`sqr`] of 12 limbs | 222 | 12 | 104 | 52 |
//! | [`mul`] of 8 limbs with a short tail | 112 | 0 | 100 | 40 |
//!
//! # Inlining
//!
//! On the GPU everything is inlined: an array passed to a call goes through local memory. On the
//! host a product is a call, or a sum of two points would be a function of 100,000 instructions.

use super::product::mul_wide;
use super::{add, add_mad, mad, mad_last, mul_row, odd, shift_pair, sub, wide_add_mad};

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

/// `a·b·2⁻³²ᴺ mod p`, canonical, for `a, b ≤ p`.
///
/// By [`mul_wide`] for 12 limbs, which is Karatsuba's way; else as [`mul_interleaved`].
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn mul<const N: usize>(a: &[u32; N], b: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    if const { N == 12 } {
        let (low, high) = mul_wide(a, b);
        return reduce_wide((&low, &high), modulus);
    }
    mul_interleaved(a, b, modulus)
}

/// [`mul`] with the products of the reduction between those of the factors.
///
/// 2N² wide products and N low ones; 2N² − 2N wide ones for a modulus with a short tail.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn mul_interleaved<const N: usize>(
    a: &[u32; N],
    b: &[u32; N],
    modulus: Modulus<'_, N>,
) -> [u32; N] {
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
        add_reduce_row(&mut x, &mut y, carried, modulus);

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
/// N² wide products and N low ones; with a short tail N² − 2N and none.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn reduce<const N: usize>(a: &[u32; N], modulus: Modulus<'_, N>) -> [u32; N] {
    reduce_once(&reduce_half(a, modulus).0, modulus.p)
}

/// `(low + high·2³²ᴺ)·2⁻³²ᴺ mod p`, canonical, for a number below `p·2³²ᴺ`.
///
/// N² wide products and N low ones; with a short tail N² − 2N and none.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn reduce_wide<const N: usize>(
    (low, high): (&[u32; N], &[u32; N]),
    modulus: Modulus<'_, N>,
) -> [u32; N] {
    // high < p, and the rest is at most p.
    let (sum, _) = add(&reduce_half(low, modulus).0, high);
    reduce_once(&sum, modulus.p)
}

/// `a·2⁻ᵏ mod p`, canonical, for `a < p` and k up to 32: one row of a reduction, which divides by 2³²,
/// of `a·2³²⁻ᵏ`.
///
/// N wide products, and N shifts that are as many on the GPU.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn divide_by_power_of_two<const N: usize>(
    a: &[u32; N],
    k: u32,
    modulus: Modulus<'_, N>,
) -> [u32; N] {
    let mut x = [0; N];
    let mut below = 0;
    unroll!(I in 0..N => {
        let shifted = u64::from(a[I]) << (32 - k);
        x[I] = shifted as u32 | below;
        below = (shifted >> 32) as u32;
    });
    // Word N of `a·2³²⁻ᵏ`, which is below 2³²·p, and so `y` stays below 2p < 2³²ᴺ.
    let mut y = [0; N];
    y[N - 1] = below;
    add_reduce_row(&mut x, &mut y, 0, modulus);
    finish(&x, &y, modulus)
}

/// `a·2⁻³²ᴺ` modulo p, at most p, and `(w·2³²ᴺ − a)/p` for that result w: of an `a < p`, w is below p, and
/// the other is `⌊w·2³²ᴺ/p⌋`.
#[inline(always)]
pub fn reduce_half<const N: usize>(a: &[u32; N], modulus: Modulus<'_, N>) -> ([u32; N], [u32; N]) {
    let (mut x, mut y, mut quotient) = (*a, [0; N], [0; N]);
    quotient[0] = add_reduce_row(&mut x, &mut y, 0, modulus);
    unroll!(I in 1..N => {
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        quotient[I] = add_reduce_row(&mut x, &mut y, carried, modulus);
    });
    (join(&x, &y), quotient)
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
        let carry = wide_add_mad::<N, 3>(y, x[0], high, p, m, 0);
        debug_assert_eq!(carry, 0, "carry out of a chain that has none");
        y[N - 1] = wide_add_mad::<N, 2>(x, m, 0, p, m, y[N - 1]);
    } else {
        let m = x[0].wrapping_mul(modulus.inv);
        mad_last::<N, 0, 1>(y, p, m);
        y[N - 1] = mad::<N, 0, 0>(x, p, m, y[N - 1]);
    }
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

/// Adds `carried` to `x₀`, and then `m·p` with the m that makes the sum zero, which it
/// returns.
#[inline(always)]
fn add_reduce_row<const N: usize>(
    x: &mut [u32; N],
    y: &mut [u32; N],
    carried: u32,
    modulus: Modulus<'_, N>,
) -> u32 {
    let p = modulus.p;
    if modulus.has_short_tail() {
        // As in `reduce_row`; the carry of the sum goes to word 1, where the high word leaves room.
        let ([sum, carry], _) = add(&[x[0], 0], &[carried, 0]);
        let ([m, below], _) = sub(&[0, 0], &[sum, 0]);
        let ([low, high], _) = add(&[sum, m.wrapping_add(below)], &[carry, 0]);
        x[0] = sum;
        let carry = wide_add_mad::<N, 3>(y, low, high, p, m, 0);
        debug_assert_eq!(carry, 0, "carry out of a chain that has none");
        y[N - 1] = wide_add_mad::<N, 2>(x, m, 0, p, m, y[N - 1]);
        m
    } else {
        let m = x[0].wrapping_add(carried).wrapping_mul(modulus.inv);
        add_mad(&mut x[0], carried, y, p, m);
        y[N - 1] = mad::<N, 0, 0>(x, p, m, y[N - 1]);
        m
    }
}
