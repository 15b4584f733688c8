//! Large files that are cheap to make, for what grows faster than they do.

use blstrs::Scalar;
use ff::Field;
use warpfield::circuit::R1cs;
use warpfield::formats::{r1cs, wtns};
use warpfield::groth16::Witness;

use super::support::{patched, section, with_content};

/// Files of some 100 KB to 1 MB: the target, what is large, the bytes, and whether they are good.
pub fn grown(seed: impl Fn(&str) -> Vec<u8>) -> Vec<(&'static str, &'static str, Vec<u8>, bool)> {
    let mut all = containers(&seed);
    all.extend(points(&seed));
    all.extend(json(&seed));
    all
}

type Grown = Vec<(&'static str, &'static str, Vec<u8>, bool)>;

fn containers(seed: &impl Fn(&str) -> Vec<u8>) -> Grown {
    let mut all = vec![];
    for target in ["zkey", "wtns", "r1cs"] {
        let good = seed(&format!("{target}/good-ones"));
        all.push((target, "empty sections", with_empty_sections(&good), true));
        let header = if target == "zkey" { 2 } else { 1 };
        let modulus = [&(1u32 << 20).to_le_bytes()[..], &[7; 1 << 20]].concat();
        all.push((target, "the modulus", with_content(&good, header, &modulus), false));
    }
    let mut witness = vec![];
    wtns::write(&Witness::from_scalars(&vec![Scalar::ONE; 20_000]), &mut witness).unwrap();
    all.push(("wtns", "values", witness, true));
    let circuit = |fill: &dyn Fn(&mut R1cs)| {
        let mut circuit = R1cs { n_wires: 10_000, ..R1cs::default() };
        fill(&mut circuit);
        let mut bytes = vec![];
        r1cs::write(&circuit, &mut bytes).unwrap();
        bytes
    };
    let rows = circuit(&|circuit| {
        for matrix in [&mut circuit.a, &mut circuit.b, &mut circuit.c] {
            (0..50_000).for_each(|_| matrix.push_row([]));
        }
    });
    let terms = circuit(&|circuit| {
        circuit.a.push_row((0..20_000).map(|wire| (wire % 10_000, Scalar::ONE)));
        circuit.b.push_row([]);
        circuit.c.push_row([]);
    });
    all.push(("r1cs", "rows", rows, true));
    all.push(("r1cs", "terms", terms, true));
    let key = seed("zkey/good-ones");
    let count = 20_000u32;
    // From the last row to the first, so that they are sorted.
    let coefficients = (0..count).flat_map(|index| {
        let words = [index % 2, 3 - index * 4 / count, index % 4];
        words.into_iter().flat_map(u32::to_le_bytes).chain([1; 32])
    });
    let content: Vec<u8> = count.to_le_bytes().into_iter().chain(coefficients).collect();
    all.push(("zkey", "coefficients", with_content(&key, 4, &content), true));
    all
}

/// A container with sections of numbers that mean nothing in it.
fn with_empty_sections(bytes: &[u8]) -> Vec<u8> {
    let more = 60_000u32;
    let count = u32::from_le_bytes(*bytes[8..].first_chunk().unwrap()) + more;
    let mut out = patched(bytes, 8, &count.to_le_bytes());
    (0..more).for_each(|id| out.extend([100 + id, 0, 0].map(u32::to_le_bytes).as_flattened()));
    out
}

/// Keys with many points, all of them infinity.
fn points(seed: &impl Fn(&str) -> Vec<u8>) -> Grown {
    let key = seed("zkey/good-ones");
    let public = 4_095u32;
    let sizes = section(&key, 2) + 4 + 48 + 4 + 32;
    let sizes =
        patched(&key, sizes, [public + 1, public, 4_096].map(u32::to_le_bytes).as_flattened());
    let none = with_content(&with_content(&sizes, 4, &[0; 4]), 8, &[]);
    let vectors = [(3, 96), (5, 96), (6, 96), (7, 192), (9, 96)];
    let large = vectors.into_iter().fold(none, |key, (id, size)| {
        with_content(&key, id, &vec![0; (public as usize + 1) * size])
    });
    let key = seed("parameters/good-ones");
    let ic = 3 * 96 + 3 * 192;
    let infinity = [&[0x40][..], &[0; 95]].concat();
    let many = [&key[..ic], &10_000u32.to_be_bytes(), &infinity.repeat(10_000)].concat();
    vec![("zkey", "points", large, true), ("parameters", "IC", many, false)]
}

fn json(seed: &impl Fn(&str) -> Vec<u8>) -> Grown {
    let list = |item: &str, count: usize| format!("[{}]", vec![item; count].join(","));
    let public = |what, json: String, good| ("public", what, json.into_bytes(), good);
    let proof = String::from_utf8(seed("proof/good-ones")).unwrap();
    let long = "\u{7f}".repeat(1 << 20);
    let proofs = |what, old: &str, new: &str, good| {
        assert!(proof.contains(old));
        ("proof", what, proof.replacen(old, new, 1).into_bytes(), good)
    };
    let key = String::from_utf8(seed("verification_key/good-ones")).unwrap();
    let infinity = list(r#"["0","1","0"]"#, 20_001);
    let (head, _) = key.split_once("\"IC\"").unwrap();
    let large = head.replace("\"nPublic\": 2", "\"nPublic\": 20000") + "\"IC\": " + &infinity + "}";
    let key = |what, json: String, good| ("verification_key", what, json.into_bytes(), good);
    vec![
        public("signals", list(r#""1""#, 200_000), true),
        public("empty signals", list(r#""""#, 200_000), false),
        public("depth", "[".repeat(1 << 20), false),
        public("lines", "\n".repeat(1 << 20), false),
        public("digits", format!(r#"["{}"]"#, "9".repeat(1 << 20)), false),
        public("a name", format!(r#""{long}""#), false),
        proofs("a number", "\"1\"", &format!("\"{long}\""), false),
        proofs("a point", "[", &format!("\"{long}\", ["), false),
        proofs("the curve", "bls12381", &long, false),
        proofs("another field", "{", &format!("{{\"{long}\": \"{long}\","), true),
        key("IC", large, true),
        key("a field's name", head.replacen("protocol", &long, 1), false),
    ]
}
