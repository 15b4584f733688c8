//! How much memory a key and its proofs take on a device.

use warpfield_device::field::Fr;

use super::matrices::Matrix;
use super::{Error, Kernels, KeyResidence};
use crate::groth16::synthesis::VectorKey;

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

    /// Bytes that the key takes on a device, with its points where they are said to be.
    #[must_use]
    pub fn key_bytes(&self, residence: &KeyResidence) -> usize {
        self.key_layout(residence).bytes
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
    pub fn scratch_bytes(
        &self,
        kernels: &Kernels,
        residence: &KeyResidence,
    ) -> Result<usize, Error> {
        Ok(self.scratch_layout(&kernels.plans(self, residence)?).bytes)
    }
}
