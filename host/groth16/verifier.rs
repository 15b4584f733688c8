//! The pairing check: e(A, B) = e(α, β)·e(ΣxᵢICᵢ, γ)·e(C, δ).

use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, Gt, Scalar};
use ff::Field;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use pairing::{MillerLoopResult, MultiMillerLoop};
use rand_core::{CryptoRng, RngCore};
use rayon::prelude::*;

use super::{Error, Proof};

/// What a verifier needs of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// α in G1.
    pub alpha_g1: G1Affine,
    /// β in G2.
    pub beta_g2: G2Affine,
    /// γ in G2 (the generator in keys made by snarkjs).
    pub gamma_g2: G2Affine,
    /// δ in G2.
    pub delta_g2: G2Affine,
    /// The constant's point, then one a public signal.
    pub ic: Vec<G1Affine>,
}

impl VerifyingKey {
    /// Number of public signals, the constant 1 not counted.
    pub fn n_public(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }

    fn check_count(&self, signals: &[Scalar]) -> Result<(), Error> {
        let (found, expected) = (signals.len(), self.n_public());
        match found == expected && !self.ic.is_empty() {
            true => Ok(()),
            false => Err(Error::PublicSignals { found, expected }),
        }
    }

    /// Σ xᵢ·ICᵢ, where the first x is the factor of the constant.
    fn public_point(&self, factors: &[Scalar]) -> G1Affine {
        let terms = self.ic.par_iter().zip(factors).map(|(point, x)| point * x);
        terms.reduce(G1Projective::identity, |sum, term| sum + term).to_affine()
    }
}

/// Whether `proof` is valid for the public `signals` (outputs first, then inputs, without the 1).
///
/// The points of the key and the proof must be in their subgroups, which everything that reads them
/// here checks; those that blstrs' `…_unchecked` functions give may not be.
///
/// # Errors
///
/// [`Error::PublicSignals`] if their number is not the key's. An invalid proof is `Ok(false)`.
#[tracing::instrument(level = "info", skip_all)]
pub fn verify(key: &VerifyingKey, signals: &[Scalar], proof: &Proof) -> Result<bool, Error> {
    key.check_count(signals)?;
    let public = key.public_point(&[&[Scalar::ONE], signals].concat());
    Ok(product_is_one(&[
        (proof.a, proof.b),
        (-key.alpha_g1, key.beta_g2),
        (-public, key.gamma_g2),
        (-proof.c, key.delta_g2),
    ]))
}

/// Whether all proofs are valid, each with its signals: one pairing a proof and three more. Points
/// must be in their subgroups, as for [`verify`].
///
/// The equations are added with random 128-bit factors from `rng`, so a batch with an invalid proof
/// passes with probability at most 2⁻¹²⁷. Which proof is invalid only [`verify`] can tell. An empty
/// batch is valid.
///
/// # Errors
///
/// [`Error::PublicSignals`] if a number of signals is not the key's; [`Error::Random`] if `rng`
/// fails.
#[tracing::instrument(level = "info", skip_all, fields(proofs = batch.len()))]
pub fn verify_batch(
    key: &VerifyingKey,
    batch: &[(Vec<Scalar>, Proof)],
    rng: &mut (impl RngCore + CryptoRng),
) -> Result<bool, Error> {
    let mut pairs = Vec::with_capacity(batch.len() + 3);
    let mut factors = Scalar::ZERO;
    let mut public = vec![Scalar::ZERO; key.ic.len()];
    let mut c = G1Projective::identity();
    for (signals, proof) in batch {
        key.check_count(signals)?;
        let factor = random_factor(rng)?;
        pairs.push(((proof.a * factor).to_affine(), proof.b));
        factors += factor;
        for (sum, signal) in public.iter_mut().skip(1).zip(signals) {
            *sum += signal * factor;
        }
        c += proof.c * factor;
    }
    pairs.push((-(key.alpha_g1 * factors).to_affine(), key.beta_g2));
    if let Some(constant) = public.first_mut() {
        *constant = factors;
    }
    pairs.push((-key.public_point(&public), key.gamma_g2));
    pairs.push((-c.to_affine(), key.delta_g2));
    Ok(product_is_one(&pairs))
}

/// A factor of 128 random bits, not zero.
fn random_factor(rng: &mut (impl RngCore + CryptoRng)) -> Result<Scalar, Error> {
    let mut bytes = [0; 32];
    rng.try_fill_bytes(&mut bytes[..16])?;
    bytes[0] |= 1;
    Ok(crate::field::scalar_from_canonical(&bytes).expect("128 bits are below r"))
}

fn product_is_one(pairs: &[(G1Affine, G2Affine)]) -> bool {
    let prepared: Vec<(G1Affine, G2Prepared)> = pairs
        .iter()
        // A pairing with infinity is one; blst's Miller loop does not take infinity.
        .filter(|(p, q)| !bool::from(p.is_identity() | q.is_identity()))
        .map(|(p, q)| (*p, G2Prepared::from(*q)))
        .collect();
    if prepared.is_empty() {
        return true;
    }
    let terms: Vec<_> = prepared.iter().map(|(p, q)| (p, q)).collect();
    Bls12::multi_miller_loop(&terms).final_exponentiation() == Gt::identity()
}
