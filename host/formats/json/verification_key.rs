//! `verification_key.json`.

use blstrs::{G1Affine, G2Affine};
use serde::{Deserialize, Serialize};

use super::pairing::{GtJson, pairing_json};
use super::points::{G1Json, G2Json, g1, g1_json, g2, g2_json};
use super::{CURVE, PROTOCOL, check_kind, parse, to_json};
use crate::formats::{Error, Fault, Source};
use crate::groth16::VerifyingKey;

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object")]
struct KeyJson {
    protocol: String,
    curve: String,
    #[serde(rename = "nPublic")]
    n_public: usize,
    vk_alpha_1: G1Json,
    vk_beta_2: G2Json,
    vk_gamma_2: G2Json,
    vk_delta_2: G2Json,
    /// e(α, β). Derived from the rest, so it is written and not read.
    #[serde(skip_deserializing)]
    vk_alphabeta_12: GtJson,
    #[serde(rename = "IC")]
    ic: Vec<G1Json>,
}

/// The text of a verification key, as `snarkjs zkey export verificationkey` writes it.
pub fn verification_key_to_json(key: &VerifyingKey) -> String {
    to_json(&KeyJson {
        protocol: PROTOCOL.into(),
        curve: CURVE.into(),
        n_public: key.n_public(),
        vk_alpha_1: g1_json(&key.alpha_g1),
        vk_beta_2: g2_json(&key.beta_g2),
        vk_gamma_2: g2_json(&key.gamma_g2),
        vk_delta_2: g2_json(&key.delta_g2),
        vk_alphabeta_12: pairing_json(&key.alpha_g1, &key.beta_g2),
        ic: key.ic.iter().map(g1_json).collect(),
    })
}

/// Reads a verification key and checks that its points are in their groups.
///
/// # Errors
///
/// [`Error`] with the field at fault.
pub fn read_verification_key(source: &Source) -> Result<VerifyingKey, Error> {
    let json: KeyJson = parse(source)?;
    let path = source.path();
    check_kind(path, &json.protocol, &json.curve)?;
    if json.ic.len() != json.n_public.saturating_add(1) {
        let message = format!("{} points where nPublic is {}", json.ic.len(), json.n_public);
        return Err(Error::new(path, Fault::Inconsistent(message)).in_section("IC"));
    }
    let ic = json.ic.iter().enumerate();
    let key = VerifyingKey {
        alpha_g1: g1(path, "vk_alpha_1", &json.vk_alpha_1)?,
        beta_g2: g2(path, "vk_beta_2", &json.vk_beta_2)?,
        gamma_g2: g2(path, "vk_gamma_2", &json.vk_gamma_2)?,
        delta_g2: g2(path, "vk_delta_2", &json.vk_delta_2)?,
        ic: ic.map(|(i, point)| g1(path, &format!("IC[{i}]"), point)).collect::<Result<_, _>>()?,
    };
    for (name, infinite) in [
        ("vk_alpha_1", key.alpha_g1 == G1Affine::default()),
        ("vk_beta_2", key.beta_g2 == G2Affine::default()),
        ("vk_gamma_2", key.gamma_g2 == G2Affine::default()),
        ("vk_delta_2", key.delta_g2 == G2Affine::default()),
    ] {
        if infinite {
            let fault = Fault::Inconsistent("the point is infinity".into());
            return Err(Error::new(path, fault).in_section(name));
        }
    }
    Ok(key)
}
