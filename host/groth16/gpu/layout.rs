//! What lies where in the memory of a key, and in that of a partition.

use std::ops::Range;

use warpfield_device::field::Fr;
use warpfield_device::ntt::twiddle::Twiddle;

use super::sizes::FormSizes;
use super::{Error, KeyResidence, Plans, Sizes};
use crate::curve::{G1, G2};
use crate::gpu::DeviceSlice;
use crate::ntt::GpuDomain;

/// Where each part of memory starts.
const ALIGNMENT: usize = 256;

impl Sizes {
    pub(super) fn key_layout(&self, residence: &KeyResidence) -> KeyLayout {
        let mut taken = Taken(0);
        let (word, value) = (size_of::<u32>(), size_of::<Fr>());
        let twiddles = |coset| GpuDomain::twiddles(self.log_domain, coset) * size_of::<Twiddle>();
        KeyLayout {
            a: taken.more(residence.a.bytes::<G1>(self.a)),
            b1: taken.more(residence.b1.bytes::<G1>(self.b)),
            b2: taken.more(residence.b2.bytes::<G2>(self.b)),
            c: taken.more(residence.c.bytes::<G1>(self.c)),
            h: taken.more(residence.h.bytes::<G1>(self.h)),
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

    pub(super) fn scratch_layout(&self, plans: &Plans) -> ScratchLayout {
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
