//! The seeds of the corpus: small files of each format, good ones and bad ones, from the library's
//! own writers.

use std::sync::Arc;

use blstrs::Scalar;
use ff::Field;
use warpfield::circuit::{R1cs, WitnessValues};
use warpfield::formats::json::{proof_to_json, public_to_json, verification_key_to_json};
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, wtns};
use warpfield::groth16::{Blinding, Proof, Prover, ToxicWaste, synthesis};

use super::support::*;
use super::targets::encode;

/// A file of the corpus. Its name begins with `good-` where its target must accept it, and with
/// `bad-` where it must not.
pub struct Seed {
    pub target: &'static str,
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

/// All of them.
pub fn seeds() -> Vec<Seed> {
    let ones = Sample::of(&ones(), &[Scalar::ONE; 4]);
    let full = Sample::synthetic(3, 1, WitnessValues::FullWidth);
    let all = [
        ("zkey", keys(&ones, &full)),
        ("wtns", witnesses(&ones, &full)),
        ("r1cs", circuits(&ones, &full)),
        ("proof", proofs(&prove(&ones))),
        ("compressed", compressed_proofs(&prove(&ones))),
        ("public", public_signals()),
        ("verification_key", verification_keys(&ones)),
        ("parameters", bellman_keys()),
    ];
    let seed = |target| move |(name, bytes)| Seed { target, name, bytes };
    all.into_iter().flat_map(|(target, files)| files.into_iter().map(seed(target))).collect()
}

type Files = Vec<(&'static str, Vec<u8>)>;

/// One multiplication, of a public output, a public input and a private one; all ones satisfy it.
fn ones() -> R1cs {
    let mut circuit = R1cs {
        n_wires: 4,
        n_public_outputs: 1,
        n_public_inputs: 1,
        n_private_inputs: 1,
        n_labels: 4,
        ..R1cs::default()
    };
    circuit.a.push_row([(2, Scalar::ONE)]);
    circuit.b.push_row([(3, Scalar::ONE)]);
    circuit.c.push_row([(1, Scalar::ONE)]);
    circuit
}

/// The constant alone.
fn empty() -> Sample {
    Sample::of(&R1cs { n_wires: 1, ..R1cs::default() }, &[Scalar::ONE])
}

fn keys(ones: &Sample, full: &Sample) -> Files {
    let key = &ones.zkey;
    let a = section(key, 5);
    let empty = empty().zkey;
    let domain = section(&empty, 2) + 4 + 48 + 4 + 32 + 8;
    let one_row = with_content(&patched(&empty, domain, &1u32.to_le_bytes()), 9, &[0; 96]);
    vec![
        ("good-ones", key.clone()),
        ("good-full", full.shuffled().zkey),
        ("good-empty", empty),
        ("good-one-row", one_row),
        ("good-reversed", with_sections(key, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1])),
        ("good-infinity", patched(key, a, &[0; 4 * 96])),
        ("bad-missing", with_sections(key, &[1, 2, 3, 4, 5, 6, 7, 8, 10])),
        ("bad-twice", with_sections(key, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 2])),
        ("bad-length", patched(key, a - 8, &u64::MAX.to_le_bytes())),
        ("bad-outside", patched(key, a, &outside_g1())),
        ("bad-plonk", patched(key, section(key, 1), &[2])),
        ("bad-bn128", include_bytes!("../data/bn128/tiny.zkey").to_vec()),
    ]
}

fn witnesses(ones: &Sample, full: &Sample) -> Files {
    let witness = &ones.wtns;
    let count = section(witness, 1) + 36;
    let values = section(witness, 2);
    vec![
        ("good-ones", witness.clone()),
        ("good-full", full.wtns.clone()),
        ("good-empty", empty().wtns),
        ("good-reversed", with_sections(witness, &[2, 1])),
        ("bad-missing", with_sections(witness, &[1])),
        ("bad-length", patched(witness, values - 8, &u64::MAX.to_le_bytes())),
        ("bad-count", patched(witness, count, &u32::MAX.to_le_bytes())),
        ("bad-value", patched(witness, values + 32, &scalar_modulus())),
        ("bad-bn128", include_bytes!("../data/bn128/tiny.wtns").to_vec()),
    ]
}

