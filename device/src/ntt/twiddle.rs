//! Twiddles, and products by them.
//!
//! With the quotient w' = ⌊w·2²⁵⁶/r⌋ of a twiddle w beside it, q = ⌊w'·b/2²⁵⁶⌋ is the quotient of w·b by r, or
//! little less, and w·b − q·r is the product: of one multiplication the high half is needed, and of two the
//! low one. That is V. Shoup's way; see D. Harvey, Faster arithmetic for number-theoretic transforms.
//!
//! # Bounds
//!
//! q leaves out the products of w' and b below word 6. They are less than 7·2²²⁴, so that w'·b/2²⁵⁶ − q
//! is below 1 + 7·2⁻³². The quotient w'/2²⁵⁶ is below w/r, by less than 2⁻²⁵⁶. Together, w·b/r − q is at
//! least 0 and below 1 + 7·2⁻³² + b/2²⁵⁶, which is 1.91 for b below 2r.
//!
//! # Speed
//!
//! 86 wide products and 14 low ones, which are half as dear, and 31 additions; a product of
//! [`montgomery`] has 112 and 100.

use crate::field::{Config, Fr, fr::FrConfig};
use crate::limbs::{
    add, add_mad, mad, mad_last, mad_low, montgomery, mul_row, mul_wide, odd, shift_pair, sub,
    unroll,
};
use crate::words::Words;

/// A twiddle: of an element not the Montgomery form but the value, so that a product with a Montgomery
/// form is one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(8))]
pub struct Twiddle {
    value: [u32; 8],
    quotient: [u32; 8],
}

/// 2²⁵⁶ − r.
const NEGATIVE: [u32; 8] = {
    assert!(FrConfig::MODULUS[0] == 1 && FrConfig::MODULUS[1] == u32::MAX);
    let mut negative = [0; 8];
    let mut i = 0;
    while i < 8 {
        negative[i] = !FrConfig::MODULUS[i];
        i += 1;
    }
    negative[0] += 1;
    negative
};

impl Twiddle {
    /// The twiddle of an element.
    #[inline(always)]
    pub fn of(element: &Fr) -> Self {
        let modulus = montgomery::Modulus { p: &FrConfig::MODULUS, inv: FrConfig::INV };
        let (value, quotient) = montgomery::reduce_half(element.montgomery_limbs(), modulus);
        Self { value, quotient }
    }

    /// The product with b, which is below 2r: a number below 2r.
    #[expect(clippy::out_of_bounds_indexing, reason = "in arms of `unroll` that are left out")]
    #[inline(always)]
    pub fn times(&self, b: &[u32; 8]) -> [u32; 8] {
        let q = high(&self.quotient, b);
        // All modulo 2²⁵⁶. As r is 1 − 2³² modulo 2⁶⁴, −q·r is q·2³² − q and products by the limbs from
        // 2 up. In x, those at even words; in y, at odd ones.
        let mut x = mul_row(&self.value, b[0]);
        let mut y = [0, q[0], q[1], q[2], q[3], q[4], q[5], q[6]];
        mad_low::<8, 1, 1>(&mut y, &self.value, b[0]);
        unroll!(I in 1..8 => {
            const EVEN: usize = I.next_multiple_of(2);
            const ODD: usize = I | 1;
            if EVEN < 8 {
                mad_low::<8, EVEN, { EVEN - I }>(&mut x, &self.value, b[I]);
            }
            mad_low::<8, ODD, { ODD - I }>(&mut y, &self.value, b[I]);
        });
        unroll!(I in 0..6 => {
            const EVEN: usize = (I + 2).next_multiple_of(2);
            const ODD: usize = (I + 2) | 1;
            if EVEN < 8 {
                mad_low::<8, EVEN, { EVEN - I }>(&mut x, &NEGATIVE, q[I]);
            }
            mad_low::<8, ODD, { ODD - I }>(&mut y, &NEGATIVE, q[I]);
        });
        sub(&add(&x, &y).0, &q).0
    }
}

/// The high half of `a·b` without the products below word 6.
///
/// In two accumulators, as [`product`](crate::limbs::product) says.
#[expect(clippy::out_of_bounds_indexing, reason = "in arms of `unroll` that are left out")]
#[inline(always)]
fn high(a: &[u32; 8], b: &[u32; 8]) -> [u32; 8] {
    let (mut x, mut y) = ([0; 8], [0; 8]);
    (x[6], x[7]) = mul_wide(a[6], b[0]);
    (y[6], y[7]) = mul_wide(a[7], b[0]);
    unroll!(I in 1..8 => {
        const LEAST: usize = 6usize.saturating_sub(I);
        const EVEN: usize = LEAST.next_multiple_of(2);
        const ODD: usize = LEAST | 1;
        let carried = x[1];
        (x, y) = (y, shift_pair(&x));
        if I == 7 {
            add_mad(&mut x[0], carried, &mut y, a, b[I]);
        } else {
            // Nothing is carried: until word 6 comes down to it, x₁ is 0.
            mad_last::<8, { ODD - 1 }, ODD>(&mut y, a, b[I]);
        }
        y[7] = mad::<8, EVEN, EVEN>(&mut x, a, b[I], y[7]);
    });
    add(&odd(&x), &y).0
}

impl Words for Twiddle {
    const QUADS: u32 = 4;

    #[inline(always)]
    fn from_quads(quad: impl FnMut(u32) -> [u32; 4]) -> Self {
        let (value, quotient) = Words::from_quads(quad);
        Self { value, quotient }
    }

    #[inline(always)]
    fn for_quads(&self, quad: impl FnMut(u32, [u32; 4])) {
        (self.value, self.quotient).for_quads(quad);
    }
}
