//! How much memory a key and its proofs take on a device.

use warpfield_device::field::Fr;

use super::matrices::Matrix;
use super::{Error, Kernels};
use crate::curve::{CurveGroup, G1, G2};
use crate::groth16::synthesis::VectorKey;
use crate::msm::gpu::{DeviceGroup, Tables};

/// The numbers of which what a key takes on a device follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub(super) log_domain: u32,
    pub(super) wires: usize,
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) c: usize,
    pub(super) h: usize,
    pub(super) form: FormSizes,
}

/// Those that keys of one form have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormSizes {
    Matrices {
        matrices: [MatrixSizes; 2],
        /// Different coefficients.
        values: usize,
    },
    Vectors {
        /// Of which a, b and c have values.
        rows: usize,
        /// Wires before the auxiliary ones.
        inputs: usize,
    },
}

/// Those of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixSizes {
    pub starts: usize,
    pub entries: usize,
    pub cut_rows: usize,
}

impl MatrixSizes {
    pub fn of(matrix: &Matrix) -> Self {
        let (starts, cut_rows) = (matrix.starts.len(), matrix.cut_rows.len());
        Self { starts, entries: matrix.len(), cut_rows }
    }

    /// What is in the list of starts: all but where the last entry ends.
    pub fn pieces(&self) -> usize {
        self.starts - 1
    }
}

/// The tables that each vector of a key's points has on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTables {
    /// Of A.
    pub a: Tables,
    /// Of B in G1.
    pub b1: Tables,
    /// Of B in G2.
    pub b2: Tables,
    /// Of C.
    pub c: Tables,
    /// Of H.
    pub h: Tables,
}

/// More copies than are of use.
const MOST_COPIES: usize = 128;

impl Sizes {
    pub(super) fn of_vectors(key: &VectorKey) -> Self {
        let shape = key.shape();
        Self {
            log_domain: shape.log_domain(),
            wires: shape.variables(),
            a: shape.a.len(),
            b: shape.b.len(),
            c: shape.auxiliary,
            h: key.h().len(),
            form: FormSizes::Vectors { rows: shape.rows, inputs: shape.inputs },
        }
    }

    /// Rows of the domain.
    #[must_use]
    pub fn rows(&self) -> usize {
        1 << self.log_domain
    }

    /// Wires of the circuit: values of a witness, or of an assignment.
    #[must_use]
    pub fn wires(&self) -> usize {
        self.wires
    }

    /// Points that are left of A, B, C and H, without those at infinity.
    #[must_use]
    pub fn points(&self) -> [usize; 4] {
        [self.a, self.b, self.c, self.h]
    }

    /// The tables with which sums are quickest, as far as is known, where all points with their copies take
    /// no more than `budget` bytes; with the same number of copies everywhere, about. Where that is not enough
    /// for copies there are none.
    #[must_use]
    pub fn tables(&self, budget: usize) -> KeyTables {
        let with = |copies: usize| KeyTables {
            a: tables::<G1>(self.a, copies),
            b1: tables::<G1>(self.b, copies),
            b2: tables::<G2>(self.b, copies),
            c: tables::<G1>(self.c, copies),
            h: tables::<G1>(self.h, copies),
        };
        let fits = |tables: &KeyTables| self.points_bytes(tables) <= budget;
        (2..=MOST_COPIES).rev().map(with).find(fits).unwrap_or_else(|| with(1))
    }

    /// Bytes of the points with these tables, which are a part of [`key_bytes`](Self::key_bytes).
    #[must_use]
    pub fn points_bytes(&self, tables: &KeyTables) -> usize {
        let KeyTables { a, b1, b2, c, h } = tables;
        points_bytes::<G1>(self.a, a)
            + points_bytes::<G1>(self.b, b1)
            + points_bytes::<G2>(self.b, b2)
            + points_bytes::<G1>(self.c, c)
            + points_bytes::<G1>(self.h, h)
    }

    /// Bytes that the key takes on a device with these tables.
    #[must_use]
    pub fn key_bytes(&self, tables: &KeyTables) -> usize {
        self.key_layout(tables).bytes
    }

    /// Bytes of a witness, or of a synthesis, that waits for its proof.
    #[must_use]
    pub fn staging_bytes(&self) -> usize {
        (self.vectors() * self.rows() + self.wires) * size_of::<Fr>()
    }

    /// Vectors of the domain's size that a slot has before the wires' values.
    pub(super) fn vectors(&self) -> usize {
        match self.form {
            FormSizes::Matrices { .. } => 0,
            FormSizes::Vectors { .. } => 3,
        }
    }

    /// Bytes that a partition takes besides, while it is computed.
    ///
    /// # Errors
    ///
    /// Too many points for a sum, and the driver's.
    pub fn scratch_bytes(&self, kernels: &Kernels, tables: &KeyTables) -> Result<usize, Error> {
        Ok(self.scratch_layout(&kernels.plans(self, tables)?).bytes)
    }
}

fn tables<G: DeviceGroup>(points: usize, copies: usize) -> Tables {
    Tables::within::<G>(points, points.saturating_mul(copies * G::BYTES))
}

pub(super) fn points_bytes<G: CurveGroup>(points: usize, tables: &Tables) -> usize {
    points * tables.copies as usize * G::BYTES
}
