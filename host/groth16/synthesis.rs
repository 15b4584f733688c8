//! The other form of input: a, b, c and the assignment, as the synthesis of a circuit makes them in bellman,
//! bellperson and Filecoin, and keys of theirs.
//!
//! A circuit's variables are its inputs, of which the first is the constant 1, and then its auxiliary ones. Each
//! constraint is a row of a, b and c: the values of its three linear combinations. Behind them each input has a row,
//! which is its value in a, and 0 in b and c. The domain has the power of two at or above all these rows, and
//! comes from the root of unity that blstrs has. The quotient h = (a·b − c)/Z, with Z = Xⁿ − 1, is committed to
//! by its coefficients.
//!
//! A [`VectorKey`] knows nothing of the constraints themselves. Proofs with it are made on a device
//! (`groth16::gpu`, feature `ptx`); the [`Synthesis`] comes from the caller, or from an [`R1cs`] and its witness
//! ([`Synthesis::fill`]).

mod key;
mod setup;
#[cfg(test)]
mod tests;

use std::ops::{Deref, DerefMut};

use blstrs::Scalar;
use ff::Field as _;
use rayon::prelude::*;

pub use key::{Shape, VectorKey, VectorKeyParts};
pub use setup::setup;
#[cfg(feature = "ptx")]
pub(super) use setup::{Exponents, Vectors};

use super::Error;
use crate::circuit::{Matrix, R1cs};

/// Rows that one task computes.
const TASK: usize = 1 << 10;

/// What the synthesis of a circuit gives, each in a buffer: vectors, pinned memory, or copies of it that are
/// under way. Values are in Montgomery form, as blstrs has them in memory.
///
/// All of it is secret, and the buffers are the caller's to zero.
#[derive(Clone)]
pub struct Synthesis<B> {
    /// Of each row the value of its left factor.
    pub a: B,
    /// Of its right factor.
    pub b: B,
    /// Of its product.
    pub c: B,
    /// The values of the inputs, from the constant on.
    pub inputs: B,
    /// The values of the auxiliary variables.
    pub auxiliary: B,
}

// Debug output must not hold secrets, and buffers may print their values.
impl<B> std::fmt::Debug for Synthesis<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Synthesis").finish_non_exhaustive()
    }
}

/// In the order of [`Shape::lengths`].
impl<B> From<[B; 5]> for Synthesis<B> {
    fn from([a, b, c, inputs, auxiliary]: [B; 5]) -> Self {
        Self { a, b, c, inputs, auxiliary }
    }
}

/// What the buffers are called in errors, in their order.
const NAMES: [&str; 5] = ["a", "b", "c", "the inputs", "the auxiliary variables"];

impl<B> Synthesis<B> {
    /// The buffers in their order.
    #[must_use]
    pub fn into_array(self) -> [B; 5] {
        let Self { a, b, c, inputs, auxiliary } = self;
        [a, b, c, inputs, auxiliary]
    }

    /// Values of all buffers.
    #[must_use]
    pub fn values<T>(&self) -> usize
    where
        B: Deref<Target = [T]>,
    {
        let Self { a, b, c, inputs, auxiliary } = self;
        [a, b, c, inputs, auxiliary].map(|buffer| buffer.len()).iter().sum()
    }

    /// Checks that the buffers are of these lengths.
    pub(crate) fn check(
        &self,
        lengths: [usize; 5],
        len: impl Fn(&B) -> usize,
    ) -> Result<(), Error> {
        let Self { a, b, c, inputs, auxiliary } = self;
        let found = [a, b, c, inputs, auxiliary].map(len);
        for ((found, expected), what) in found.into_iter().zip(lengths).zip(NAMES) {
            if found != expected {
                return Err(Error::SynthesisLength { what, found, expected });
            }
        }
        Ok(())
    }
}

impl<B: DerefMut<Target = [Scalar]>> Synthesis<B> {
    /// Writes what the circuit gives for a witness, a value a wire, on the current rayon pool. Its wires are the
    /// variables: the constant and the public ones are inputs, all others auxiliary.
    ///
    /// # Errors
    ///
    /// [`Error::WitnessLength`], and [`Error::SynthesisLength`] where a buffer is not as long as
    /// [`Shape::lengths`] says.
    #[tracing::instrument(level = "info", name = "synthesize", skip_all)]
    pub fn fill(&mut self, circuit: &R1cs, witness: &[Scalar]) -> Result<(), Error> {
        let (found, expected) = (witness.len(), circuit.n_wires as usize);
        if found != expected {
            return Err(Error::WitnessLength { found, expected });
        }
        self.check(Shape::of(circuit)?.lengths(), |buffer| buffer.len())?;
        let Self { a, b, c, inputs, auxiliary } = self;
        let (of_inputs, of_auxiliary) = witness.split_at(inputs.len());
        inputs.copy_from_slice(of_inputs);
        auxiliary.par_iter_mut().with_min_len(TASK).zip(of_auxiliary).for_each(|(to, v)| *to = *v);
        for (out, matrix, behind) in [
            (&mut **a, &circuit.a, Some(of_inputs)),
            (&mut **b, &circuit.b, None),
            (&mut **c, &circuit.c, None),
        ] {
            let (rows, rest) = out.split_at_mut(matrix.n_rows());
            multiply(rows, matrix, witness);
            match behind {
                Some(values) => rest.copy_from_slice(values),
                None => rest.fill(Scalar::ZERO),
            }
        }
        Ok(())
    }
}

/// The products of a matrix with a witness.
fn multiply(out: &mut [Scalar], matrix: &Matrix, witness: &[Scalar]) {
    out.par_iter_mut().with_min_len(TASK).enumerate().for_each(|(row, out)| {
        let terms = matrix.row(row).iter();
        *out = terms.map(|(wire, coefficient)| coefficient * witness[*wire as usize]).sum();
    });
}
