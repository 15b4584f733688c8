//! The target `compressed`.

use warpfield::groth16::Proof;

/// A compressed proof: has one form.
pub fn compressed(bytes: &[u8]) -> bool {
    let Some(proof) = bytes.try_into().ok().and_then(Proof::from_compressed) else { return false };
    assert_eq!(proof.to_compressed(), bytes);
    true
}
