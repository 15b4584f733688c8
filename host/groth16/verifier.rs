//! The pairing check: e(A, B) = e(α, β)·e(ΣxᵢICᵢ, γ)·e(C, δ).

use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, Gt, Scalar};
use ff::Field;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use pairing::{MillerLoopResult, MultiMillerLoop};
use rand_core::{CryptoRng, RngCore};

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

    /// IC₀ + Σ xᵢ·ICᵢ.
    fn public_point(&self, signals: &[Scalar]) -> Result<G1Projective, Error> {
        let (found, expected) = (signals.len(), self.n_public());
        match self.ic.split_first() {
            Some((first, rest)) if found == expected => {
                Ok(rest.iter().zip(signals).map(|(point, x)| point * x).sum::<G1Projective>()
                    + first)
            }
            _ => Err(Error::PublicSignals { found, expected }),
        }
    }
}

/// Whether `proof` is valid for the public `signals` (outputs first, then inputs, without the 1).
///
/// # Errors
///
/// [`Error::PublicSignals`] if their number is not the key's. An invalid proof is `Ok(false)`.
#[tracing::instrument(level = "info", skip_all)]
pub fn verify(key: &VerifyingKey, signals: &[Scalar], proof: &Proof) -> Result<bool, Error> {
    let public = key.public_point(signals)?.to_affine();
    Ok(product_is_one(&[
        (proof.a, proof.b),
        (-key.alpha_g1, key.beta_g2),
        (-public, key.gamma_g2),
        (-proof.c, key.delta_g2),
    ]))
}

/// Whether all proofs are valid, each with its signals: one pairing a proof and three more.
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
    let mut public = G1Projective::identity();
    let mut c = G1Projective::identity();
    for (signals, proof) in batch {
        let factor = random_factor(rng)?;
        pairs.push(((proof.a * factor).to_affine(), proof.b));
        factors += factor;
        public += key.public_point(signals)? * factor;
        c += proof.c * factor;
    }
    pairs.push((-(key.alpha_g1 * factors).to_affine(), key.beta_g2));
    pairs.push((-public.to_affine(), key.gamma_g2));
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
