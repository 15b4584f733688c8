//! Rank-1 constraint systems: A·w ∘ B·w = C·w, row by row, over the scalar field of BLS12-381.

mod builder;
mod merkle;
mod shape;
mod synthetic;

use std::ops::Range;

use blstrs::Scalar;
use rayon::prelude::*;

pub use builder::{Builder, LinearCombination, Wire};
pub use merkle::merkle_membership;
pub use shape::Shape;
pub use synthetic::{WitnessValues, synthetic};

/// [`R1cs::log_domain`] by the sizes alone.
pub(crate) fn log_domain(n_constraints: u64, n_public: u64) -> u32 {
    (n_constraints + n_public + 1).next_power_of_two().trailing_zeros().max(1)
}

/// A sparse matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    terms: Vec<(u32, Scalar)>,
    ends: Vec<usize>,
}

impl Matrix {
    pub(crate) const EMPTY: Self = Self { terms: Vec::new(), ends: Vec::new() };

    /// Rows of so many pairs each, by row and place in the row.
    pub(crate) fn uniform(
        rows: usize,
        pairs: usize,
        pair: impl Fn(usize, usize) -> (u32, Scalar) + Sync,
    ) -> Self {
        let mut matrix =
            Self { terms: Vec::new(), ends: (1..=rows).map(|row| row * pairs).collect() };
        let all = (0..rows * pairs).into_par_iter().with_min_len(1 << 12);
        all.map(|at| pair(at / pairs, at % pairs)).collect_into_vec(&mut matrix.terms);
        matrix
    }

    /// Appends the rows of another matrix.
    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.terms.len();
        self.terms.extend_from_slice(&other.terms);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Appends a row of (wire, coefficient) pairs.
    pub fn push_row(&mut self, terms: impl IntoIterator<Item = (u32, Scalar)>) {
        self.terms.extend(terms);
        self.end_row();
    }

    /// Appends a pair to the row that [`end_row`](Self::end_row) will close.
    pub(crate) fn push(&mut self, wire: u32, coefficient: Scalar) {
        self.terms.push((wire, coefficient));
    }

    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.terms.len());
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.ends.len()
    }

    /// Number of (wire, coefficient) pairs in all rows.
    pub fn n_terms(&self) -> usize {
        self.terms.len()
    }

    /// One row.
    pub fn row(&self, index: usize) -> &[(u32, Scalar)] {
        self.terms_of(index..index + 1)
    }

    /// The pairs of some rows.
    pub(crate) fn terms_of(&self, rows: Range<usize>) -> &[(u32, Scalar)] {
        let end = |rows: usize| if rows == 0 { 0 } else { self.ends[rows - 1] };
        &self.terms[end(rows.start)..end(rows.end)]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &[(u32, Scalar)]> {
        (0..self.n_rows()).map(|index| self.row(index))
    }
}

/// A circuit's constraints. Wires are numbered as circom does: the constant 1, the public outputs,
/// the public inputs, the private inputs, then everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct R1cs {
    /// All wires, the constant counted.
    pub n_wires: u32,
    /// Public outputs.
    pub n_public_outputs: u32,
    /// Public inputs.
    pub n_public_inputs: u32,
    /// Private inputs.
    pub n_private_inputs: u32,
    /// Labels in the circuit's source; kept for the file, of no meaning for a proof.
    pub n_labels: u64,
    /// The left factors.
    pub a: Matrix,
    /// The right factors.
    pub b: Matrix,
    /// The products.
    pub c: Matrix,
}

impl R1cs {
    /// Number of constraints.
    pub fn n_constraints(&self) -> usize {
        self.a.n_rows()
    }

    /// Public signals: outputs and inputs, the constant not counted.
    pub fn n_public(&self) -> u32 {
        self.n_public_outputs.saturating_add(self.n_public_inputs)
    }

    /// log₂ of the domain that a Groth16 key for it has: a row a constraint, one a public signal and
    /// one for the constant. The smallest domain has two rows, as in snarkjs.
    pub fn log_domain(&self) -> u32 {
        log_domain(self.n_constraints() as u64, self.n_public().into())
    }

    /// Whether the parts agree with each other: as many rows in A, B and C, and all wires there. A
    /// circuit that was read or built is consistent; one put together by hand may not be.
    pub(crate) fn check(&self) -> Result<(), String> {
        let rows = [&self.a, &self.b, &self.c].map(Matrix::n_rows);
        if rows != [rows[0]; 3] {
            return Err(format!("A, B and C have {rows:?} rows"));
        }
        if u64::from(self.n_public()) >= u64::from(self.n_wires) {
            return Err(format!("{} wires, {} of them public", self.n_wires, self.n_public()));
        }
        for matrix in [&self.a, &self.b, &self.c] {
            let terms = matrix.terms.par_iter();
            if let Some((wire, _)) = terms.find_first(|(wire, _)| *wire >= self.n_wires) {
                return Err(format!("it has {} wires and names {wire}", self.n_wires));
            }
        }
        Ok(())
    }

    /// The first constraint that `witness` (a value a wire) does not satisfy.
    ///
    /// # Panics
    ///
    /// If `witness` has fewer values than the circuit has wires.
    pub fn first_unsatisfied(&self, witness: &[Scalar]) -> Option<usize> {
        let dot = |row: &[(u32, Scalar)]| -> Scalar {
            row.iter().map(|(wire, coefficient)| witness[*wire as usize] * coefficient).sum()
        };
        (0..self.n_constraints())
            .find(|&i| dot(self.a.row(i)) * dot(self.b.row(i)) != dot(self.c.row(i)))
    }
}
