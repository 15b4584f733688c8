//! The target `zkey`.

use std::sync::Arc;

use blstrs::Scalar;
use ff::Field;
use warpfield::formats::inspect;
use warpfield::formats::json::{read_verification_key, verification_key_to_json};
use warpfield::formats::zkey::{self, Trust};
use warpfield::groth16::{Blinding, Error, Prover, ProvingKey, Witness, verify};

use super::read;

/// Keys of at most so many wires and rows prove.
const SMALL: usize = 32;

/// `.zkey`: reads it whole and its verifying key alone, with and without checks of subgroups, inspects it,
/// and proves with it.
pub fn zkey(bytes: &[u8]) -> bool {
    let report = read(bytes, inspect);
    let verifying_key = read(bytes, zkey::read_verifying_key);
    let checked = read(bytes, |source| zkey::read(source, Trust::CheckAlways)).is_some();
    let Some(key) = read(bytes, |source| zkey::read(source, Trust::Trusted)) else {
        assert!(!checked, "what is checked less is refused");
        return false;
    };
    assert!(report.is_some());
    assert_eq!(verifying_key.as_ref(), Some(key.verifying_key()));
    let json = verification_key_to_json(key.verifying_key());
    assert_eq!(read(json.as_bytes(), read_verification_key), verifying_key);
    if key.n_wires() <= SMALL && 1 << key.log_domain() <= SMALL {
        prove(key, checked);
    }
    checked
}

/// A proof for a witness of ones.
fn prove(key: ProvingKey, checked: bool) {
    let prover = Prover::new(Arc::new(key)).expect("the domain is small");
    let witness = Witness::from_scalars(&vec![Scalar::ONE; prover.key().n_wires()]);
    let blinding = Blinding::fixed(Scalar::from(2), Scalar::from(3));
    let vk = prover.key().verifying_key();
    match prover.prove(&witness, blinding) {
        Ok(proof) => assert!(verify(vk, &witness.public_signals(vk.n_public()), &proof).unwrap()),
        Err(Error::Unsatisfied) => {}
        Err(error) => assert!(!checked && matches!(error, Error::KeySubgroup), "{error}"),
    }
}
