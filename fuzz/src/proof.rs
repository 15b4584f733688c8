//! The target `proof`.

use std::sync::LazyLock;

use blstrs::Scalar;
use ff::Field;
use warpfield::formats::Source;
use warpfield::formats::json::{proof_to_json, read_proof, read_verification_key};
use warpfield::groth16::{Proof, VerifyingKey, verify};

use super::read;

/// `proof.json`: reads it, writes and reads it again, in both forms, and verifies it.
pub fn proof(bytes: &[u8]) -> bool {
    static KEY: LazyLock<VerifyingKey> = LazyLock::new(|| {
        let json = include_bytes!("../corpus/verification_key/good-ones");
        read_verification_key(&Source::from_bytes("key", json.to_vec())).expect("a good key")
    });
    let Some(proof) = read(bytes, read_proof) else { return false };
    let json = proof_to_json(&proof);
    assert_eq!(read(json.as_bytes(), read_proof), Some(proof));
    assert_eq!(Proof::from_compressed(&proof.to_compressed()), Some(proof));
    verify(&KEY, &vec![Scalar::ONE; KEY.n_public()], &proof).expect("as many signals as the key's");
    true
}
