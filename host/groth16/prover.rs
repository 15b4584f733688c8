//! The prover: one partition, on the CPU.

use std::sync::Arc;

use blstrs::Scalar;
use rand_core::{CryptoRng, RngCore};
use zeroize::Zeroize;

use super::quotient::quotient;
use super::secret::{bytes_of, bytes_of_mut, random_scalar};
use super::{Error, KeyPoints, Proof, ProvingKey, Sums, Witness};
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
    pub(super) r: Scalar,
    pub(super) s: Scalar,
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

// Debug output must not hold secrets.
impl std::fmt::Debug for Blinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blinding").finish_non_exhaustive()
    }
}

impl Drop for Blinding {
    fn drop(&mut self) {
        bytes_of_mut(std::slice::from_mut(&mut self.r)).zeroize();
        bytes_of_mut(std::slice::from_mut(&mut self.s)).zeroize();
    }
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
    /// [`Error::WitnessLength`] before any work; those of [`Sums::finish`].
    #[tracing::instrument(level = "info", skip_all)]
    pub fn prove(&self, witness: &Witness, blinding: Blinding) -> Result<Proof, Error> {
        self.key.check_witness(witness.len())?;
        let sums = self.sums(witness)?;
        sums.finish(&self.key, &blinding, &witness.public_signals(self.key.n_public()))
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
}
