//! The target `wtns`.

use blstrs::Scalar;
use ff::Field;
use warpfield::formats::{inspect, wtns};
use warpfield::groth16::Witness;

use super::read;

/// `.wtns`: reads and inspects it, takes its values, and writes and reads it again.
pub fn wtns(bytes: &[u8]) -> bool {
    let report = read(bytes, inspect);
    let Some(witness) = read(bytes, wtns::read) else { return false };
    assert!(report.is_some());
    let mut values = vec![Scalar::ONE];
    values.extend(witness.public_signals(witness.len() - 1));
    assert_eq!(Witness::from_scalars(&values).as_bytes(), witness.as_bytes());
    let mut written = vec![];
    wtns::write(&witness, &mut written).expect("a vector takes it");
    let again = read(&written, wtns::read).expect("what was written is good");
    assert_eq!(again.as_bytes(), witness.as_bytes());
    true
}
