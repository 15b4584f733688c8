//! The proving key: a circuit's points and matrices, in the layout of a `.zkey` file.

mod parts;

use std::ops::Range;

use blstrs::G1Affine;

use super::coefficients::{Coefficients, RowOrder};
use super::{Error, SharedBytes, VerifyingKey};
use crate::curve::{CurveGroup, G1, G2, PointError, PointSlice, check_in_subgroup, check_on_curve};

/// Where the parts of a key lie in its bytes.
///
/// Points are affine, 96 bytes in G1 and 192 in G2, coordinates in Montgomery form; coefficients
/// are 44 bytes.
#[derive(Clone, Debug)]
pub(crate) struct KeyLayout {
    /// The matrices A and B, public rows included.
    pub coefficients: Range<usize>,
    /// A: a point a wire, in G1.
    pub a: Range<usize>,
    /// B: a point a wire, in G1.
    pub b1: Range<usize>,
    /// B: a point a wire, in G2.
    pub b2: Range<usize>,
    /// C, called L by others: a point a wire that is neither public nor the constant, in G1.
    pub c: Range<usize>,
    /// H: a point a row of the domain, in G1, for the Lagrange basis of the odd coset.
    pub h: Range<usize>,
}

/// An estimate of the memory that a proof takes beside the mapped key and the mapped witness, in
/// bytes: three vectors of the domain, its twiddles, and the MSMs' sorted digits and buckets.
pub fn proof_memory_bytes(domain: u64) -> u64 {
    // Vectors, twiddles, and digits: of the MSMs in progress at most two windows a thread, with
    // two threads; more threads take up to four times that.
    (3 * 32 + 16 + 40) * domain + (16 << 20)
}

/// The long vectors of points of a key, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPoints {
    A,
    B1,
    B2,
    C,
    H,
}

const G1_VECTORS: [KeyPoints; 4] = [KeyPoints::A, KeyPoints::B1, KeyPoints::C, KeyPoints::H];

/// Where a part of a key is.
struct Part {
    bytes: SharedBytes,
    range: Range<usize>,
}

impl Part {
    fn as_bytes(&self) -> &[u8] {
        &(*self.bytes).as_ref()[self.range.clone()]
    }
}

/// The parts of a key that grow with its circuit: of one file, or each by itself.
struct Parts {
    coefficients: Part,
    a: Part,
    b1: Part,
    b2: Part,
    c: Part,
    h: Part,
}

/// A key that proofs are made with. The bytes are shared and not copied; opened from a `.zkey` file
/// (see [`formats::zkey`](crate::formats::zkey)) they stay in the mapped file, and made of
/// [`KeyParts`](super::KeyParts) ([`into_key`](super::KeyParts::into_key)) in theirs.
pub struct ProvingKey {
    parts: Parts,
    size_bytes: usize,
    log_domain: u32,
    rows: RowOrder,
    vk: VerifyingKey,
    beta_g1: G1Affine,
    delta_g1: G1Affine,
}

impl ProvingKey {
    /// Puts a key together. The caller has checked that the layout's lengths agree with each other
    /// and that coefficients name existing rows and wires and are below r.
    pub(crate) fn new(
        bytes: SharedBytes,
        layout: KeyLayout,
        log_domain: u32,
        vk: VerifyingKey,
        points: [G1Affine; 2],
    ) -> Self {
        let size_bytes = (*bytes).as_ref().len();
        let part = |range| Part { bytes: bytes.clone(), range };
        let parts = Parts {
            coefficients: part(layout.coefficients),
            a: part(layout.a),
            b1: part(layout.b1),
            b2: part(layout.b2),
            c: part(layout.c),
            h: part(layout.h),
        };
        Self::of_parts(parts, size_bytes, log_domain, vk, points)
    }

