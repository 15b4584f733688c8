//! Proofs, public signals and verification keys that are bad, field by field.

mod support;

use serde_json::{Value, json};
use support::*;
use warpfield::formats::json::{read_proof, read_public, read_verification_key};
use warpfield::formats::{Error, Source};

const P: &str = "4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787";
const R: &str = "52435875175126190479447740508185965837690552500527637822603658699938581184513";

fn sample(name: &str) -> Value {
    let text = std::fs::read_to_string(data("mult1000").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn source(value: &Value) -> Source {
    Source::from_bytes("f.json", value.to_string().into_bytes())
}

#[track_caller]
fn expect<T>(result: Result<T, Error>, parts: &[&str]) {
    let Err(error) = result else { panic!("accepted, should say {parts:?}") };
    let line = error.to_string();
    for part in [&["f.json"], parts].concat() {
        assert!(line.contains(part), "{line:?} should contain {part:?}");
    }
    assert_eq!(line.lines().count(), 1, "{line:?}");
}

/// The sample with one value replaced.
fn with(mut value: Value, pointer: &str, new: Value) -> Source {
    *value.pointer_mut(pointer).expect("the pointer leads somewhere") = new;
    source(&value)
}

fn decimal(bytes: &[u8]) -> Value {
    // The bytes are a Montgomery form; blst converts it.
    let limbs: Vec<u64> =
        bytes.chunks(8).map(|limb| u64::from_le_bytes(limb.try_into().unwrap())).collect();
    let fp = blst::blst_fp { l: limbs.try_into().unwrap() };
    let mut canonical = [0; 48];
    // SAFETY: the function writes 48 bytes.
    unsafe { blst::blst_lendian_from_fp(canonical.as_mut_ptr(), &fp) };
    num_bigint::BigUint::from_bytes_le(&canonical).to_string().into()
}

#[test]
fn the_samples_are_good() {
    read_proof(&source(&sample("snarkjs.proof.json"))).unwrap();
    read_public(&source(&sample("snarkjs.public.json"))).unwrap();
    read_verification_key(&source(&sample("verification_key.json"))).unwrap();
}

#[test]
fn not_the_json_that_was_meant() {
    let text = |text: &str| Source::from_bytes("f.json", text.into());
    for bad in ["", "{", "[1, 2", "\u{0}", "nonsense", "{\"pi_a\": 1}"] {
        expect(read_proof(&text(bad)), &["offset", "is this the JSON that snarkjs writes"]);
        expect(read_public(&text(bad)), &["is this the JSON that snarkjs writes"]);
        expect(read_verification_key(&text(bad)), &["is this the JSON that snarkjs writes"]);
    }
    expect(read_proof(&text("{\n \"pi_a\": 7\n}")), &["offset 11"]);
    // Deep nesting is refused, not recursed into.
    expect(read_public(&text(&"[".repeat(1 << 20))), &["offset"]);
    for field in ["pi_a", "pi_b", "pi_c", "protocol", "curve"] {
        let mut proof = sample("snarkjs.proof.json");
        proof.as_object_mut().unwrap().remove(field);
        expect(read_proof(&source(&proof)), &[&format!("missing field `{field}`")]);
    }
}

#[test]
fn other_curves_and_protocols() {
    let proof = || sample("snarkjs.proof.json");
    expect(read_proof(&with(proof(), "/curve", json!("bn128"))), &["curve", "bn128", "bls12381"]);
    expect(read_proof(&with(proof(), "/protocol", json!("plonk"))), &["protocol", "plonk"]);
    let hostile = json!("x\n\u{1b}[2Jvalid".repeat(1000));
    expect(read_proof(&with(proof(), "/protocol", hostile.clone())), &["protocol", "\\u{1b}"]);
    expect(read_proof(&with(proof(), "/curve", hostile)), &["curve", "\\u{1b}"]);
    let key = || sample("verification_key.json");
    expect(read_verification_key(&with(key(), "/curve", json!("bn128"))), &["bn128"]);
    expect(read_verification_key(&with(key(), "/protocol", json!("fflonk"))), &["fflonk"]);
}

#[test]
fn numbers_that_are_none() {
    let long = "9".repeat(1 << 20);
    for bad in ["", "-1", "007", "00", "0x1", "1.0", " 1", "1e3", "٣", long.as_str()] {
        for field in ["/pi_a/0", "/pi_b/1/0", "/pi_c/1"] {
            let proof = with(sample("snarkjs.proof.json"), field, json!(bad));
            expect(read_proof(&proof), &[&field[1..5], "not a decimal number"]);
        }
        let public = with(sample("snarkjs.public.json"), "/1", json!(bad));
        expect(read_public(&public), &["signal 1", "not a decimal number"]);
    }
    for field in ["/pi_a/0", "/pi_b/1/0", "/pi_c/1"] {
        let proof = with(sample("snarkjs.proof.json"), field, json!(P));
        expect(read_proof(&proof), &[&field[1..5], "not below the modulus"]);
    }
    for bad in [R, P] {
        let public = with(sample("snarkjs.public.json"), "/0", json!(bad));
        expect(read_public(&public), &["signal 0", "scalar field's modulus"]);
    }
}

#[test]
fn points_that_are_none() {
    let proof = || sample("snarkjs.proof.json");
    let key = || sample("verification_key.json");
    for field in ["pi_a", "pi_c"] {
        let off_curve = with(proof(), &format!("/{field}/0"), json!("5"));
        expect(read_proof(&off_curve), &[field, "not on the curve"]);
        let other_z = with(proof(), &format!("/{field}/2"), json!("2"));
        expect(read_proof(&other_z), &[field, "neither (x, y, 1) nor (0, 1, 0)"]);
        let point = outside_g1();
        let outside = json!([decimal(&point[..48]), decimal(&point[48..]), "1"]);
        expect(read_proof(&with(proof(), &format!("/{field}"), outside)), &[field, "subgroup"]);
    }
    expect(read_proof(&with(proof(), "/pi_b/0/0", json!("5"))), &["pi_b", "not on the curve"]);
    expect(read_proof(&with(proof(), "/pi_b/2/1", json!("1"))), &["pi_b", "neither (x, y, 1)"]);
    let point = outside_g2();
    let part = |i: usize| decimal(&point[48 * i..48 * (i + 1)]);
    let outside = json!([[part(0), part(1)], [part(2), part(3)], ["1", "0"]]);
    expect(read_proof(&with(proof(), "/pi_b", outside.clone())), &["pi_b", "subgroup"]);
    for field in ["vk_beta_2", "vk_gamma_2", "vk_delta_2"] {
        let bad = with(key(), &format!("/{field}"), outside.clone());
        expect(read_verification_key(&bad), &[field, "subgroup"]);
    }
    expect(read_verification_key(&with(key(), "/vk_alpha_1/1", json!("5"))), &["vk_alpha_1"]);
    expect(read_verification_key(&with(key(), "/IC/2/0", json!("5"))), &["IC[2]", "curve"]);
}

#[test]
fn counts_that_do_not_match() {
    let key = || sample("verification_key.json");
    expect(read_verification_key(&with(key(), "/nPublic", json!(3))), &["IC", "nPublic is 3"]);
    let wild = with(key(), "/nPublic", json!(u64::MAX));
    expect(read_verification_key(&wild), &["IC"]);
    expect(read_verification_key(&with(key(), "/nPublic", json!(-1))), &["offset"]);
}

#[test]
fn infinity_can_be_written_and_read() {
    let infinity = json!(["0", "1", "0"]);
    let proof = read_proof(&with(sample("snarkjs.proof.json"), "/pi_a", infinity)).unwrap();
    let text = warpfield::formats::json::proof_to_json(&proof);
    let again = read_proof(&Source::from_bytes("f.json", text.into_bytes())).unwrap();
    assert_eq!(again, proof);
    assert_eq!(proof.a, blstrs::G1Affine::default());

    for other in [json!(["5", "1", "0"]), json!(["0", "0", "0"]), json!(["x", "1", "0"])] {
        let proof = with(sample("snarkjs.proof.json"), "/pi_a", other);
        expect(read_proof(&proof), &["pi_a", "neither (x, y, 1)"]);
    }
    for field in ["vk_alpha_1", "vk_beta_2", "vk_gamma_2", "vk_delta_2"] {
        let infinity = match field {
            "vk_alpha_1" => json!(["0", "1", "0"]),
            _ => json!([["0", "0"], ["1", "0"], ["0", "0"]]),
        };
        let key = with(sample("verification_key.json"), &format!("/{field}"), infinity);
        expect(read_verification_key(&key), &[field, "infinity"]);
    }
}
