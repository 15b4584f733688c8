//! A key made by a single party, as [`groth16::setup`](super::super::setup): for tests, benchmarks and
//! demonstrations only.

use blstrs::{G1Affine, G2Affine, Scalar};
use ff::Field;
use group::Curve;
use group::prime::PrimeCurveAffine;

use super::{Shape, VectorKey, VectorKeyParts};
use crate::circuit::R1cs;
use crate::curve::{G1, G2};
use crate::groth16::secret::SecretScalars;
use crate::groth16::setup::{Columns, lagrange_at, multiples};
use crate::groth16::{Error, ToxicWaste, VerifyingKey};
use crate::ntt::{DomainTooLarge, MAX_LOG_SIZE, RootOfUnity};

/// Makes a key for `circuit`, whose constant and public wires are inputs.
///
/// # Errors
///
/// [`Error::Circuit`] if `circuit` names wires that it does not have, [`Error::DomainTooLarge`]
/// beyond 2³² rows.
#[tracing::instrument(level = "info", name = "setup", skip_all)]
pub fn setup(circuit: &R1cs, waste: &ToxicWaste) -> Result<VectorKey, Error> {
    let shape = Shape::of(circuit)?;
    let [tau, alpha, beta, delta] = waste.0;
    let log_size = shape.log_domain();
    if log_size > MAX_LOG_SIZE {
        return Err(DomainTooLarge { log_size }.into());
    }
    let rows = lagrange_at(RootOfUnity::ARKWORKS, tau, log_size, 1, Scalar::ONE);
    let Columns { a, b, c } = Columns::of(circuit, waste, &rows);
    let delta_inverse = delta.invert().expect("the secrets are not zero");
    let mut h = SecretScalars::zeros((1 << log_size) - 1);
    let mut power = (tau.pow([1 << log_size]) - Scalar::ONE) * delta_inverse;
    for exponent in h.iter_mut() {
        *exponent = power;
        power *= tau;
    }

    let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
    let in_g1 = |scalars: &[Scalar]| multiples::<G1>(scalars);
    let [in_a, in_b] = [(&a, &shape.a), (&b, &shape.b)].map(|(exponents, variables)| {
        let mut dense = SecretScalars::zeros(variables.len());
        let of_variables = variables.iter().map(|variable| exponents[*variable as usize]);
        dense.iter_mut().zip(of_variables).for_each(|(to, exponent)| *to = exponent);
        dense
    });
    VectorKey::new(VectorKeyParts {
        vk: VerifyingKey {
            alpha_g1: (g1 * alpha).to_affine(),
            beta_g2: (g2 * beta).to_affine(),
            gamma_g2: g2,
            delta_g2: (g2 * delta).to_affine(),
            ic: c[..shape.inputs].iter().map(|value| (g1 * value).to_affine()).collect(),
        },
        beta_g1: (g1 * beta).to_affine(),
        delta_g1: (g1 * delta).to_affine(),
        h: in_g1(&h),
        l: in_g1(&c[shape.inputs..]),
        a: in_g1(&in_a),
        b_g1: in_g1(&in_b),
        b_g2: multiples::<G2>(&in_b),
        shape,
    })
}
