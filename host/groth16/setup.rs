//! A key made by a single party, who could forge proofs with what it draws: for tests, benchmarks
//! and demonstrations only. A key for use comes from a ceremony.

mod assemble;
mod exponents;

use blstrs::{G1Affine, Scalar};
use ff::Field;
use group::Group;
use rand_core::{CryptoRng, RngCore};
use zeroize::Zeroize;

use super::secret::{bytes_of_mut, canonical_bytes, random_scalar};
use super::{Error, VerifyingKey};
use crate::circuit::R1cs;
use crate::curve::{CurveGroup, G1, G2, write_points};
use crate::msm::{ScalarSlice, mul_many};
use crate::ntt::MAX_LOG_SIZE;
pub(super) use assemble::{Vectors, assemble};
pub(super) use exponents::{Columns, Exponents, lagrange_at};

/// The secrets of a setup. Whoever knows them can prove anything. Zeroed on drop.
pub struct ToxicWaste(pub(super) [Scalar; 4]);

impl ToxicWaste {
    /// Fresh secrets from `rng`, none of them zero.
    ///
    /// # Errors
    ///
    /// [`Error::Random`] if `rng` fails.
    pub fn random(rng: &mut (impl RngCore + CryptoRng)) -> Result<Self, Error> {
        let mut waste = Self([Scalar::ZERO; 4]);
        for secret in &mut waste.0 {
            *secret = random_scalar(rng)?;
        }
        // With τ in a domain all points of the key would be infinity, and everything verify.
        while waste.0[0].pow([1 << MAX_LOG_SIZE]) == Scalar::ONE {
            waste.0[0] = random_scalar(rng)?;
        }
        Ok(waste)
    }
}

// Debug output must not hold secrets.
impl std::fmt::Debug for ToxicWaste {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToxicWaste").finish_non_exhaustive()
    }
}

impl Drop for ToxicWaste {
    fn drop(&mut self) {
        bytes_of_mut(&mut self.0).zeroize();
    }
}

/// The parts of a fresh key, which
/// [`formats::zkey::write`](crate::formats::zkey::write) makes a file of. Vectors of points and
/// coefficients are in that file's layout.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyParts {
    /// Wires of the circuit, the constant 1 counted.
    pub n_wires: u32,
    /// The domain has 2 to this rows.
    pub log_domain: u32,
    /// α, β, γ, δ and IC.
    pub vk: VerifyingKey,
    /// β in G1.
    pub beta_g1: G1Affine,
    /// δ in G1.
    pub delta_g1: G1Affine,
    /// The matrices A and B, 44 bytes a coefficient.
    pub coefficients: Vec<u8>,
    /// A, a point of G1 a wire.
    pub a: Vec<u8>,
    /// B, a point of G1 a wire.
    pub b1: Vec<u8>,
    /// B, a point of G2 a wire.
    pub b2: Vec<u8>,
    /// C, a point of G1 a private wire.
    pub c: Vec<u8>,
    /// H, a point of G1 a row of the domain.
    pub h: Vec<u8>,
}

/// Makes a key for `circuit`. Runs on the current rayon pool.
///
/// # Errors
///
/// [`Error::Circuit`] if `circuit` names wires that it does not have, [`Error::DomainTooLarge`]
/// beyond 2³¹ rows.
#[tracing::instrument(level = "info", skip_all)]
pub fn setup(circuit: &R1cs, waste: &ToxicWaste) -> Result<KeyParts, Error> {
    let exponents = Exponents::of(circuit, waste)?;
    let vectors = Vectors {
        a: multiples::<G1>(&exponents.columns.a),
        b1: multiples::<G1>(&exponents.columns.b),
        b2: multiples::<G2>(&exponents.columns.b),
        c: multiples::<G1>(&exponents.columns.c[circuit.n_public() as usize + 1..]),
        h: multiples::<G1>(&exponents.h),
    };
    Ok(assemble(circuit, waste, &exponents, vectors))
}

/// The generator times each scalar, in the layout of a key.
pub(super) fn multiples<G: CurveGroup>(scalars: &[Scalar]) -> Vec<u8> {
    let scalars = canonical_bytes(scalars);
    let scalars = ScalarSlice::new(&scalars).expect("32 bytes a scalar");
    write_points::<G>(&mul_many::<G>(&G::to_affine(&G::Projective::generator()), scalars))
}
