//! Products of two numbers, unreduced.
//!
//! # Even and odd accumulators
//!
//! A 32×32-bit product has 64 bits, so the products of one row `a·bᵢ` overlap by half. Split by
//! the parity of the limb of `a` they do not, and each half of the row is one carry chain of
//! multiply-adds. Hence two accumulators of N words: `x` stands at words 0 … N−1 and `y` one word
//! up, at 1 … N. After row i, `x₀` is limb i of the product. Dividing by 2³² swaps the two: the
//! new `x` is `y` (with `x₁` added at the bottom), the new `y` is `x₂ …` with two words of zero on
//! top, and the carry of that bottom addition enters the first multiply-add of the new `y`.
//!
//! With `t = x + y·2³²` after a row, before the division, `t ≤ 2³²·a`: so `y ≤ a`, which fits its N
//! words.

use super::{add, add_carry, add_mad, mad, mul_row, odd, select, shift_pair, sub};

/// `a·b`, the low and the high half, limb by limb, for an even N. N² wide products.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn schoolbook<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], [u32; N]) {
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
    (low, add(&odd(&x), &y).0)
}

/// `a·b`, the low and the high half, by one level of Karatsuba for 12 limbs, for factors below 2³²ᴺ⁻¹;
/// of other lengths by [`schoolbook`].
///
/// 108 wide products in place of 144, for about 130 additions more. Of 8 limbs the additions would cost
/// more than they save: on an H200 the scalar field of BLS12-381 has 67 multiplications a nanosecond as
/// it is, and 52 that way.
#[cfg_attr(target_arch = "nvptx64", inline)]
#[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
pub fn mul_wide<const N: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], [u32; N]) {
    match N {
        12 => karatsuba::<N, 6>(a, b),
        _ => schoolbook(a, b),
    }
}

/// With `a = a₀ + a₁·B`, `b` alike and B = 2³²ᴴ, N = 2H:
/// `a₀b₀ + ((a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁)·B + a₁b₁·B²`.
#[inline(always)]
fn karatsuba<const N: usize, const H: usize>(a: &[u32; N], b: &[u32; N]) -> ([u32; N], [u32; N]) {
    let (a0, a1) = (part::<H, 0, N>(a), part::<H, H, N>(a));
    let (b0, b1) = (part::<H, 0, N>(b), part::<H, H, N>(b));
    let bottom: [u32; N] = join(schoolbook(&a0, &b0));
    let top: [u32; N] = join(schoolbook(&a1, &b1));

    // What belongs in the middle is a₀b₁ + a₁b₀ < 2·B·B/2, as a₁ and b₁ lack a bit: so it is
    // enough to know it modulo B², and of the product of sums with carries, the product of
    // the carries does not matter.
    let (a2, carry_a) = add(&a0, &a1);
    let (b2, carry_b) = add(&b0, &b1);
    let (low, high) = schoolbook(&a2, &b2);
    let (high, _) = add(&high, &select(carry_a != 0, &b2, &[0; H]));
    let (high, _) = add(&high, &select(carry_b != 0, &a2, &[0; H]));
    let (middle, _) = sub(&join::<N, H>((low, high)), &bottom);
    let (middle, _) = sub(&middle, &top);

    let (upper, carry) = add(&part::<H, H, N>(&bottom), &part::<H, 0, N>(&middle));
    let (top, _) = add_carry(&top, &part::<N, H, N>(&middle), carry);
    (join((part::<H, 0, N>(&bottom), upper)), top)
}

/// M limbs of `a` from limb AT up, with zeros above its end.
#[inline(always)]
fn part<const M: usize, const AT: usize, const N: usize>(a: &[u32; N]) -> [u32; M] {
    let mut out = [0; M];
    unroll!(I in 0..M => {
        if AT + I < N {
            out[I] = a[AT + I];
        }
    });
    out
}

/// A low and a high half of H limbs as one number of N = 2H.
#[inline(always)]
fn join<const N: usize, const H: usize>((low, high): ([u32; H], [u32; H])) -> [u32; N] {
    let mut out = [0; N];
    unroll!(I in 0..H => {
        out[I] = low[I];
        out[H + I] = high[I];
    });
    out
}
