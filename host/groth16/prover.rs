//! The prover: one partition, on the CPU.

use std::sync::Arc;

use blstrs::{G1Projective, G2Projective, Scalar};
use group::Curve;
use rand_core::{CryptoRng, RngCore};
use zeroize::Zeroize;

use super::quotient::quotient;
use super::secret::{bytes_of, bytes_of_mut, random_scalar};
use super::{Error, KeyPoints, Proof, ProvingKey, Witness, verify};
use crate::msm::{ScalarSlice, msm};
use crate::ntt::{Domain, RootOfUnity};

/// Makes proofs with one key. What depends on the key alone (the twiddles) is computed once.
pub struct Prover {
    key: Arc<ProvingKey>,
    domain: Domain,
}

/// The random r and s that make a proof zero-knowledge. Never use a pair for two witnesses.
/// Zeroed on drop.
pub struct Blinding {
    r: Scalar,
    s: Scalar,
}

impl Blinding {
    /// Uniform r and s from `rng`, which must be cryptographic.
    ///
    /// # Errors
    ///
    /// [`Error::Random`] if `rng` fails.
    pub fn random(rng: &mut (impl RngCore + CryptoRng)) -> Result<Self, Error> {
        Ok(Self { r: random_scalar(rng)?, s: random_scalar(rng)? })
    }

    /// Given values. Zeros give a proof that is valid and deterministic and hides nothing: for
    /// tests and for public witnesses.
    pub fn fixed(r: Scalar, s: Scalar) -> Self {
        Self { r, s }
    }
}

impl Drop for Blinding {
    fn drop(&mut self) {
        bytes_of_mut(std::slice::from_mut(&mut self.r)).zeroize();
        bytes_of_mut(std::slice::from_mut(&mut self.s)).zeroize();
    }
}

/// The five sums of a proof over the key's points.
struct Sums {
    a: G1Projective,
    b1: G1Projective,
    b2: G2Projective,
    c: G1Projective,
    h: G1Projective,
}

impl Prover {
    /// A prover for `key`.
    ///
    /// # Errors
    ///
    /// [`Error::DomainTooLarge`] if the field has not twice as many roots of unity as the domain
    /// has rows.
    pub fn new(key: Arc<ProvingKey>) -> Result<Self, Error> {
        let domain = Domain::new(key.log_domain(), RootOfUnity::SNARKJS)?;
        Ok(Self { key, domain })
    }

    /// The key.
    pub fn key(&self) -> &ProvingKey {
        &self.key
    }

    /// Proves that `witness` satisfies the key's circuit and checks the proof. Runs on the current
    /// rayon pool.
    ///
    /// # Errors
    ///
    /// [`Error::WitnessLength`] before any work; [`Error::Unsatisfied`] if the finished proof does
    /// not verify, [`Error::KeySubgroup`] if it is not in the groups, which only a key that was
    /// trusted without a check can bring about.
    #[tracing::instrument(level = "info", skip_all)]
    pub fn prove(&self, witness: &Witness, blinding: Blinding) -> Result<Proof, Error> {
        let (found, expected) = (witness.len(), self.key.n_wires());
        if found != expected {
            return Err(Error::WitnessLength { found, expected });
        }
        let sums = self.sums(witness)?;
        let proof = self.assemble(&sums, &blinding);
        // The pairing does not see a component of small order, which could carry the witness out.
        let in_groups =
            proof.a.is_torsion_free() & proof.b.is_torsion_free() & proof.c.is_torsion_free();
        if !bool::from(in_groups) {
            return Err(Error::KeySubgroup);
        }
        let signals = witness.public_signals(self.key.n_public());
        if !verify(self.key.verifying_key(), &signals, &proof)? {
            return Err(Error::Unsatisfied);
        }
        Ok(proof)
    }

    fn sums(&self, witness: &Witness) -> Result<Sums, Error> {
        let h_scalars = quotient(&self.key, &self.domain, witness)?;
        let whole = "a whole number of scalars";
        let wires = ScalarSlice::new(witness.as_bytes()).expect(whole);
        let private = wires.slice(self.key.n_public() + 1..wires.len());
        let h_scalars = ScalarSlice::new(bytes_of(&h_scalars)).expect(whole);

        let span = tracing::info_span!("msm", steps = 5_u64);
        let g1 = |name: KeyPoints, scalars| {
            let _span = tracing::info_span!(parent: &span, "msm_g1", points = ?name).entered();
            msm(self.key.g1(name), scalars)
        };
        let g2 = || {
            let _span = tracing::info_span!(parent: &span, "msm_g2", points = "B2").entered();
            msm(self.key.b2(), wires)
        };
        // The longest first, so that the last to finish is short.
        let (b2, ((h, a), (b1, c))) = rayon::join(g2, || {
            rayon::join(
                || rayon::join(|| g1(KeyPoints::H, h_scalars), || g1(KeyPoints::A, wires)),
                || rayon::join(|| g1(KeyPoints::B1, wires), || g1(KeyPoints::C, private)),
            )
        });
        Ok(Sums { a: a?, b1: b1?, b2: b2?, c: c?, h: h? })
    }

    /// The epilogue: A = α + ΣA + rδ, B = β + ΣB + sδ, C = ΣC + ΣH + sA + rB₁ − rsδ.
    fn assemble(&self, sums: &Sums, Blinding { r, s }: &Blinding) -> Proof {
        let key = &*self.key;
        let vk = key.verifying_key();
        let a = sums.a + vk.alpha_g1 + key.delta_g1() * r;
        let b1 = sums.b1 + key.beta_g1() + key.delta_g1() * s;
        let b2 = sums.b2 + vk.beta_g2 + vk.delta_g2 * s;
        let c = sums.c + sums.h + a * s + b1 * r - key.delta_g1() * (r * s);
        Proof { a: a.to_affine(), b: b2.to_affine(), c: c.to_affine() }
    }
}
