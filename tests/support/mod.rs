//! What the integration tests share: small circuits as files, and surgery on files.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::PathBuf;

use blstrs::{G1Affine, G2Affine, Scalar};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use warpfield::circuit::{R1cs, WitnessValues, synthetic};
use warpfield::formats::{r1cs, wtns, zkey};
use warpfield::groth16::{ToxicWaste, Witness, setup};

/// A generator that gives the same numbers each time.
pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// A file that comes with the repository.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A circuit with its witness and key, as the bytes of files.
pub struct Sample {
    pub r1cs: Vec<u8>,
    pub wtns: Vec<u8>,
    pub zkey: Vec<u8>,
}

impl Sample {
    pub fn synthetic(constraints: usize, public: usize, values: WitnessValues) -> Self {
        let (circuit, witness) = synthetic(constraints, public, values, &mut rng(1));
        Self::of(&circuit, &witness)
    }

    pub fn of(circuit: &R1cs, witness: &[Scalar]) -> Self {
        let parts = setup(circuit, &ToxicWaste::random(&mut rng(2)).unwrap()).unwrap();
        let mut sample = Self { r1cs: vec![], wtns: vec![], zkey: vec![] };
        r1cs::write(circuit, &mut sample.r1cs).unwrap();
        wtns::write(&Witness::from_scalars(witness), &mut sample.wtns).unwrap();
        zkey::write(&parts, &mut sample.zkey).unwrap();
        sample
    }

    /// The same with the key's coefficients in another order.
    pub fn shuffled(&self) -> Self {
        let start = section(&self.zkey, 4) + 4;
        let count = u32::from_le_bytes(self.zkey[start - 4..start].try_into().unwrap()) as usize;
        let mut zkey = self.zkey.clone();
        for index in 0..count {
            // 7919 is prime and larger than the count, so this is a permutation.
            let other = index * 7919 % count;
            let entry = self.zkey[start + 44 * index..][..44].to_vec();
            zkey[start + 44 * other..][..44].copy_from_slice(&entry);
        }
        assert_ne!(zkey, self.zkey);
        Self { zkey, r1cs: self.r1cs.clone(), wtns: self.wtns.clone() }
    }
}

/// The sections of a container: (id, offset of the content, length).
pub fn sections(bytes: &[u8]) -> Vec<(u32, usize, usize)> {
    let mut found = Vec::new();
    let mut position = 12;
    while position < bytes.len() {
        let id = u32::from_le_bytes(bytes[position..position + 4].try_into().unwrap());
        let length = u64::from_le_bytes(bytes[position + 4..position + 12].try_into().unwrap());
        found.push((id, position + 12, length as usize));
        position += 12 + length as usize;
    }
    found
}

/// Offset of a section's content.
pub fn section(bytes: &[u8], id: u32) -> usize {
    sections(bytes).into_iter().find(|(other, ..)| *other == id).unwrap().1
}

/// A container with the sections that `order` names by id, in that order.
pub fn with_sections(bytes: &[u8], order: &[u32]) -> Vec<u8> {
    let mut out = bytes[..8].to_vec();
    out.extend((order.len() as u32).to_le_bytes());
    for wanted in order {
        let all = sections(bytes);
        let (_, start, length) = all.iter().find(|(id, ..)| id == wanted).unwrap();
        out.extend(&bytes[start - 12..start + length]);
    }
    out
}

/// A container with other bytes in one of its sections.
pub fn with_content(bytes: &[u8], id: u32, content: &[u8]) -> Vec<u8> {
    let (_, start, length) = sections(bytes).into_iter().find(|(other, ..)| *other == id).unwrap();
    let before = patched(&bytes[..start], start - 8, &(content.len() as u64).to_le_bytes());
    [&before, content, &bytes[start + length..]].concat()
}

/// The bytes with those at `offset` replaced.
pub fn patched(bytes: &[u8], offset: usize, new: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out[offset..offset + new.len()].copy_from_slice(new);
    out
}

/// A point of the curve over Fp that is not in the subgroup, in the layout of a key.
pub fn outside_g1() -> [u8; 96] {
    for x in 0u8.. {
        let mut compressed = [0; 48];
        compressed[0] = 0x80;
        compressed[47] = x;
        if let Some(point) = Option::from(G1Affine::from_compressed_unchecked(&compressed))
            && !bool::from(G1Affine::is_torsion_free(&point))
        {
            let limbs = [point.as_ref().x.l, point.as_ref().y.l].concat();
            return limbs.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>()[..]
                .try_into()
                .unwrap();
        }
    }
    unreachable!("most points are outside")
}

/// The same over Fp2.
pub fn outside_g2() -> [u8; 192] {
    for x in 0u8.. {
        let mut compressed = [0; 96];
        compressed[0] = 0x80;
        compressed[95] = x;
        if let Some(point) = Option::from(G2Affine::from_compressed_unchecked(&compressed))
            && !bool::from(G2Affine::is_torsion_free(&point))
        {
            let (x, y) = (point.as_ref().x.fp, point.as_ref().y.fp);
            let limbs = [x[0].l, x[1].l, y[0].l, y[1].l].concat();
            return limbs.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>()[..]
                .try_into()
                .unwrap();
        }
    }
    unreachable!("most points are outside")
}

/// p, little-endian.
pub fn fp_modulus() -> [u8; 48] {
    little_endian(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    )
}

/// r, little-endian.
pub fn scalar_modulus() -> [u8; 32] {
    little_endian("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001")
}

fn little_endian<const N: usize>(hex: &str) -> [u8; N] {
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * (N - 1 - i)..][..2], 16).unwrap())
}
