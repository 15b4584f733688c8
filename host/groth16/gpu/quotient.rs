//! The scalars of H.

use blstrs::Scalar;
use warpfield_device::field::Fr;
use warpfield_device::groth16::{MULTIPLY, WRITE};
use warpfield_device::launch::WARP;

use super::compute::{Job, Queued, Stage, Step};
use super::key::{DeviceForm, DeviceMatrices, DeviceMatrix, DeviceVectors};
use super::{DeviceKey, Error};
use crate::gpu::{DeviceSlice, Kernel, LaunchConfig};
use crate::ntt::{Direction, Order};

/// Threads of a block.
const THREADS: u32 = 256;

/// So many threads at least.
pub(super) fn grid(threads: usize) -> LaunchConfig {
    LaunchConfig::new(threads.div_ceil(THREADS as usize) as u32, THREADS)
}

impl Job<'_> {
    /// The scalars of H in the order of its points, and what their sum is multiplied by.
    pub fn quotient(&self, queued: Queued<'_>) -> Result<(DeviceSlice<Fr>, Option<Scalar>), Error> {
        match &self.key.form {
            DeviceForm::Matrices(matrices) => Ok((self.of_matrices(matrices, queued)?, None)),
            DeviceForm::Vectors(vectors) => {
                Ok((self.of_vectors(vectors, queued)?, Some(vectors.factor)))
            }
        }
    }

    /// The values of a·b − c on the odd coset, in bit-reversed order.
    fn of_matrices(
        &self,
        of_key: &DeviceMatrices,
        queued: Queued<'_>,
    ) -> Result<DeviceSlice<Fr>, Error> {
        let rows = self.key.sizes.rows();
        let (u, v) = (self.vectors.slice(..rows), self.vectors.slice(rows..2 * rows));
        let DeviceMatrices { values, matrices: [a, b], .. } = of_key;
        let kernels = &self.key.kernels;
        self.rows(&u, values, a, WRITE)?;
        self.rows(&v, values, b, WRITE)?;
        queued(Step::Queued(Stage::Rows))?;
        self.to_odd_coset(&u)?;
        self.to_odd_coset(&v)?;
        queued(Step::Queued(Stage::Ntt))?;
        self.pointwise(&kernels.multiply, &u, &v)?;
        queued(Step::Queued(Stage::Quotient))?;
        self.rows(&v, values, a, WRITE)?;
        self.rows(&v, values, b, MULTIPLY)?;
        queued(Step::Queued(Stage::Rows))?;
        self.to_odd_coset(&v)?;
        queued(Step::Queued(Stage::Ntt))?;
        self.pointwise(&kernels.subtract, &u, &v)?;
        queued(Step::Queued(Stage::Quotient))?;
        Ok(u)
    }

    /// The coefficients of h·Z, where Z is the constant that it is on the coset: all but the last, which is zero.
    fn of_vectors(
        &self,
        of_key: &DeviceVectors,
        queued: Queued<'_>,
    ) -> Result<DeviceSlice<Fr>, Error> {
        let (stream, size) = (self.stream, self.key.sizes.rows());
        let DeviceKey { domain, coset, kernels, .. } = self.key;
        let [a, b, c] = self.slot.vectors(&self.key.sizes)?;
        let scratch = self.vectors.slice(..size);
        let scratch = Some(&scratch);
        for values in [&a, &b, &c] {
            let (inverse, forward) = (Direction::Inverse, Direction::Forward);
            domain.transform(stream, values, scratch, of_key.rows, inverse, Order::NN)?;
            coset.transform(stream, values, None, size, forward, Order::NR)?;
        }
        queued(Step::Queued(Stage::Ntt))?;
        let arguments = (&a, &b, &c, size as u32);
        // SAFETY: as many elements of each, which are apart.
        unsafe { stream.launch(&kernels.multiply_subtract, grid(size), arguments)? };
        queued(Step::Queued(Stage::Quotient))?;
        of_key.back.transform(stream, &a, None, size, Direction::Inverse, Order::RN)?;
        queued(Step::Queued(Stage::Ntt))?;
        Ok(a.slice(..self.key.sizes.h))
    }

    /// Products of a matrix with the witness: written, or multiplied to what is there.
    fn rows(
        &self,
        out: &DeviceSlice<Fr>,
        values: &DeviceSlice<Fr>,
        matrix: &DeviceMatrix,
        mode: u32,
    ) -> Result<(), Error> {
        let DeviceMatrix { sizes, starts, entries, cut_rows, firsts } = matrix;
        let (kernels, log_rows) = (&self.key.kernels, self.key.sizes.log_domain);
        let parts = sizes.pieces() - self.key.sizes.rows();
        let parts =
            self.work.slice(..parts * size_of::<Fr>()).cast::<Fr>().expect("whole elements");
        let (pieces, cut) = (sizes.pieces() as u32, sizes.cut_rows as u32);
        let arguments = (out, &parts, starts, entries, values, self.wires, pieces, log_rows, mode);
        // SAFETY: a matrix as the kernel wants it, of wires and values that there are, and room for a
        // part for each piece behind the rows.
        unsafe { self.stream.launch(&kernels.rows, grid(sizes.pieces()), arguments)? };
        if cut > 0 {
            let arguments = (out, &parts, cut_rows, firsts, cut, log_rows, mode);
            let warps = grid(sizes.cut_rows * WARP as usize);
            // SAFETY: its rows that are cut, and their parts.
            unsafe { self.stream.launch(&kernels.cut_rows, warps, arguments)? };
        }
        Ok(())
    }

    /// From values on the domain to values on its odd coset, both in bit-reversed order.
    fn to_odd_coset(&self, values: &DeviceSlice<Fr>) -> Result<(), Error> {
        let (stream, rows) = (self.stream, self.key.sizes.rows());
        let DeviceKey { domain, coset, .. } = self.key;
        domain.transform(stream, values, None, rows, Direction::Inverse, Order::RN)?;
        coset.transform(stream, values, None, rows, Direction::Forward, Order::NR)?;
        Ok(())
    }

    fn pointwise(
        &self,
        kernel: &Kernel,
        values: &DeviceSlice<Fr>,
        others: &DeviceSlice<Fr>,
    ) -> Result<(), Error> {
        let arguments = (values, others, values.len() as u32);
        // SAFETY: as many elements of both, which are apart.
        unsafe { self.stream.launch(kernel, grid(values.len()), arguments)? };
        Ok(())
    }
}
