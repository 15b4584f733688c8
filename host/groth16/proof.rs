//! A proof and its compressed form.

use blstrs::{G1Affine, G2Affine};

/// A Groth16 proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// A, in G1.
    pub a: G1Affine,
    /// B, in G2.
    pub b: G2Affine,
    /// C, in G1.
    pub c: G1Affine,
}

impl Proof {
    /// Bytes of the compressed form.
    pub const COMPRESSED_BYTES: usize = 48 + 96 + 48;

    /// A, B, C in the compressed encoding of BLS12-381's points, as bellman and Filecoin write it.
    pub fn to_compressed(&self) -> [u8; Self::COMPRESSED_BYTES] {
        let mut out = [0; Self::COMPRESSED_BYTES];
        out[..48].copy_from_slice(&self.a.to_compressed());
        out[48..144].copy_from_slice(&self.b.to_compressed());
        out[144..].copy_from_slice(&self.c.to_compressed());
        out
    }

    /// The proof of a compressed form; `None` where a part is not a point of its group.
    pub fn from_compressed(bytes: &[u8; Self::COMPRESSED_BYTES]) -> Option<Self> {
        let (a, rest) = bytes.split_first_chunk::<48>()?;
        let (b, c) = rest.split_first_chunk::<96>()?;
        let a = Option::from(G1Affine::from_compressed(a))?;
        let b = Option::from(G2Affine::from_compressed(b))?;
        let c = Option::from(G1Affine::from_compressed(c.first_chunk()?))?;
        Some(Self { a, b, c })
    }
}
