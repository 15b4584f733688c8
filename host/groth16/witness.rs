//! The values of all wires of a circuit.

use std::ops::Range;
use std::sync::Arc;

use blstrs::Scalar;
use ff::Field as _;

use super::SharedBytes;
use super::secret::canonical_bytes;
use crate::field::{SCALAR_BYTES, scalar_from_canonical};

/// A witness: for each wire its value, 32 bytes little-endian in ordinary form, below r. Wire 0 is
/// the constant 1, then come the public outputs, the public inputs and the rest, as circom numbers
/// them. Values given by [`from_scalars`](Self::from_scalars) are zeroed on drop; those of a file
/// are the file's.
#[derive(Clone)]
pub struct Witness {
    bytes: SharedBytes,
    range: Range<usize>,
}

impl Witness {
    /// A part of shared bytes that has been checked: a whole number of values, each below r.
    pub(crate) fn from_shared(bytes: SharedBytes, range: Range<usize>) -> Self {
        debug_assert!(range.len().is_multiple_of(SCALAR_BYTES));
        Self { bytes, range }
    }

    /// A copy of `values`, wire 0 first.
    pub fn from_scalars(values: &[Scalar]) -> Self {
        let bytes = canonical_bytes(values);
        let range = 0..bytes.len();
        Self { bytes: Arc::new(bytes), range }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.range.len() / SCALAR_BYTES
    }

    /// Whether there are no values at all.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// All values, 32 bytes each.
    pub fn as_bytes(&self) -> &[u8] {
        &(*self.bytes).as_ref()[self.range.clone()]
    }

    /// All values, one array each.
    pub(crate) fn values(&self) -> &[[u8; SCALAR_BYTES]] {
        self.as_bytes().as_chunks().0
    }

    /// Values 1 to `n_public`: the public signals, outputs first.
    ///
    /// # Panics
    ///
    /// If there are not so many values.
    pub fn public_signals(&self, n_public: usize) -> Vec<Scalar> {
        let values = &self.values()[1..=n_public];
        // It was checked when it was read. Of a file that was changed since then the proof does not verify.
        values.iter().map(|v| scalar_from_canonical(v).unwrap_or(Scalar::ZERO)).collect()
    }
}

// Debug output must not hold secrets.
impl std::fmt::Debug for Witness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Witness({} values)", self.len())
    }
}
