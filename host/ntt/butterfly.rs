//! The two networks, by halves, so that each part of the work soon fits a core's cache.

use blst::{blst_fr, blst_fr_mul};
use blstrs::Scalar;
use rayon::prelude::*;

use crate::field::SCALAR_MODULUS as ORDER;

/// Blocks up to this size are one task.
const TASK: usize = 1 << 11;

/// The twiddles of the forward or the inverse transform, out of one table.
///
/// The table holds ω^rev(j) for j below n/2, rev reversing the bits. The inverse of entry j lies
/// among those of the same number of bits: with rev(j) = (2t + 1)s, it is ω^−(2t + 1)s
/// = −ω^(n/2 − (2t + 1)s), the negative of the entry as far from the group's end as j is from its
/// start.
#[derive(Clone, Copy)]
pub(super) struct Twiddles<'a> {
    pub(super) table: &'a [Scalar],
    pub(super) inverse: bool,
}

impl Twiddles<'_> {
    /// ω^±rev(block), for `block` ≥ 1, and whether to negate it.
    #[inline(always)]
    fn get(&self, block: usize) -> (&blst_fr, bool) {
        if self.inverse {
            let group = 1 << block.ilog2();
            (raw(&self.table[3 * group - 1 - block]), true)
        } else {
            (raw(&self.table[block]), false)
        }
    }
}

fn raw(scalar: &Scalar) -> &blst_fr {
    // SAFETY: Scalar is repr(transparent) around blst_fr.
    unsafe { &*std::ptr::from_ref(scalar).cast() }
}

fn raw_mut(scalar: &mut Scalar) -> &mut blst_fr {
    // SAFETY: as in `raw`, and the borrow stays exclusive.
    unsafe { &mut *std::ptr::from_mut(scalar).cast() }
}

/// Adds r to a number that is negative in two's complement, without a branch. The sign bit tells:
/// both a + b − r and a − b are at least −r and below r < 2^255.
#[inline(always)]
fn add_order_if_negative(limbs: [u64; 4]) -> blst_fr {
    let mask = (limbs[3].cast_signed() >> 63).cast_unsigned();
    let mut carry = false;
    let l = std::array::from_fn(|i| {
        let limb;
        (limb, carry) = limbs[i].carrying_add(ORDER[i] & mask, carry);
        limb
    });
    blst_fr { l }
}

/// a − b. Here rather than by blst's function, so that the limbs stay in registers.
#[inline(always)]
fn sub(a: &blst_fr, b: &blst_fr) -> blst_fr {
    let mut borrow = false;
    add_order_if_negative(std::array::from_fn(|i| {
        let limb;
        (limb, borrow) = a.l[i].borrowing_sub(b.l[i], borrow);
        limb
    }))
}

/// a + b
#[inline(always)]
fn add(a: &blst_fr, b: &blst_fr) -> blst_fr {
    let (mut carry, mut borrow) = (false, false);
    let sum: [u64; 4] = std::array::from_fn(|i| {
        let limb;
        (limb, carry) = a.l[i].carrying_add(b.l[i], carry);
        limb
    });
    add_order_if_negative(std::array::from_fn(|i| {
        let limb;
        (limb, borrow) = sum[i].borrowing_sub(ORDER[i], borrow);
        limb
    }))
}

/// (a, b) → (a + b, a − b)
#[inline(always)]
fn plain(a: &mut Scalar, b: &mut Scalar) {
    let (a, b) = (raw_mut(a), raw_mut(b));
    (*a, *b) = (add(a, b), sub(a, b));
}

/// (a, b) → (a + wb, a − wb) with w the twiddle, or its negative.
#[inline(always)]
fn multiply_first(a: &mut Scalar, b: &mut Scalar, (twiddle, negate): (&blst_fr, bool)) {
    let (a, b) = (raw_mut(a), raw_mut(b));
    let mut product = blst_fr::default();
    // SAFETY: blst reads two elements and writes one.
    unsafe { blst_fr_mul(&mut product, b, twiddle) };
    let (sum, difference) = (add(a, &product), sub(a, &product));
    (*a, *b) = if negate { (difference, sum) } else { (sum, difference) };
}