fn circuits(ones: &Sample, full: &Sample) -> Files {
    let circuit = &ones.r1cs;
    let sizes = section(circuit, 1) + 36;
    let rows = section(circuit, 2);
    let mut gates = circuit.clone();
    gates[8] = 4;
    gates.extend([&5u32.to_le_bytes()[..], &8u64.to_le_bytes(), &1u64.to_le_bytes()].concat());
    vec![
        ("good-ones", circuit.clone()),
        ("good-full", full.r1cs.clone()),
        ("good-empty", empty().r1cs),
        ("good-zero", patched(circuit, rows + 8, &[0; 32])),
        ("good-reversed", with_sections(circuit, &[3, 2, 1])),
        ("bad-missing", with_sections(circuit, &[1, 3])),
        ("bad-length", patched(circuit, rows - 8, &u64::MAX.to_le_bytes())),
        ("bad-rows", patched(circuit, sizes + 24, &u32::MAX.to_le_bytes())),
        ("bad-terms", patched(circuit, rows, &u32::MAX.to_le_bytes())),
        ("bad-gates", gates),
        ("bad-bn128", include_bytes!("../data/bn128/tiny.r1cs").to_vec()),
    ]
}

/// The proof of ones.
fn prove(ones: &Sample) -> Proof {
    let source = Source::from_bytes("key", ones.zkey.clone());
    let prover = Prover::new(Arc::new(zkey::read(&source, Trust::Trusted).unwrap())).unwrap();
    let witness = wtns::read(&Source::from_bytes("witness", ones.wtns.clone())).unwrap();
    prover.prove(&witness, Blinding::fixed(Scalar::from(2), Scalar::from(3))).unwrap()
}

fn proofs(proof: &Proof) -> Files {
    let json = proof_to_json(proof);
    let changed = |old: &str, new: &str| {
        assert!(json.contains(old));
        json.replacen(old, new, 1).into_bytes()
    };
    let infinity = proof_to_json(&Proof { a: Default::default(), b: Default::default(), ..*proof });
    vec![
        ("good-ones", json.clone().into_bytes()),
        ("good-infinity", infinity.into_bytes()),
        ("good-escaped", changed("groth16", "\\u0067roth16")),
        ("bad-curve", changed("bls12381", "bn128")),
        ("bad-protocol", changed("groth16", "plonk")),
        ("bad-missing", changed("pi_a", "pi_d")),
        ("bad-twice", changed("pi_c", "pi_a")),
        ("bad-length", changed("\"1\"", "\"1\", \"1\"")),
    ]
}

fn compressed_proofs(proof: &Proof) -> Files {
    let bytes = proof.to_compressed();
    let infinity = Proof { a: Default::default(), b: Default::default(), c: Default::default() };
    vec![
        ("good-ones", bytes.to_vec()),
        ("good-infinity", infinity.to_compressed().to_vec()),
        ("bad-uncompressed", patched(&bytes, 0, &[bytes[0] & 0x7f])),
        ("bad-infinity", patched(&bytes, 0, &[bytes[0] | 0x40])),
    ]
}

fn public_signals() -> Files {
    let largest = -Scalar::ONE;
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("good-ones", public_to_json(&[Scalar::ONE; 2]).into_bytes()),
        ("good-full", public_to_json(&[Scalar::ZERO, largest, Scalar::from(10)]).into_bytes()),
        ("good-empty", text("[]")),
        ("bad-number", text("[1]")),
        ("bad-zeros", text(r#"["01"]"#)),
        ("bad-sign", text(r#"["-1"]"#)),
        ("bad-nested", text(r#"[["1"]]"#)),
        ("bad-object", text(r#"{"0": "1"}"#)),
    ]
}

fn verification_keys(ones: &Sample) -> Files {
    let json = |key: &[u8]| {
        let key = zkey::read_verifying_key(&Source::from_bytes("key", key.to_vec())).unwrap();
        verification_key_to_json(&key)
    };
    let ones = json(&ones.zkey);
    let changed = |old: &str, new: &str| {
        assert!(ones.contains(old));
        ones.replacen(old, new, 1).into_bytes()
    };
    vec![
        ("good-ones", ones.clone().into_bytes()),
        ("good-empty", json(&empty().zkey).into_bytes()),
        ("bad-count", changed("\"nPublic\": 2", "\"nPublic\": 18446744073709551615")),
        ("bad-point", changed("\"1\"", "\"0\"")),
        ("bad-curve", changed("bls12381", "bn128")),
    ]
}

fn bellman_keys() -> Files {
    let key = synthesis::setup(&ones(), &ToxicWaste::random(&mut rng(2)).unwrap()).unwrap();
    let bytes = encode(&key);
    let vk = key.verifying_key();
    let ic = 3 * 96 + 3 * 192;
    vec![
        ("good-ones", bytes.clone()),
        ("bad-count", patched(&bytes, ic, &u32::MAX.to_be_bytes())),
        ("bad-trailing", [&bytes[..], &[0]].concat()),
        ("bad-compressed-g1", patched(&bytes, 0, &vk.alpha_g1.to_compressed())),
        ("bad-compressed-g2", patched(&bytes, 2 * 96, &vk.beta_g2.to_compressed())),
    ]
}
