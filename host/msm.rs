//! Multi-scalar multiplication: Σ scalarᵢ · baseᵢ by Pippenger's method with batched affine
//! additions.
//!
//! 1. Scalars equal to 0 are dropped; those equal to ±1 become one plain sum.
//! 2. The rest, made smaller than r/2 by a change of sign, are cut into signed digits of c bits
//!    (`window` picks c). A window's points go to 2^(c−1) buckets by their digit.
//! 3. The points of each bucket are added up in affine coordinates, thousands of additions to an
//!    inversion: 5M + 1S each, where the XYZZ formulas take 8M + 2S.
//! 4. Σ k · bucketₖ of each window comes from row and column sums (`reduce`), again affine.
//!
//! Time depends on the scalars. Nothing here is meant to hide them from whoever can measure it. The
//! lists of terms and digits are zeroed when they are released; the points of sums are not.

mod fixed_base;
#[cfg(feature = "ptx")]
pub mod gpu;
mod naive;
mod reduce;
mod scalars;
#[cfg(test)]
mod tests;
mod window;

pub use fixed_base::mul_many;
pub use naive::msm_naive;
pub use scalars::ScalarSlice;

use group::Group;
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::curve::{CurveGroup, Digit, PointSlice, bucket_sums, signed_sum};
use scalars::Recoded;

/// Below this many scalars other than 0 and ±1, multiplying one by one is quicker.
const FEW: usize = 12;

/// Windows that are worked on at the same time, at most: each needs 8 bytes a point.
const WINDOWS_IN_FLIGHT: usize = 8;

/// Why there is no sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MsmError {
    /// Not as many scalars as bases.
    #[error("{scalars} scalars for {bases} bases")]
    LengthMismatch {
        /// Number of bases.
        bases: usize,
        /// Number of scalars.
        scalars: usize,
    },
    /// Too many terms for the 31-bit numbers that are sorted.
    #[error("{0} terms are more than 2^31 − 1")]
    TooLong(usize),
}

pub(crate) fn check_lengths(bases: usize, scalars: usize) -> Result<(), MsmError> {
    if bases != scalars {
        Err(MsmError::LengthMismatch { bases, scalars })
    } else if bases >= 1 << 31 {
        Err(MsmError::TooLong(bases))
    } else {
        Ok(())
    }
}

/// Σ scalarᵢ · baseᵢ.
///
/// The bases must be points of the subgroup of order r (or infinity); for others the sum is some
/// other point, nothing worse. Scalars of r and more count modulo r.
///
/// Runs on the current rayon pool; several sums may run at once. Scratch memory is about 12 bytes
/// a term, and 8 more for each further thread up to eight.
///
/// # Errors
///
/// The lengths differ, or are 2^31 and more.
pub fn msm<G: CurveGroup>(
    bases: PointSlice<'_, G>,
    scalars: ScalarSlice<'_>,
) -> Result<G::Projective, MsmError> {
    check_lengths(bases.len(), scalars.len())?;
    let Terms { units, others, bits } = Terms::of(scalars);
    let (units, others) = rayon::join(
        || signed_sum(bases, &units),
        || {
            if others.len() < FEW {
                return one_by_one(bases, scalars, &others);
            }
            sum_windows(bases, scalars, &others, bits)
        },
    );
    Ok(others + G::to_projective(&units))
}

/// The terms that count, in order.
#[derive(Default)]
struct Terms {
    /// Terms whose scalar is 1, or −1 with the top bit set.
    units: Zeroizing<Vec<u32>>,
    /// Terms whose scalar is neither 0 nor ±1.
    others: Zeroizing<Vec<u32>>,
    /// Bits that the absolute values of all `others` fit in.
    bits: u32,
}

impl Terms {
    fn of(scalars: ScalarSlice<'_>) -> Self {
        const PIECE: usize = 1 << 14;
        let parts: Vec<Self> = (0..scalars.len().div_ceil(PIECE))
            .into_par_iter()
            .map(|piece| {
                // Room for all: a list that grows leaves copies behind.
                let mut terms = Self {
                    units: Vec::with_capacity(PIECE).into(),
                    others: Vec::with_capacity(PIECE).into(),
                    bits: 0,
                };
                for index in piece * PIECE..scalars.len().min((piece + 1) * PIECE) {
                    let scalar = Recoded::of(scalars.get(index));
                    if scalar.is_one() {
                        terms.units.push(u32::from(scalar.negative()) << 31 | index as u32);
                    } else if !scalar.is_zero() {
                        terms.others.push(index as u32);
                        terms.bits = terms.bits.max(scalar.bit_length());
                    }
                }
                terms
            })
            .collect();
        let mut all = Self {
            units: Vec::with_capacity(parts.iter().map(|part| part.units.len()).sum()).into(),
            others: Vec::with_capacity(parts.iter().map(|part| part.others.len()).sum()).into(),
            bits: parts.iter().map(|part| part.bits).max().unwrap_or(0),
        };
        for part in parts {
            all.units.extend_from_slice(&part.units);
            all.others.extend_from_slice(&part.others);
        }
        all
    }
}

fn one_by_one<G: CurveGroup>(
    bases: PointSlice<'_, G>,
    scalars: ScalarSlice<'_>,
    terms: &[u32],
) -> G::Projective {
    let products = terms.iter().map(|&term| {
        let index = term as usize;
        G::to_projective(&bases.get(index)) * scalars.get_reduced(index)
    });
    products.sum()
}

/// The sum over `terms`, whose scalars' absolute values fit `value_bits`.
fn sum_windows<G: CurveGroup>(
    bases: PointSlice<'_, G>,
    scalars: ScalarSlice<'_>,
    terms: &[u32],
    value_bits: u32,
) -> G::Projective {
    let threads = rayon::current_num_threads();
    let bits = window::width(terms.len(), value_bits);
    let windows: Vec<u32> = (0..window::count(value_bits, bits)).rev().collect();
    let mut total = G::Projective::identity();
    for group in windows.chunks(threads.min(WINDOWS_IN_FLIGHT)) {
        let lanes = threads.div_ceil(group.len());
        let sums: Vec<G::Projective> = group
            .par_iter()
            .map(|&window| {
                let digits: Vec<Digit> = terms
                    .par_iter()
                    .with_min_len(1 << 12)
                    .map(|&term| Recoded::of(scalars.get(term as usize)).digit(window, bits))
                    .collect();
                let digits = Zeroizing::new(digits);
                let index = |t: usize| terms[t];
                let buckets = bucket_sums(bases, &digits, index, 1 << (bits - 1), lanes);
                drop(digits);
                reduce::weighted_sum::<G>(&buckets)
            })
            .collect();
        for sum in sums {
            for _ in 0..bits {
                total = total.double();
            }
            total += sum;
        }
    }
    total
}
