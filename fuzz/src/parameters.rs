//! The target `parameters`.

use std::sync::LazyLock;

use blstrs::{G1Affine, G2Affine};
use warpfield::curve::{G1, G2, PointSlice};
use warpfield::formats::{Source, parameters, r1cs};
use warpfield::groth16::synthesis::{Shape, VectorKey};

use super::read;

/// A key of bellman, for the circuit of a seed: reads it, and encodes it again. A key has one form.
pub fn parameters(bytes: &[u8]) -> bool {
    static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
        let circuit = include_bytes!("../corpus/r1cs/good-ones");
        let circuit = r1cs::read(&Source::from_bytes("circuit", circuit.to_vec()));
        Shape::of(&circuit.expect("a good circuit")).expect("a good circuit")
    });
    let key = read(bytes, |source| parameters::read(source, SHAPE.clone()));
    let Some(key) = key else { return false };
    assert_eq!(encode(&key), bytes);
    true
}

/// A key as bellman writes it.
pub fn encode(key: &VectorKey) -> Vec<u8> {
    let (vk, parts) = (key.verifying_key(), key.parts());
    let mut out = vec![];
    out.extend(vk.alpha_g1.to_uncompressed());
    out.extend(parts.beta_g1.to_uncompressed());
    out.extend(vk.beta_g2.to_uncompressed());
    out.extend(vk.gamma_g2.to_uncompressed());
    out.extend(parts.delta_g1.to_uncompressed());
    out.extend(vk.delta_g2.to_uncompressed());
    out.extend((vk.ic.len() as u32).to_be_bytes());
    out.extend(vk.ic.iter().flat_map(G1Affine::to_uncompressed));
    for points in [key.h(), key.l(), key.a(), key.b_g1()] {
        push_g1(&mut out, points);
    }
    push_g2(&mut out, key.b_g2());
    out
}

fn push_g1(out: &mut Vec<u8>, points: PointSlice<'_, G1>) {
    out.extend((points.len() as u32).to_be_bytes());
    for raw in points.iter() {
        let mut point = G1Affine::default();
        *point.as_mut() = raw;
        out.extend(point.to_uncompressed());
    }
}

fn push_g2(out: &mut Vec<u8>, points: PointSlice<'_, G2>) {
    out.extend((points.len() as u32).to_be_bytes());
    for raw in points.iter() {
        let mut point = G2Affine::default();
        *point.as_mut() = raw;
        out.extend(point.to_uncompressed());
    }
}
