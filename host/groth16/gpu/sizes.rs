//! How much memory a key and its proofs take on a device.

use std::ops::Range;

use warpfield_device::field::Fr;
use warpfield_device::ntt::twiddle::Twiddle;

use super::matrices::Matrix;
use super::{Error, Kernels};
use crate::curve::{CurveGroup, G1, G2};
use crate::gpu::DeviceSlice;
use crate::groth16::synthesis::VectorKey;
use crate::msm::gpu::{DeviceGroup, Tables};
use crate::ntt::GpuDomain;

/// Where each part of memory starts.
pub(super) const ALIGNMENT: usize = 256;

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

    pub(super) fn key_layout(&self, tables: &KeyTables) -> KeyLayout {
        let mut taken = Taken(0);
        let (word, value) = (size_of::<u32>(), size_of::<Fr>());
        let twiddles = |coset| GpuDomain::twiddles(self.log_domain, coset) * size_of::<Twiddle>();
        KeyLayout {
            a: taken.more(points_bytes::<G1>(self.a, &tables.a)),
            b1: taken.more(points_bytes::<G1>(self.b, &tables.b1)),
            b2: taken.more(points_bytes::<G2>(self.b, &tables.b2)),
            c: taken.more(points_bytes::<G1>(self.c, &tables.c)),
            h: taken.more(points_bytes::<G1>(self.h, &tables.h)),
            wires_a: taken.more(self.a * word),
            wires_b: taken.more(self.b * word),
            domain: taken.more(twiddles(false)),
            coset: taken.more(twiddles(true)),
            form: match self.form {
                FormSizes::Matrices { matrices, values } => FormLayout::Matrices(MatricesLayout {
                    wires_c: taken.more(self.c * word),
                    values: taken.more(values * value),
                    matrices: matrices.map(|matrix| MatrixLayout {
                        starts: taken.more(matrix.starts * word),
                        entries: taken.more(matrix.entries * size_of::<u64>()),
                        cut_rows: taken.more(matrix.cut_rows * word),
                        firsts: taken.more((matrix.cut_rows + 1) * word),
                    }),
                }),
                FormSizes::Vectors { .. } => {
                    FormLayout::Vectors { back: taken.more(twiddles(true)) }
                }
            },
            bytes: taken.0,
        }
    }

    pub(super) fn scratch_layout(&self, plans: &super::Plans) -> ScratchLayout {
        let mut taken = Taken(0);
        let (vectors, gathered, parts) = match self.form {
            FormSizes::Matrices { matrices, .. } => {
                let parts = matrices.map(|matrix| matrix.pieces() - self.rows());
                (2, self.a.max(self.b).max(self.c), parts[0].max(parts[1]))
            }
            FormSizes::Vectors { .. } => (1, self.a.max(self.b), 0),
        };
        // Scalars that are gathered lie where the vectors were.
        let vectors = taken.more((vectors * self.rows()).max(gathered) * size_of::<Fr>());
        let work = taken.more(plans.bytes().max(parts * size_of::<Fr>()));
        ScratchLayout { vectors, work, bytes: taken.0 }
    }
}

fn tables<G: DeviceGroup>(points: usize, copies: usize) -> Tables {
    Tables::within::<G>(points, points.saturating_mul(copies * G::BYTES))
}

fn points_bytes<G: CurveGroup>(points: usize, tables: &Tables) -> usize {
    points * tables.copies as usize * G::BYTES
}

/// Bytes that are somebody's.
struct Taken(usize);

impl Taken {
    fn more(&mut self, bytes: usize) -> Range<usize> {
        let start = self.0;
        self.0 = (start + bytes).next_multiple_of(ALIGNMENT);
        start..start + bytes
    }
}

/// The parts of a key, in bytes.
#[derive(Debug)]
pub(super) struct KeyLayout {
    pub a: Range<usize>,
    pub b1: Range<usize>,
    pub b2: Range<usize>,
    pub c: Range<usize>,
    pub h: Range<usize>,
    pub wires_a: Range<usize>,
    pub wires_b: Range<usize>,
    /// Twiddles from the domain.
    pub domain: Range<usize>,
    /// Twiddles to the coset.
    pub coset: Range<usize>,
    pub form: FormLayout,
    pub bytes: usize,
}

/// Those that keys of one form have.
#[derive(Debug)]
pub(super) enum FormLayout {
    Matrices(MatricesLayout),
    Vectors {
        /// Twiddles back from the coset.
        back: Range<usize>,
    },
}

#[derive(Debug)]
pub(super) struct MatricesLayout {
    pub wires_c: Range<usize>,
    pub values: Range<usize>,
    pub matrices: [MatrixLayout; 2],
}

#[derive(Debug)]
pub(super) struct MatrixLayout {
    pub starts: Range<usize>,
    pub entries: Range<usize>,
    pub cut_rows: Range<usize>,
    pub firsts: Range<usize>,
}

/// The parts of what a partition takes, in bytes.
#[derive(Debug)]
pub(super) struct ScratchLayout {
    /// Of the domain's size, and later scalars.
    pub vectors: Range<usize>,
    /// Of one sum at a time, and of rows that are cut.
    pub work: Range<usize>,
    pub bytes: usize,
}

/// The start of some memory, for so many bytes.
pub(super) fn part(
    what: &'static str,
    memory: &DeviceSlice<u8>,
    needed: usize,
) -> Result<DeviceSlice<u8>, Error> {
    let (found, address) = (memory.len(), memory.address());
    if found < needed {
        return Err(Error::Room { what, needed, found });
    }
    if !address.is_multiple_of(ALIGNMENT as u64) {
        return Err(Error::Misaligned { what, address });
    }
    Ok(memory.slice(..needed))
}
