//! The keys of bellman and bellperson, as their `Parameters::write` writes them.
//!
//! α₁ β₁ β₂ γ₂ δ₁ δ₂ and IC, then H, L, A, B₁ and B₂. Before the points of each of these six vectors stands their
//! number, a big-endian u32. Points are affine, x then y, 96 bytes in G1 and 192 in G2; coordinates are
//! big-endian in ordinary form, of G2 the factor of u first. There is no header, and nothing about the circuit:
//! its [`Shape`], of which the densities are a part, comes from its synthesis.

use std::path::Path;

use blstrs::{G1Affine, G2Affine};
use rayon::prelude::*;

use super::container::Reader;
use super::point::{g1_affine, g2_affine};
use super::{Error, Fault, Source};
use crate::curve::{AffinePoint as _, BaseField as _, CurveGroup, G1, G2, PointFault, PointSlice};
use crate::groth16::synthesis::{Shape, VectorKey, VectorKeyParts};
use crate::groth16::{self, VerifyingKey};

/// Points that a thread converts at a time.
const TASK: usize = 1 << 10;

/// Reads a key for circuits of a shape, into memory. Every point is checked to be on its curve; that it is in its
/// group is the file's word, and what is made with the key is checked for it.
///
/// # Errors
///
/// [`Error`] if the file is not of a key for this shape, or a point is none.
pub fn open(path: impl AsRef<Path>, shape: Shape) -> Result<VectorKey, Error> {
    read(&Source::open(path)?, shape)
}

/// The same for a source that is open already.
///
/// # Errors
///
/// As [`open`].
#[tracing::instrument(level = "info", name = "load_key", skip_all)]
pub fn read(source: &Source, shape: Shape) -> Result<VectorKey, Error> {
    let mut file = File { source, position: 0 };
    let alpha_g1 = file.point::<G1>("α₁")?;
    let beta_g1 = file.point::<G1>("β₁")?;
    let beta_g2 = file.point::<G2>("β₂")?;
    let gamma_g2 = file.point::<G2>("γ₂")?;
    let delta_g1 = file.point::<G1>("δ₁")?;
    let delta_g2 = file.point::<G2>("δ₂")?;
    let ic = file.vector::<G1>("IC")?;
    let ic = PointSlice::<G1>::new(&ic).expect("whole points").iter().map(g1_affine).collect();
    let parts = VectorKeyParts {
        shape,
        vk: VerifyingKey {
            alpha_g1: g1_affine(alpha_g1),
            beta_g2: g2_affine(beta_g2),
            gamma_g2: g2_affine(gamma_g2),
            delta_g2: g2_affine(delta_g2),
            ic,
        },
        beta_g1: g1_affine(beta_g1),
        delta_g1: g1_affine(delta_g1),
        h: file.vector::<G1>("H")?,
        l: file.vector::<G1>("L")?,
        a: file.vector::<G1>("A")?,
        b_g1: file.vector::<G1>("B₁")?,
        b_g2: file.vector::<G2>("B₂")?,
    };
    let end = file.rest("the end of B₂");
    if end.remaining() > 0 {
        return Err(end.fault(Fault::Trailing(end.remaining() as u64)));
    }
    let other = |error: groth16::Error| Fault::Inconsistent(error.to_string());
    VectorKey::new(parts).map_err(|error| Error::new(source.path(), other(error)))
}

/// A file, read from its start on.
struct File<'s> {
    source: &'s Source,
    position: usize,
}

impl<'s> File<'s> {
    /// What is left, of which the first is called `name` in errors.
    fn rest(&self, name: &str) -> Reader<'s> {
        Reader::new(self.source, self.position..self.source.bytes().len(), name.into())
    }

    fn point<G: Uncompressed>(&mut self, name: &str) -> Result<G::Affine, Error> {
        let mut reader = self.rest(name);
        let bytes = reader.skip(G::BYTES as u64)?;
        let point =
            G::decode(bytes).map_err(|fault| reader.fault_at(self.position, fault.into()))?;
        self.position = reader.position();
        Ok(point)
    }

    /// The points of a vector, in the layout of a key in memory.
    fn vector<G: Uncompressed>(&mut self, name: &str) -> Result<Vec<u8>, Error> {
        let mut reader = self.rest(name);
        let count = u32::from_be_bytes(*reader.array()?);
        let first = reader.position();
        let bytes = reader.skip(u64::from(count) * G::BYTES as u64)?;
        let mut out = vec![0; bytes.len()];
        let tasks = out.par_chunks_mut(TASK * G::BYTES).zip(bytes.par_chunks(TASK * G::BYTES));
        let bad = tasks.enumerate().find_map_first(|(task, (out, bytes))| {
            let points = out.chunks_exact_mut(G::BYTES).zip(bytes.chunks_exact(G::BYTES));
            points.enumerate().find_map(|(index, (out, bytes))| match G::decode(bytes) {
                Ok(point) => {
                    let (x, y) = out.split_at_mut(G::Field::BYTES);
                    point.x().write_limb_bytes(x);
                    point.y().write_limb_bytes(y);
                    None
                }
                Err(fault) => Some((task * TASK + index, fault)),
            })
        });
        if let Some((index, fault)) = bad {
            reader.describe(&format!("point {index}"));
            return Err(reader.fault_at(first + index * G::BYTES, fault.into()));
        }
        self.position = reader.position();
        Ok(out)
    }
}

/// Set in the first byte of a compressed point, which blst would decode, too, and ignore the bytes behind it. As
/// a coordinate it is not below the modulus.
const COMPRESSED: u8 = 0x80;

/// A group with the encoding of its points in these files.
trait Uncompressed: CurveGroup {
    /// A point of the curve.
    fn decode(bytes: &[u8]) -> Result<Self::Affine, PointFault>;
}

impl Uncompressed for G1 {
    fn decode(bytes: &[u8]) -> Result<Self::Affine, PointFault> {
        let bytes = bytes.as_array().expect("as many bytes as a point has");
        check_uncompressed(bytes)?;
        let point = Option::from(G1Affine::from_uncompressed_unchecked(bytes));
        point.map(|point: G1Affine| *point.as_ref()).ok_or(PointFault::NotOnCurve)
    }
}

impl Uncompressed for G2 {
    fn decode(bytes: &[u8]) -> Result<Self::Affine, PointFault> {
        let bytes = bytes.as_array().expect("as many bytes as a point has");
        check_uncompressed(bytes)?;
        let point = Option::from(G2Affine::from_uncompressed_unchecked(bytes));
        point.map(|point: G2Affine| *point.as_ref()).ok_or(PointFault::NotOnCurve)
    }
}

fn check_uncompressed(bytes: &[u8]) -> Result<(), PointFault> {
    match bytes[0] & COMPRESSED {
        0 => Ok(()),
        _ => Err(PointFault::NotReduced),
    }
}
