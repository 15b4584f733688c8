//! snarkjs verifies what warpfield proves, and the other way round.

use std::fs::{self, File};
use std::path::Path;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;
use tempfile::TempDir;
use warpfield::circuit::{WitnessValues, synthetic};
use warpfield::formats::{r1cs, wtns};
use warpfield::groth16::Witness;
use warpfield_interop::{circom, node_script, root, snarkjs, succeeded, warpfield};

fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Writes `c.r1cs` and `w.wtns`, and makes `k.zkey` with the program.
fn circuit(constraints: usize, public: usize, values: WitnessValues) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(constraints as u64);
    let (circuit, witness) = synthetic(constraints, public, values, &mut rng);
    let file = |name: &str| File::create(folder.path().join(name)).unwrap();
    r1cs::write(&circuit, file("c.r1cs")).unwrap();
    wtns::write(&Witness::from_scalars(&witness), file("w.wtns")).unwrap();
    succeeded(&warpfield(folder.path(), "setup c.r1cs k.zkey"));
    folder
}

#[track_caller]
fn rejected_by_snarkjs(folder: &Path, arguments: &str) {
    let output = snarkjs(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("Invalid proof"), "{said}");
}

/// Each prover with each verifier, on the files of `folder`; public signals changed are refused.
fn both_ways(folder: &Path) {
    succeeded(&snarkjs(folder, "wtns check c.r1cs w.wtns"));
    succeeded(&snarkjs(folder, "zkey export verificationkey k.zkey theirs.json"));
    succeeded(&warpfield(folder, "export-vk k.zkey ours.json"));
    assert_eq!(json(folder.join("ours.json")), json(folder.join("theirs.json")));

    succeeded(&warpfield(folder, "prove k.zkey w.wtns p.json x.json"));
    succeeded(&snarkjs(folder, "groth16 verify theirs.json x.json p.json"));

    succeeded(&snarkjs(folder, "groth16 prove k.zkey w.wtns sp.json sx.json"));
    succeeded(&warpfield(folder, "verify ours.json sx.json sp.json"));
    assert_eq!(json(folder.join("x.json")), json(folder.join("sx.json")));

    if let Value::Array(mut signals) = json(folder.join("x.json"))
        && !signals.is_empty()
    {
        signals[0] = "12345".into();
        fs::write(folder.join("bad.json"), Value::Array(signals).to_string()).unwrap();
        rejected_by_snarkjs(folder, "groth16 verify theirs.json bad.json p.json");
        let output = warpfield(folder, "verify ours.json bad.json p.json");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn public_inputs_zero_and_one() {
    both_ways(circuit(100, 0, WitnessValues::FullWidth).path());
    both_ways(circuit(100, 1, WitnessValues::FullWidth).path());
}

#[test]
fn public_inputs_64_and_65() {
    both_ways(circuit(200, 64, WitnessValues::FullWidth).path());
    both_ways(circuit(200, 65, WitnessValues::FullWidth).path());
}

#[test]
fn domain_equal_to_a_power_of_two_and_one_over() {
    // A row a constraint, one for the public input and one for the constant.
    both_ways(circuit(512 - 2, 1, WitnessValues::FullWidth).path());
    both_ways(circuit(512 - 1, 1, WitnessValues::FullWidth).path());
}

#[test]
fn all_values_boolean() {
    both_ways(circuit(300, 2, WitnessValues::Boolean).path());
}

#[test]
fn the_files_of_a_ceremony() {
    let folder = tempfile::tempdir().unwrap();
    let data = root().join("../data/mult1000");
    for (from, to) in
        [("circuit.zkey", "k.zkey"), ("circuit.r1cs", "c.r1cs"), ("witness.wtns", "w.wtns")]
    {
        fs::copy(data.join(from), folder.path().join(to)).unwrap();
    }
    both_ways(folder.path());
}

/// The steps that the README tells for one's own circuit.
#[test]
fn from_a_circom_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::copy(root().join("multiplier.circom"), path.join("multiplier.circom")).unwrap();
    fs::write(path.join("input.json"), r#"{"a": "3", "b": "11"}"#).unwrap();
    succeeded(&circom(path, "-p bls12381 --r1cs --wasm multiplier.circom"));
    succeeded(&node_script(
        path,
        "multiplier_js/generate_witness.js multiplier_js/multiplier.wasm input.json w.wtns",
    ));
    fs::rename(path.join("multiplier.r1cs"), path.join("c.r1cs")).unwrap();
    succeeded(&warpfield(path, "setup c.r1cs k.zkey"));
    both_ways(path);
    assert_eq!(json(path.join("x.json")), serde_json::json!(["33"]));
}
