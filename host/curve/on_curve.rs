//! Whether the points of a file are points of the curve.

use std::fmt;

use rayon::prelude::*;

use super::{AffinePoint, BaseField, CurveGroup, PointSlice};

/// What is wrong with the coordinates of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CurveFault {
    /// A coordinate is not below the modulus.
    NotReduced,
    /// The coordinates do not satisfy the curve's equation.
    NotOnCurve,
}

impl fmt::Display for CurveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotReduced => "has a coordinate that is not below the modulus",
            Self::NotOnCurve => "is not on the curve",
        })
    }
}

/// The first point of a sequence that is not one of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("point {index} {fault}")]
pub struct OffCurve {
    /// Which point, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub fault: CurveFault,
}

fn fault<G: CurveGroup>(point: &G::Affine) -> Option<CurveFault> {
    let (x, y) = (point.x(), point.y());
    if !x.is_reduced() || !y.is_reduced() {
        return Some(CurveFault::NotReduced);
    }
    let right = x.square().mul(x).add(&G::B);
    (y.square() != right && !point.is_infinity()).then_some(CurveFault::NotOnCurve)
}

/// Checks that every point is infinity or on the curve, with coordinates below p.
///
/// Three multiplications in the base field a point, on all of rayon's threads. On the curve is
/// not yet in the subgroup: see [`check_in_subgroup`](super::check_in_subgroup).
///
/// # Errors
///
/// The first point that is neither.
pub fn check_on_curve<G: CurveGroup>(points: PointSlice<'_, G>) -> Result<(), OffCurve> {
    let first = (0..points.len())
        .into_par_iter()
        .with_min_len(256)
        .filter_map(|index| fault::<G>(&points.get(index)).map(|fault| OffCurve { index, fault }))
        .find_first(|_| true);
    first.map_or(Ok(()), Err)
}
