//! What of a key goes to a device.

use std::sync::Arc;

use rayon::prelude::*;

use super::Error;
use super::matrices::Matrices;
use super::sizes::{FormSizes, MatrixSizes, Sizes};
use crate::curve::{CurveGroup, G1, G2};
use crate::groth16::{Form, Key, KeyPoints, ProvingKey};

/// Points that a thread looks at.
const TASK: usize = 1 << 14;

/// What of a key goes to a device besides its points. It is needed until
/// [`DeviceKey::load`](super::DeviceKey::load) is done.
///
/// Of a key with matrices it is which points count, and the matrices as the kernels take them: 8 bytes of host
/// memory a coefficient and some 20 a wire. Of a key for vectors it is their lengths.
pub struct Contents {
    sizes: Sizes,
    /// None of a key for vectors.
    pub(super) matrices: Option<MatrixContents>,
}

/// Of a key with matrices.
pub(super) struct MatrixContents {
    pub wires: Wires,
    pub matrices: Matrices,
}

/// The wires of points that are not infinity, in order.
#[derive(Clone)]
pub(super) struct Wires {
    pub a: Arc<[u32]>,
    /// Of B in one of the groups at least.
    pub b: Arc<[u32]>,
    pub c: Arc<[u32]>,
}

impl Contents {
    /// Reads all points and coefficients of a key with matrices, on the current rayon pool.
    ///
    /// # Errors
    ///
    /// [`Error::Entries`].
    pub fn of(key: &(impl Key + ?Sized)) -> Result<Self, Error> {
        match key.form() {
            Form::Matrices(key) => Self::of_matrices(key),
            Form::Vectors(key) => Ok(Self { sizes: Sizes::of_vectors(key), matrices: None }),
        }
    }

    fn of_matrices(key: &ProvingKey) -> Result<Self, Error> {
        let matrices = Matrices::of(key)?;
        let a = wires(0, &[(key.g1(KeyPoints::A).as_bytes(), G1::BYTES)]);
        let in_g1 = (key.g1(KeyPoints::B1).as_bytes(), G1::BYTES);
        let b = wires(0, &[in_g1, (key.b2().as_bytes(), G2::BYTES)]);
        let c = wires(key.n_public() + 1, &[(key.g1(KeyPoints::C).as_bytes(), G1::BYTES)]);
        let wires = Wires { a: a.into(), b: b.into(), c: c.into() };
        let sizes = Sizes {
            log_domain: key.log_domain(),
            wires: key.n_wires(),
            a: wires.a.len(),
            b: wires.b.len(),
            c: wires.c.len(),
            h: 1 << key.log_domain(),
            form: FormSizes::Matrices {
                matrices: matrices.matrices.each_ref().map(MatrixSizes::of),
                values: matrices.values.iter().map(Vec::len).sum(),
            },
        };
        Ok(Self { sizes, matrices: Some(MatrixContents { wires, matrices }) })
    }

    /// What it takes on a device.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }
}

/// The wires, of which the first point's is `first`, whose points are not infinity in one of the vectors at
/// least: as bytes, with those of a point.
fn wires(first: usize, vectors: &[(&[u8], usize)]) -> Vec<u32> {
    let (bytes, size) = vectors[0];
    let points = bytes.len() / size;
    // (0, 0) stands for infinity.
    let counts = |point: usize| {
        let mut points = vectors.iter().map(|(bytes, size)| &bytes[point * size..][..*size]);
        points.any(|point| point.iter().any(|byte| *byte != 0))
    };
    let tasks = (0..points).into_par_iter().step_by(TASK);
    let found: Vec<Vec<u32>> = tasks
        .map(|start| {
            let points = start..points.min(start + TASK);
            points.filter(|point| counts(*point)).map(|point| (first + point) as u32).collect()
        })
        .collect();
    found.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_infinity_in_all_vectors_do_not_count() {
        // A byte for a coordinate that is not 0, first, in the middle or last.
        let vector = |size: usize, points: &[Option<usize>]| {
            let mut bytes = vec![0; points.len() * size];
            for (point, at) in points.iter().enumerate() {
                at.iter().for_each(|at| bytes[point * size + at] = 1);
            }
            bytes
        };
        let one = vector(96, &[None, Some(0), Some(95), None, None, Some(48)]);
        assert_eq!(wires(7, &[(&one, 96)]), [8, 9, 12]);
        let other = vector(192, &[None, None, Some(191), Some(100), None, None]);
        assert_eq!(wires(0, &[(&one, 96), (&other, 192)]), [1, 2, 3, 5]);
        assert_eq!(wires(0, &[(&[], 96)]), [0; 0]);
        let many = vec![1; 96 * (2 * TASK + 1)];
        assert!(wires(3, &[(&many, 96)]).into_iter().eq(3..3 + 2 * TASK as u32 + 1));
    }
}
