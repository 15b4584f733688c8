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
    let exponents = Exponents::of(circuit, waste)?;
    let vectors = Vectors {
        h: multiples::<G1>(&exponents.h),
        l: multiples::<G1>(exponents.l()),
        a: multiples::<G1>(&exponents.a),
        b_g1: multiples::<G1>(&exponents.b),
        b_g2: multiples::<G2>(&exponents.b),
    };
    exponents.assemble(waste, vectors)
}

/// What the generators are multiplied by.
pub(in crate::groth16) struct Exponents {
    shape: Shape,
    /// Of the variables: those of IC, then L's.
    c: SecretScalars,
    pub(in crate::groth16) h: SecretScalars,
    pub(in crate::groth16) a: SecretScalars,
    pub(in crate::groth16) b: SecretScalars,
}

/// The points of a key, in its layout.
pub(in crate::groth16) struct Vectors {
    pub(in crate::groth16) h: Vec<u8>,
    pub(in crate::groth16) l: Vec<u8>,
    pub(in crate::groth16) a: Vec<u8>,
    pub(in crate::groth16) b_g1: Vec<u8>,
    pub(in crate::groth16) b_g2: Vec<u8>,
}

impl Exponents {
    /// Those of a circuit.
    pub(in crate::groth16) fn of(circuit: &R1cs, waste: &ToxicWaste) -> Result<Self, Error> {
        let shape = Shape::of(circuit)?;
        let [tau, _, _, delta] = waste.0;
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
        let [a, b] = [(&a, &shape.a), (&b, &shape.b)].map(|(exponents, variables)| {
            let mut dense = SecretScalars::zeros(variables.len());
            let of_variables = variables.iter().map(|variable| exponents[*variable as usize]);
            dense.iter_mut().zip(of_variables).for_each(|(to, exponent)| *to = exponent);
            dense
        });
        Ok(Self { shape, c, h, a, b })
    }

    /// L's, of the auxiliary variables.
    pub(in crate::groth16) fn l(&self) -> &[Scalar] {
        &self.c[self.shape.inputs..]
    }

    /// The key of which these are the exponents.
    pub(in crate::groth16) fn assemble(
        self,
        waste: &ToxicWaste,
        vectors: Vectors,
    ) -> Result<VectorKey, Error> {
        let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
        let [_, alpha, beta, delta] = waste.0;
        let Vectors { h, l, a, b_g1, b_g2 } = vectors;
        let ic = self.c[..self.shape.inputs].iter();
        VectorKey::new(VectorKeyParts {
            vk: VerifyingKey {
                alpha_g1: (g1 * alpha).to_affine(),
                beta_g2: (g2 * beta).to_affine(),
                gamma_g2: g2,
                delta_g2: (g2 * delta).to_affine(),
                ic: ic.map(|value| (g1 * value).to_affine()).collect(),
            },
            beta_g1: (g1 * beta).to_affine(),
            delta_g1: (g1 * delta).to_affine(),
            h,
            l,
            a,
            b_g1,
            b_g2,
            shape: self.shape,
        })
    }
}
