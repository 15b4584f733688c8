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

use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;

use super::{AffinePoint, BatchAdder, CurveGroup, Digit, PointSlice, bucket_sums, sum};

/// A bad point passes [`check_in_subgroup`] with probability below 2 to the minus this.
pub const SUBGROUP_ERROR_BITS: u32 = 60;

/// Sums to test: 3^38 > 2^60.
const SUMS: u32 = 38;

/// What testing one point costs, in batched affine additions: a multiplication by the square of
/// the curve's parameter (G1), 128 doublings.
const TEST_COST: usize = 160;

/// The first point of a sequence that is not in the subgroup of order r.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("point {index} is not in the subgroup of order r")]
pub struct OutsideSubgroup {
    /// Which point, from 0.
    pub index: usize,
}

/// Checks that every point is in the subgroup of order r. They must be on the curve:
/// [`check_on_curve`](super::check_on_curve) comes first.
///
/// Few points are tested one by one, many by random sums; then a point that is outside passes with
/// probability below 2^−[`SUBGROUP_ERROR_BITS`], provided that whoever made the points could not
/// foresee `rng`. Costs four or five batched additions a point, on all of rayon's threads.
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
    rng: &mut (impl RngCore + CryptoRng),
) -> Result<(), OutsideSubgroup> {
    let Some(digits) = digits_per_pass(points.len()) else {
        return check_each(points);
    };
    for _ in 0..SUMS.div_ceil(digits) {
        if !pass::<G>(points, digits, rng) {
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

fn check_each<G: CurveGroup>(points: PointSlice<'_, G>) -> Result<(), OutsideSubgroup> {
    let outside = (0..points.len())
        .into_par_iter()
        .find_first(|&index| !G::is_in_subgroup(&G::to_projective(&points.get(index))));
    outside.map_or(Ok(()), |index| Err(OutsideSubgroup { index }))
}

/// Whether `digits` random sums are all in the subgroup.
fn pass<G: CurveGroup>(
    points: PointSlice<'_, G>,
    digits: u32,
    rng: &mut (impl RngCore + CryptoRng),
) -> bool {
    let numbers = 3u64.pow(digits);
    let half = (numbers - 1) / 2;
    let coefficients: Vec<Digit> = (0..points.len())
        .map(|_| {
            // Uniform but for a relative bias of 3^13 / 2^64, which the bound has room for.
            let number = (u128::from(rng.next_u64()) * u128::from(numbers)) >> 64;
            let number = number as i64 - half as i64;
            Digit::new(number.unsigned_abs() as u32, number < 0)
        })
        .collect();
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
