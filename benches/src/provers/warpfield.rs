//! warpfield, from a mapped key file.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use blstrs::{Bls12, G1Affine, G1Projective, Scalar};
use group::Curve;
use pairing::Engine;
use rand_core::OsRng;
use tempfile::TempDir;
use warpfield::formats::zkey::{self, Trust};
use warpfield::groth16::{Blinding, Proof, Prover, ToxicWaste, VerifyingKey, Witness, setup};

use super::{Contender, Cost};
use crate::Result;
use crate::case::Case;
use crate::times::timed;

pub struct Warpfield {
    prover: Prover,
    witness: Witness,
    signals: Vec<Scalar>,
    /// Holds the key's file.
    _folder: TempDir,
}

impl Warpfield {
    pub fn new(case: &Case) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("key.zkey");
        let parts = setup(&case.r1cs, &ToxicWaste::random(&mut OsRng)?)?;
        zkey::write(&parts, BufWriter::new(File::create(&path)?))?;
        drop(parts);
        let key = zkey::open(&path, Trust::Trusted)?;
        Ok(Self {
            prover: Prover::new(Arc::new(key))?,
            witness: Witness::from_scalars(&case.witness),
            signals: case.public_signals().to_vec(),
            _folder: folder,
        })
    }
}

impl Contender for Warpfield {
    fn name(&self) -> &'static str {
        "warpfield"
    }

    /// Timed: r and s, the proof, and the check that [`Prover::prove`] makes of it.
    fn prove(&mut self) -> Result<Cost> {
        let (proof, wall, cpu) =
            timed(|| self.prover.prove(&self.witness, Blinding::random(&mut OsRng)?));
        if !is_valid(self.prover.key().verifying_key(), &self.signals, &proof?) {
            return Err("warpfield's proof does not verify".into());
        }
        Ok(Cost { wall, cpu, synthesis: None })
    }
}

/// The pairing check written out with blstrs alone, apart from warpfield's own verifier:
/// e(A, B) = e(α, β) + e(IC₀ + Σ xᵢICᵢ, γ) + e(C, δ).
fn is_valid(key: &VerifyingKey, signals: &[Scalar], proof: &Proof) -> bool {
    let public: G1Projective =
        key.ic[1..].iter().zip(signals).map(|(point, signal)| point * signal).sum();
    let public: G1Affine = (public + key.ic[0]).to_affine();
    Bls12::pairing(&proof.a, &proof.b)
        == Bls12::pairing(&key.alpha_g1, &key.beta_g2)
            + Bls12::pairing(&public, &key.gamma_g2)
            + Bls12::pairing(&proof.c, &key.delta_g2)
}
