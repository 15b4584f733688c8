//! The two forms of a key.

use std::sync::Arc;

use blstrs::G1Affine;

use super::synthesis::VectorKey;
use super::{ProvingKey, VerifyingKey};

/// A key of either form. Where it does not matter which, code is for any `impl Key`, or a `dyn Key`.
pub trait Key: Send + Sync {
    /// Which it is.
    fn form(&self) -> Form<'_>;

    /// The part that verifies.
    fn verifying_key(&self) -> &VerifyingKey {
        match self.form() {
            Form::Matrices(key) => key.verifying_key(),
            Form::Vectors(key) => key.verifying_key(),
        }
    }

    /// β in G1.
    fn beta_g1(&self) -> &G1Affine {
        match self.form() {
            Form::Matrices(key) => key.beta_g1(),
            Form::Vectors(key) => key.beta_g1(),
        }
    }

    /// δ in G1.
    fn delta_g1(&self) -> &G1Affine {
        match self.form() {
            Form::Matrices(key) => key.delta_g1(),
            Form::Vectors(key) => key.delta_g1(),
        }
    }
}

/// What a key makes a proof of.
#[derive(Clone, Copy)]
pub enum Form<'a> {
    /// A witness, which the key's matrices are multiplied with: that of snarkjs.
    Matrices(&'a ProvingKey),
    /// The vectors of a synthesis: that of bellman.
    Vectors(&'a VectorKey),
}

impl Key for ProvingKey {
    fn form(&self) -> Form<'_> {
        Form::Matrices(self)
    }
}

impl Key for VectorKey {
    fn form(&self) -> Form<'_> {
        Form::Vectors(self)
    }
}

impl<K: Key + ?Sized> Key for Arc<K> {
    fn form(&self) -> Form<'_> {
        (**self).form()
    }
}