/// (a, b) → (a + b, w(a − b)) with w the twiddle, or its negative.
#[inline(always)]
fn multiply_last(a: &mut Scalar, b: &mut Scalar, (twiddle, negate): (&blst_fr, bool)) {
    let (a, b) = (raw_mut(a), raw_mut(b));
    let difference = if negate { sub(b, a) } else { sub(a, b) };
    *a = add(a, b);
    // SAFETY: blst reads two elements and writes one.
    unsafe { blst_fr_mul(b, &difference, twiddle) };
}

/// One layer's step on a block: `butterfly` on its halves, in parallel if they are long. The
/// first block of a layer has the twiddle 1.
#[inline(always)]
fn layer(
    (low, high): (&mut [Scalar], &mut [Scalar]),
    twiddles: Twiddles<'_>,
    block: usize,
    butterfly: impl Fn(&mut Scalar, &mut Scalar, (&blst_fr, bool)) + Sync,
) {
    let run = |low: &mut [Scalar], high: &mut [Scalar]| {
        let pairs = low.iter_mut().zip(high);
        if block == 0 {
            pairs.for_each(|(a, b)| plain(a, b));
        } else {
            let twiddle = twiddles.get(block);
            pairs.for_each(|(a, b)| butterfly(a, b, twiddle));
        }
    };
    if low.len() >= TASK {
        low.par_chunks_mut(TASK).zip(high.par_chunks_mut(TASK)).for_each(|(a, b)| run(a, b));
    } else {
        run(low, high);
    }
}

/// Natural → reversed: `values` as the `block`-th block of its layer, through all layers from it.
pub(super) fn natural_to_reversed(values: &mut [Scalar], twiddles: Twiddles<'_>, block: usize) {
    if values.len() > TASK {
        let (low, high) = values.split_at_mut(values.len() / 2);
        layer((low, high), twiddles, block, multiply_first);
        rayon::join(
            || natural_to_reversed(low, twiddles, 2 * block),
            || natural_to_reversed(high, twiddles, 2 * block + 1),
        );
        return;
    }
    let (mut size, mut first) = (values.len(), block);
    while size > 1 {
        for (at, values) in values.chunks_exact_mut(size).enumerate() {
            layer(values.split_at_mut(size / 2), twiddles, first + at, multiply_first);
        }
        size /= 2;
        first *= 2;
    }
}

/// Reversed → natural: `values` as the `block`-th block of its layer, through all layers to it.
pub(super) fn reversed_to_natural(values: &mut [Scalar], twiddles: Twiddles<'_>, block: usize) {
    if values.len() > TASK {
        let (low, high) = values.split_at_mut(values.len() / 2);
        rayon::join(
            || reversed_to_natural(low, twiddles, 2 * block),
            || reversed_to_natural(high, twiddles, 2 * block + 1),
        );
        layer((low, high), twiddles, block, multiply_last);
        return;
    }
    let mut size = 2;
    while size <= values.len() {
        let first = block * (values.len() / size);
        for (at, values) in values.chunks_exact_mut(size).enumerate() {
            layer(values.split_at_mut(size / 2), twiddles, first + at, multiply_last);
        }
        size *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    fn number(limbs: &[u64]) -> BigUint {
        BigUint::from_bytes_le(&limbs.iter().flat_map(|l| l.to_le_bytes()).collect::<Vec<_>>())
    }

    fn element(value: &BigUint) -> blst_fr {
        let mut limbs = value.to_u64_digits();
        limbs.resize(4, 0);
        blst_fr { l: limbs.try_into().unwrap() }
    }

    /// Elements near 0, r/2, r and the limbs' ends, by their limbs.
    #[test]
    fn sums_of_limbs_equal_those_of_integers() {
        let r = number(&ORDER);
        let mut edges: Vec<BigUint> =
            (0..4).map(|limb| (BigUint::from(1u8) << (64 * limb)) - 1u8).collect();
        edges.extend((0..255).step_by(17).map(|bit| (BigUint::from(1u8) << bit) % &r));
        for small in 0..3u8 {
            edges.extend([BigUint::from(small), &r - 1u8 - small, &r / 2u8 + small]);
        }
        for a in &edges {
            for b in &edges {
                assert_eq!(add(&element(a), &element(b)), element(&((a + b) % &r)), "{a} + {b}");
                assert_eq!(sub(&element(a), &element(b)), element(&((a + &r - b) % &r)));
            }
        }
    }
}