    fn of_parts(
        parts: Parts,
        size_bytes: usize,
        log_domain: u32,
        vk: VerifyingKey,
        [beta_g1, delta_g1]: [G1Affine; 2],
    ) -> Self {
        let rows = RowOrder::of(Coefficients::new(parts.coefficients.as_bytes()));
        Self { parts, size_bytes, log_domain, rows, vk, beta_g1, delta_g1 }
    }

    /// The part that verifies.
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.vk
    }

    /// Number of wires: values in a witness.
    pub fn n_wires(&self) -> usize {
        self.parts.a.range.len() / G1::BYTES
    }

    /// Number of public signals, the constant 1 not counted.
    pub fn n_public(&self) -> usize {
        self.vk.n_public()
    }

    /// The domain's size is 2 to this.
    pub fn log_domain(&self) -> u32 {
        self.log_domain
    }

    /// Checks that a witness has as many values as there are wires.
    ///
    /// # Errors
    ///
    /// [`Error::WitnessLength`].
    pub(crate) fn check_witness(&self, found: usize) -> Result<(), Error> {
        match self.n_wires() {
            expected if expected != found => Err(Error::WitnessLength { found, expected }),
            _ => Ok(()),
        }
    }

    /// Bytes that the key takes, mapped or in memory.
    pub fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Checks that all coordinates are reduced and all points on their curve.
    ///
    /// # Errors
    ///
    /// The first bad vector and, in it, the first bad point.
    #[tracing::instrument(level = "info", skip_all)]
    pub(crate) fn check_on_curve(&self) -> Result<(), (KeyPoints, PointError)> {
        for name in G1_VECTORS {
            check_on_curve(self.g1(name)).map_err(|error| (name, error))?;
        }
        check_on_curve(self.b2()).map_err(|error| (KeyPoints::B2, error))
    }

    /// Checks that all points, which must be on their curve, are in the subgroup of order r. A key
    /// with a bad point passes with probability under 2⁻⁶⁰ over `seed`, which must not be
    /// predictable by whoever made the key.
    ///
    /// # Errors
    ///
    /// The first bad vector and, in it, the first bad point.
    #[tracing::instrument(level = "info", skip_all)]
    pub(crate) fn check_subgroups(&self, seed: [u8; 32]) -> Result<(), (KeyPoints, PointError)> {
        for name in G1_VECTORS {
            check_in_subgroup(self.g1(name), seed).map_err(|error| (name, error))?;
        }
        check_in_subgroup(self.b2(), seed).map_err(|error| (KeyPoints::B2, error))
    }

    pub(crate) fn beta_g1(&self) -> &G1Affine {
        &self.beta_g1
    }

    pub(crate) fn delta_g1(&self) -> &G1Affine {
        &self.delta_g1
    }

    pub(crate) fn coefficients(&self) -> Coefficients<'_> {
        Coefficients::new(self.parts.coefficients.as_bytes())
    }

    pub(crate) fn rows(&self) -> &RowOrder {
        &self.rows
    }

    /// The points of a vector in G1, which is any but B2.
    pub(crate) fn g1(&self, name: KeyPoints) -> PointSlice<'_, G1> {
        debug_assert_ne!(name, KeyPoints::B2);
        PointSlice::new(self.part(name).as_bytes()).expect("lengths are checked by the reader")
    }

    /// B in G2.
    pub(crate) fn b2(&self) -> PointSlice<'_, G2> {
        PointSlice::new(self.parts.b2.as_bytes()).expect("lengths are checked by the reader")
    }

    /// Where a point is in the bytes that hold its vector.
    pub(crate) fn point_offset(&self, name: KeyPoints, index: usize) -> usize {
        let size = match name {
            KeyPoints::B2 => G2::BYTES,
            _ => G1::BYTES,
        };
        self.part(name).range.start + index * size
    }

    fn part(&self, name: KeyPoints) -> &Part {
        match name {
            KeyPoints::A => &self.parts.a,
            KeyPoints::B1 => &self.parts.b1,
            KeyPoints::B2 => &self.parts.b2,
            KeyPoints::C => &self.parts.c,
            KeyPoints::H => &self.parts.h,
        }
    }
}
