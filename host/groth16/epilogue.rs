//! The end of a proof: what is made of the sums over the key's points, on whatever they were made.

use blstrs::{G1Projective, G2Projective, Scalar};
use group::Curve;

use super::{Blinding, Error, Key, Proof, verify};

/// The five sums of a proof over the key's points. They are not blinded: whoever has them and the proof knows
/// what the blinding hides.
#[derive(Clone, Copy)]
pub struct Sums {
    pub(super) a: G1Projective,
    pub(super) b1: G1Projective,
    pub(super) b2: G2Projective,
    pub(super) c: G1Projective,
    pub(super) h: G1Projective,
}

// Debug output must not hold secrets.
impl std::fmt::Debug for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sums").finish_non_exhaustive()
    }
}

impl Sums {
    /// The proof, unchecked: A = α + ΣA + rδ, B = β + ΣB + sδ, C = ΣC + ΣH + sA + rB₁ − rsδ.
    #[must_use]
    pub fn assemble(&self, key: &(impl Key + ?Sized), blinding: &Blinding) -> Proof {
        let Blinding { r, s } = blinding;
        let vk = key.verifying_key();
        let a = self.a + vk.alpha_g1 + key.delta_g1() * r;
        let b1 = self.b1 + key.beta_g1() + key.delta_g1() * s;
        let b2 = self.b2 + vk.beta_g2 + vk.delta_g2 * s;
        let c = self.c + self.h + a * s + b1 * r - key.delta_g1() * (r * s);
        Proof { a: a.to_affine(), b: b2.to_affine(), c: c.to_affine() }
    }

    /// The proof, checked for these public signals.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn finish(
        &self,
        key: &(impl Key + ?Sized),
        blinding: &Blinding,
        signals: &[Scalar],
    ) -> Result<Proof, Error> {
        let proof = self.assemble(key, blinding);
        check(key, signals, &proof)?;
        Ok(proof)
    }
}

/// Checks a proof that was made with a key, before it is given out.
///
/// # Errors
///
/// [`Error::KeySubgroup`] if it is not in the groups, which only a key that was trusted without a check can
/// bring about; [`Error::Unsatisfied`] if it does not verify for the public signals;
/// [`Error::PublicSignals`] if these are not as many as the key's.
pub fn check(key: &(impl Key + ?Sized), signals: &[Scalar], proof: &Proof) -> Result<(), Error> {
    // The pairing does not see a component of small order, which could carry the witness out.
    let in_groups =
        proof.a.is_torsion_free() & proof.b.is_torsion_free() & proof.c.is_torsion_free();
    if !bool::from(in_groups) {
        return Err(Error::KeySubgroup);
    }
    match verify(key.verifying_key(), signals, proof)? {
        true => Ok(()),
        false => Err(Error::Unsatisfied),
    }
}
