//! What can be wrong with a point of a key or a proof.

use rand_core::{CryptoRng, RngCore};

use crate::curve::{self, CurveFault, CurveGroup, PointSlice};

/// Why a point is not a point of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointFault {
    /// Not a point of the curve.
    #[error("the point {0}")]
    Curve(CurveFault),
    /// A point of the curve, but not of the group.
    #[error("the point is not in the subgroup of order r")]
    Subgroup,
}

/// One bad point of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("point {index}: {fault}")]
pub struct PointError {
    /// Which one, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub fault: PointFault,
}

/// Checks that all points are on the curve, coordinates reduced.
pub(crate) fn check_on_curve<G: CurveGroup>(points: PointSlice<'_, G>) -> Result<(), PointError> {
    curve::check_on_curve(points)
        .map_err(|error| PointError { index: error.index, fault: PointFault::Curve(error.fault) })
}

/// Checks that points of the curve are in the group.
pub(crate) fn check_in_subgroup<G: CurveGroup>(
    points: PointSlice<'_, G>,
    rng: &mut (impl RngCore + CryptoRng),
) -> Result<(), PointError> {
    curve::check_in_subgroup(points, rng)
        .map_err(|error| PointError { index: error.index, fault: PointFault::Subgroup })
}

/// Checks one point whole.
pub(crate) fn check_point<G: CurveGroup>(point: &G::Affine) -> Result<(), PointFault> {
    let bytes = curve::write_points::<G>(std::slice::from_ref(point));
    let points = PointSlice::<G>::new(&bytes).expect("one point's length");
    check_on_curve(points).map_err(|error| error.fault)?;
    match G::is_in_subgroup(&G::to_projective(point)) {
        true => Ok(()),
        false => Err(PointFault::Subgroup),
    }
}
