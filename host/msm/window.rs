//! How wide a window is.

/// Bits of the absolute value of any recoded scalar: it is at most (r − 1) / 2 < 2^254.
pub(super) const VALUE_BITS: u32 = 254;

/// The widest window considered: 2^17 buckets, 12 MiB of them in G1.
const MAX_BITS: u32 = 18;

/// What a row's and a column's running sum cost for each of their elements, in batched affine
/// additions: two projective additions of 16 multiplications against 6.
const RUNNING_SUM_COST: usize = 6;

/// What a level of a tree of batched additions costs besides them: an inversion, in additions.
const LEVEL_COST: usize = 10;

/// Number of windows of `bits` bits for absolute values of `value_bits`. The top window's highest
/// bit must be 0 for the last digit not to be negative, hence one bit more.
pub(super) fn count(value_bits: u32, bits: u32) -> u32 {
    (value_bits + 1).div_ceil(bits)
}

/// The width for `terms` terms of `value_bits`, by the number of batched affine additions. In each window the
/// points take one each, less one a bucket, and the buckets' row and column sums two a bucket;
/// then come the running sums over rows and columns, and the levels of three trees at least.
pub(super) fn width(terms: usize, value_bits: u32) -> u32 {
    let cost = |bits: u32| {
        let buckets = 1usize << (bits - 1);
        let sides = 2 << ((bits - 1) / 2);
        let levels = (terms / buckets + 1).ilog2() + bits;
        let window = terms + buckets + RUNNING_SUM_COST * sides + LEVEL_COST * levels as usize;
        count(value_bits, bits) as usize * window
    };
    (3..=MAX_BITS).min_by_key(|&bits| cost(bits)).expect("the range is not empty")
}
