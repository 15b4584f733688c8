//! Whether points of the curve are in the subgroup of order r, many at once.
//!
//! A random signed sum of the points, each coefficient uniform in {−1, 0, 1}, is outside the
//! subgroup with probability at least 2/3 if any point is: take the sum in the quotient group,
//! whose order is the cofactor. Both cofactors are odd, so a point that is not zero there has order
//! 3 or more, its three multiples by −1, 0 and 1 differ, and whatever the others add up to, at most
//! one of the three makes the sum zero. Independent sums multiply: 38 miss with probability at
//! most 3^−38 < 2^−60, for any number of bad points, whoever chose them.
//!
//! Several sums cost one pass. A point's k coefficients are the digits, in balanced ternary, of a
//! random number of absolute value at most (3^k − 1)/2: it is added to the bucket of that number
//! (its inverse, if the number is negative). The last digit's sum is that of the buckets 3q + 1
//! less that of the buckets 3q − 1, and adding up the three buckets of each q leaves the same
//! problem with a digit less.

use rand_chacha::ChaCha12Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

use super::check::first_bad;
use super::{
    AffinePoint, BatchAdder, CurveGroup, Digit, PointError, PointFault, PointSlice, bucket_sums,
    sum,
};

/// A bad point passes [`check_in_subgroup`] with probability below 2 to the minus this.
pub const SUBGROUP_ERROR_BITS: u32 = 60;

/// Sums to test: 3^38 > 2^60.
const SUMS: u32 = 38;

/// What testing one point costs, in batched affine additions: a multiplication by the square of
/// the curve's parameter (G1), 128 doublings.
const TEST_COST: usize = 160;

/// Coefficients drawn from one stream of random numbers.
const STREAM: usize = 1 << 14;

/// Checks that every point is in the subgroup of order r. They must be on the curve:
/// [`check_on_curve`](super::check_on_curve) comes first.
///
/// Few points are tested one by one, many by random sums; then a point that is outside passes with
/// probability below 2^−[`SUBGROUP_ERROR_BITS`], provided that whoever made the points could not
/// foresee `seed`. Costs four or five batched additions a point, on all of rayon's threads.
///
/// # Errors
///
/// The first point that is outside.
///
/// # Panics
///
/// May panic if a point is not on the curve.
pub fn check_in_subgroup<G: CurveGroup>(
    points: PointSlice<'_, G>,
    seed: [u8; 32],
) -> Result<(), PointError> {
    if points.len() >= 1 << 31 {
        // Sorting numbers them with 31 bits.
        let (first, rest) = points.split_at(points.len() / 2);
        check_in_subgroup(first, seed)?;
        return check_in_subgroup(rest, seed)
            .map_err(|error| PointError { index: error.index + first.len(), ..error });
    }
    let Some(digits) = digits_per_pass(points.len()) else {
        return check_each(points);
    };
    for number in 0..SUMS.div_ceil(digits) {
        if !pass::<G>(points, digits, seed, number) {
            check_each(points)?;
            unreachable!("sums of points of the subgroup are in the subgroup");
        }
    }
    Ok(())
}

/// How many sums a pass over this many points should make; none if testing each point is cheaper.
fn digits_per_pass(points: usize) -> Option<u32> {
    let cost = |digits: u32| {
        let passes = SUMS.div_ceil(digits) as usize;
        passes * (points + 3usize.pow(digits) + digits as usize * TEST_COST)
    };
    let best = (1..=13).min_by_key(|&digits| cost(digits))?;
    (cost(best) < points * TEST_COST).then_some(best)
}

fn check_each<G: CurveGroup>(points: PointSlice<'_, G>) -> Result<(), PointError> {
    first_bad(points, |point| match G::is_in_subgroup(&G::to_projective(point)) {
        true => Ok(()),
        false => Err(PointFault::NotInSubgroup),
    })
}

/// Whether `digits` random sums are all in the subgroup.
fn pass<G: CurveGroup>(
    points: PointSlice<'_, G>,
    digits: u32,
    seed: [u8; 32],
    number: u32,
) -> bool {
    let numbers = 3u64.pow(digits);
    let half = (numbers - 1) / 2;
    let mut coefficients = vec![Digit::default(); points.len()];
    coefficients.par_chunks_mut(STREAM).enumerate().for_each(|(stream, coefficients)| {
        let mut rng = ChaCha12Rng::from_seed(seed);
        rng.set_stream(u64::from(number) << 32 | stream as u64);
        for coefficient in coefficients {
            // Uniform but for a relative bias of 3^13 / 2^64, which the bound has room for.
            let number = (u128::from(rng.next_u64()) * u128::from(numbers)) >> 64;
            let number = number as i64 - half as i64;
            *coefficient = Digit::new(number.unsigned_abs() as u32, number < 0);
        }
    });
    let lanes = rayon::current_num_threads();
    let mut buckets =
        bucket_sums(points, &coefficients, |index| index as u32, half as usize, lanes);
    let mut sums = Vec::with_capacity(digits as usize);
    for _ in 0..digits {
        sums.push(last_digit_sum::<G>(&buckets));
        buckets = fold::<G>(&buckets);
    }
    sums.par_iter().all(|sum| G::is_in_subgroup(&G::to_projective(sum)))
}

/// Σ of the buckets 3q + 1 less Σ of the buckets 3q − 1; `buckets` starts with number 1.
fn last_digit_sum<G: CurveGroup>(buckets: &[G::Affine]) -> G::Affine {
    let plus = buckets.iter().step_by(3).copied();
    let minus = buckets.iter().skip(1).step_by(3).map(|point| point.negate_if(true));
    sum::<G>(plus.chain(minus).collect())
}

/// The buckets without their last digit: number q gets 3q − 1, 3q and 3q + 1.
fn fold<G: CurveGroup>(buckets: &[G::Affine]) -> Vec<G::Affine> {
    const GROUPS: usize = 512;
    let folded =
        buckets.get(1..).unwrap_or_default().par_chunks(3 * GROUPS).flat_map_iter(|groups| {
            let mut points = groups.to_vec();
            let mut lengths: Vec<u32> = groups.chunks(3).map(|group| group.len() as u32).collect();
            BatchAdder::with_capacity(points.len()).sum_segments(&mut points, &mut lengths);
            points.truncate(lengths.len());
            points
        });
    folded.collect()
}
