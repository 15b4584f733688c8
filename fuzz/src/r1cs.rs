//! The target `r1cs`.

use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use warpfield::circuit::R1cs;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{inspect, r1cs};
use warpfield::groth16::synthesis::Shape;
use warpfield::groth16::{ToxicWaste, setup};

use super::read;

/// Circuits of at most so many wires and rows get a key.
const SMALL: usize = 8;

/// `.r1cs`: reads and inspects it, tries a witness, writes and reads it again, and makes a key for it.
pub fn r1cs(bytes: &[u8]) -> bool {
    let report = read(bytes, inspect);
    let Some(circuit) = read(bytes, r1cs::read) else { return false };
    assert!(report.is_some());
    let ones = vec![Scalar::ONE; circuit.n_wires as usize];
    let unsatisfied = circuit.first_unsatisfied(&ones);
    assert!(unsatisfied.is_none_or(|row| row < circuit.n_constraints()));
    let shape = Shape::of(&circuit).expect("what was read is consistent");
    assert_eq!(shape.variables(), ones.len());
    let mut written = vec![];
    r1cs::write(&circuit, &mut written).expect("a vector takes it");
    let again = read(&written, r1cs::read).expect("what was written is good");
    assert_eq!(again, circuit);
    if ones.len() <= SMALL && 1 << circuit.log_domain() <= SMALL {
        make_key(&circuit);
    }
    true
}

/// The key of a circuit, as a file that is read with all checks.
fn make_key(circuit: &R1cs) {
    let waste = ToxicWaste::random(&mut ChaCha20Rng::seed_from_u64(1)).expect("it does not fail");
    let parts = setup(circuit, &waste).expect("what was read is consistent");
    let mut written = vec![];
    zkey::write(&parts, &mut written).expect("a vector takes it");
    let key = read(&written, |source| zkey::read(source, Trust::CheckAlways));
    let key = key.expect("a key of a circuit is good");
    let sizes = (key.n_wires(), key.n_public(), key.log_domain());
    let expected = (circuit.n_wires as usize, circuit.n_public() as usize, circuit.log_domain());
    assert_eq!(sizes, expected);
}
