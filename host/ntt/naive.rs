//! The definition of the transform, which the fast ones are tested against.

use blstrs::Scalar;
use ff::Field;

/// The values at g, gω, gω², … of the polynomial with these coefficients, where ω has order
/// `coefficients.len()` and g is `shift`; one multiplication a coefficient and value.
pub fn transform_naive(coefficients: &[Scalar], root: Scalar, shift: Scalar) -> Vec<Scalar> {
    let mut point = shift;
    let mut values = Vec::with_capacity(coefficients.len());
    for _ in coefficients {
        values.push(coefficients.iter().rev().fold(Scalar::ZERO, |sum, c| sum * point + c));
        point *= root;
    }
    values
}
