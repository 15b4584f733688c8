//! The definition of the sum, which the fast one is tested against.

use crate::curve::{CurveGroup, PointSlice};

use super::{MsmError, ScalarSlice, check_lengths};

/// Σ scalarᵢ · baseᵢ, one product at a time with blst's multiplication.
///
/// # Errors
///
/// As [`msm`](super::msm).
pub fn msm_naive<G: CurveGroup>(
    bases: PointSlice<'_, G>,
    scalars: ScalarSlice<'_>,
) -> Result<G::Projective, MsmError> {
    check_lengths(bases.len(), scalars.len())?;
    let products = bases.iter().enumerate();
    Ok(products.map(|(index, base)| G::to_projective(&base) * scalars.get_reduced(index)).sum())
}
