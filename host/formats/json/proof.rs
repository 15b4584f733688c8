//! `proof.json`.

use serde::{Deserialize, Serialize};

use super::points::{G1Json, G2Json, g1, g1_json, g2, g2_json};
use super::{CURVE, PROTOCOL, check_kind, parse, to_json};
use crate::formats::{Error, Source};
use crate::groth16::Proof;

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object")]
struct ProofJson {
    pi_a: G1Json,
    pi_b: G2Json,
    pi_c: G1Json,
    protocol: String,
    curve: String,
}

/// The text of a proof.
pub fn proof_to_json(proof: &Proof) -> String {
    to_json(&ProofJson {
        pi_a: g1_json(&proof.a),
        pi_b: g2_json(&proof.b),
        pi_c: g1_json(&proof.c),
        protocol: PROTOCOL.into(),
        curve: CURVE.into(),
    })
}

/// Reads a proof and checks that its points are in their groups.
///
/// # Errors
///
/// [`Error`] with the field at fault.
pub fn read_proof(source: &Source) -> Result<Proof, Error> {
    let json: ProofJson = parse(source)?;
    let path = source.path();
    check_kind(path, &json.protocol, &json.curve)?;
    Ok(Proof {
        a: g1(path, "pi_a", &json.pi_a)?,
        b: g2(path, "pi_b", &json.pi_b)?,
        c: g1(path, "pi_c", &json.pi_c)?,
    })
}
