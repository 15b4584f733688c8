//! Groth16 over BLS12-381: keys, witnesses, proofs, the prover and the verifier.
//!
//! The arithmetisation is snarkjs': the domain has the power of two at or above constraints +
//! public signals + 1 rows, c is a·b row by row, and the quotient is committed to in the Lagrange
//! basis of the odd coset. A proof made here and one made by snarkjs from the
//! same key are interchangeable. Keys and inputs as bellman has them are in [`synthesis`].

mod coefficients;
mod epilogue;
mod error;
mod form;
#[cfg(feature = "ptx")]
pub mod gpu;
mod key;
mod proof;
mod prover;
mod quotient;
mod secret;
mod setup;
pub mod synthesis;
mod verifier;
mod witness;

use std::sync::Arc;

pub(crate) use coefficients::{COEFFICIENT_BYTES, CoefficientFault, Coefficients};
pub use epilogue::{Sums, check};
pub use error::Error;
pub use form::{Form, Key};
pub(crate) use key::KeyLayout;
pub(crate) use key::KeyPoints;
pub use key::{ProvingKey, proof_memory_bytes};
pub use proof::Proof;
pub use prover::{Blinding, Prover};
pub use setup::{KeyParts, ToxicWaste, setup};
pub use verifier::{VerifyingKey, verify, verify_batch};
pub use witness::Witness;

/// Bytes that several owners read: a mapped file or a buffer.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;
