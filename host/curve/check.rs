//! What can be wrong with a point from a file, and the checks of the curve's equation.

use rayon::prelude::*;

use super::{AffinePoint, BaseField, CurveGroup, PointSlice};

/// Why a pair of coordinates is not a point of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointFault {
    /// A coordinate is not below the modulus.
    #[error("the point has a coordinate that is not below the modulus")]
    NotReduced,
    /// The coordinates do not satisfy the curve's equation.
    #[error("the point is not on the curve")]
    NotOnCurve,
    /// A point of the curve, but not of the group.
    #[error("the point is not in the subgroup of order r")]
    NotInSubgroup,
}

/// The first bad point of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("point {index}: {fault}")]
pub struct PointError {
    /// Which point, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub fault: PointFault,
}

/// Checks one point whole: reduced, on the curve or infinity, in the subgroup.
///
/// # Errors
///
/// What is wrong with it.
pub fn check_point<G: CurveGroup>(point: &G::Affine) -> Result<(), PointFault> {
    on_curve::<G>(point)?;
    match G::is_in_subgroup(&G::to_projective(point)) {
        true => Ok(()),
        false => Err(PointFault::NotInSubgroup),
    }
}

/// Checks that every point is infinity or on the curve, with coordinates below p.
///
/// Three multiplications in the base field a point, on all of rayon's threads. On the curve is
/// not yet in the subgroup: see [`check_in_subgroup`](super::check_in_subgroup).
///
/// # Errors
///
/// The first point that is neither.
pub fn check_on_curve<G: CurveGroup>(points: PointSlice<'_, G>) -> Result<(), PointError> {
    first_bad(points, on_curve::<G>)
}

fn on_curve<G: CurveGroup>(point: &G::Affine) -> Result<(), PointFault> {
    let (x, y) = (point.x(), point.y());
    if !x.is_reduced() || !y.is_reduced() {
        return Err(PointFault::NotReduced);
    }
    let right = x.square().mul(x).add(&G::B);
    match y.square() == right || point.is_infinity() {
        true => Ok(()),
        false => Err(PointFault::NotOnCurve),
    }
}

/// Checks all points, in parallel; the error is that of the first bad one.
pub(super) fn first_bad<G: CurveGroup>(
    points: PointSlice<'_, G>,
    check: impl Fn(&G::Affine) -> Result<(), PointFault> + Sync,
) -> Result<(), PointError> {
    let first = (0..points.len())
        .into_par_iter()
        .with_min_len(64)
        .filter_map(|index| {
            check(&points.get(index)).err().map(|fault| PointError { index, fault })
        })
        .find_first(|_| true);
    first.map_or(Ok(()), Err)
}
