//! Why a proof cannot be made or checked.

/// An error of keys, prover or verifier. None of them holds a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The witness has another number of values than the circuit has wires.
    #[error(
        "the witness has {found} values, the key's circuit has {expected} wires; \
         was it computed for another circuit?"
    )]
    WitnessLength {
        /// Values in the witness.
        found: usize,
        /// Wires of the circuit.
        expected: usize,
    },
    /// A vector of a synthesis has another number of values than the key's circuit.
    #[error(
        "the synthesis has {found} values of {what}, the key's circuit has {expected}; \
         is it of another circuit?"
    )]
    SynthesisLength {
        /// Which vector.
        what: &'static str,
        /// Values in it.
        found: usize,
        /// Values that the circuit has.
        expected: usize,
    },
    /// Parts of a key do not agree with each other.
    #[error("the key's parts do not agree: {0}; are they of one circuit?")]
    KeyParts(String),
    /// The finished proof does not verify: the witness does not satisfy the constraints.
    #[error(
        "the proof does not verify, so the witness does not satisfy the circuit's constraints; \
         was it computed for another circuit, or is it or the key damaged?"
    )]
    Unsatisfied,
    /// The finished proof is not in the subgroups of order r.
    #[error(
        "a point of the proof is not in the subgroup of order r: the key has points that are not, and \
         was made to deceive, unless its file was changed meanwhile or the device is defective; check it with --no-sidecar"
    )]
    KeySubgroup,
    /// A circuit that contradicts itself.
    #[error("the circuit is inconsistent: {0}")]
    Circuit(String),
    /// The number of public signals is not the verifying key's.
    #[error(
        "{found} public signals were given, the verifying key has {expected}; are they of the same circuit?"
    )]
    PublicSignals {
        /// Signals given.
        found: usize,
        /// Signals of the circuit.
        expected: usize,
    },
    /// More constraints than the scalar field has roots of unity for.
    #[error(transparent)]
    DomainTooLarge(#[from] crate::ntt::DomainTooLarge),
    /// A multi-scalar multiplication was called with inconsistent lengths.
    #[error(transparent)]
    Msm(#[from] crate::msm::MsmError),
    /// Random bytes could not be had.
    #[error("the system's random generator failed: {0}")]
    Random(#[from] rand_core::Error),
}
