//! The target `verification_key`.

use blstrs::{G1Affine, G2Affine, Scalar};
use ff::Field;
use group::prime::PrimeCurveAffine;
use warpfield::formats::json::{read_verification_key, verification_key_to_json};
use warpfield::groth16::{Proof, verify};

use super::read;

/// Keys of at most so many public signals verify.
const SMALL: usize = 32;

/// `verification_key.json`: reads it, writes and reads it again, and verifies with it what is no proof.
pub fn verification_key(bytes: &[u8]) -> bool {
    let Some(key) = read(bytes, read_verification_key) else { return false };
    let json = verification_key_to_json(&key);
    let again = read(json.as_bytes(), read_verification_key);
    assert_eq!(again.as_ref(), Some(&key));
    if key.n_public() <= SMALL {
        let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
        let signals = vec![Scalar::ONE; key.n_public()];
        verify(&key, &signals, &Proof { a: g1, b: g2, c: g1 })
            .expect("as many signals as the key's");
    }
    true
}
