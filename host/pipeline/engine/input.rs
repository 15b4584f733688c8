//! What a proof is made of.

use std::borrow::Borrow as _;
use std::sync::Arc;

use blstrs::Scalar;

use super::error::Error;
use crate::gpu::{Device, PinnedBuffer};
use crate::groth16::synthesis::Synthesis;
use crate::groth16::{Form, Key, Witness};
use crate::pipeline::pool::Lent;

/// What a proof is made of, in the form that its key asks for.
#[derive(Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one a partition")]
pub enum Input {
    /// A value a wire, for a key with matrices. Any device may take it.
    Witness(Witness),
    /// The vectors of a synthesis, for a key as bellman has it, in pinned memory of the device that proves. It goes
    /// back to its pool, zeroed, when the device has its copy.
    Synthesis(Synthesis<Lent<Scalar>>),
}

impl From<Witness> for Input {
    fn from(witness: Witness) -> Self {
        Self::Witness(witness)
    }
}

impl From<Synthesis<Lent<Scalar>>> for Input {
    fn from(synthesis: Synthesis<Lent<Scalar>>) -> Self {
        Self::Synthesis(synthesis)
    }
}

/// The pinned buffer.
fn buffer(lent: &Lent<Scalar>) -> &PinnedBuffer<Scalar> {
    lent.borrow()
}

/// Values of a witness for a key; none if it is of the other form.
pub(super) fn witness_len(key: &Arc<dyn Key>) -> usize {
    match key.form() {
        Form::Matrices(key) => key.n_wires(),
        Form::Vectors(_) => 0,
    }
}

impl Input {
    /// Checks its form and its lengths.
    pub(super) fn check(&self, key: &Arc<dyn Key>) -> Result<(), Error> {
        match (self, key.form()) {
            (Self::Witness(witness), Form::Matrices(key)) => Ok(key.check_witness(witness.len())?),
            (Self::Synthesis(synthesis), Form::Vectors(key)) => {
                Ok(synthesis.check(key.shape().lengths(), |buffer| buffer.len())?)
            }
            (Self::Witness(_), Form::Vectors(_)) => Err(Error::Form("vectors of a synthesis")),
            (Self::Synthesis(_), Form::Matrices(_)) => Err(Error::Form("a witness")),
        }
    }

    /// The device that alone can take it, if there is such: none where its vectors are of several.
    pub(super) fn device(&self) -> Option<Option<Device>> {
        let Self::Synthesis(Synthesis { a, b, c, inputs, auxiliary }) = self else { return None };
        let device = buffer(a).device();
        let all = [b, c, inputs, auxiliary];
        Some(all.into_iter().all(|lent| buffer(lent).device().is(&device)).then_some(device))
    }

    /// Bytes of host memory that it takes besides what is lent.
    pub(super) fn host_bytes(&self) -> u64 {
        match self {
            Self::Witness(witness) => witness.as_bytes().len() as u64,
            Self::Synthesis(_) => 0,
        }
    }

    /// The public signals.
    pub(super) fn signals(&self, key: &Arc<dyn Key>) -> Vec<Scalar> {
        match self {
            Self::Witness(witness) => witness.public_signals(key.verifying_key().n_public()),
            // The first one is the constant.
            Self::Synthesis(synthesis) => synthesis.inputs[1..].to_vec(),
        }
    }
}
