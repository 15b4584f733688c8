//! The circuits that are proved, with their witnesses.

use std::fmt;
use std::ops::Range;

use blstrs::Scalar;
use rand_core::SeedableRng;
use serde::Serialize;
use warpfield::circuit::{R1cs, WitnessValues, synthetic};

/// Public inputs of every circuit.
const PUBLIC_INPUTS: usize = 1;

/// log₂ of the sizes that can be asked for. Below, there is no constraint left; above, wire numbers
/// no longer fit.
pub const LOG_SIZES: Range<i64> = 2..30;

/// What the values of a witness look like.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// All of full width
    FullWidth,
    /// All 0 or 1, about half each
    Boolean,
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FullWidth => "full width",
            Self::Boolean => "boolean",
        })
    }
}

/// A circuit and a witness that satisfies it.
pub struct Case {
    pub log_size: u32,
    pub values: Values,
    pub r1cs: R1cs,
    pub witness: Vec<Scalar>,
}

impl Case {
    /// The largest circuit whose domain has 2^`log_size` rows, the same one each time. The constant
    /// and each public input take a row of the domain, with every prover.
    pub fn new(log_size: u32, values: Values) -> Self {
        let constraints = (1 << log_size) - PUBLIC_INPUTS - 1;
        let kind = match values {
            Values::FullWidth => WitnessValues::FullWidth,
            Values::Boolean => WitnessValues::Boolean,
        };
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(u64::from(log_size));
        let (r1cs, witness) = synthetic(constraints, PUBLIC_INPUTS, kind, &mut rng);
        assert_eq!(r1cs.log_domain(), log_size);
        Self { log_size, values, r1cs, witness }
    }

    /// The public signals, without the constant.
    pub fn public_signals(&self) -> &[Scalar] {
        &self.witness[1..=self.r1cs.n_public() as usize]
    }
}

/// A row of a matrix in another prover's types.
pub type Row<V, S> = Vec<(V, S)>;

/// A circuit in another prover's types: the rows of A, B and C, and the witness.
pub struct Translated<V, S> {
    pub constraints: Vec<[Row<V, S>; 3]>,
    /// The constant and the public inputs.
    pub inputs: Vec<S>,
    /// All other wires.
    pub auxiliary: Vec<S>,
}

impl<V, S> Translated<V, S> {
    /// Translates wires and scalars one by one. A wire is given to `input` or to `auxiliary`,
    /// numbered from 0 in its class.
    pub fn new(
        case: &Case,
        input: impl Fn(usize) -> V,
        auxiliary: impl Fn(usize) -> V,
        scalar: impl Fn(&Scalar) -> S,
    ) -> Self {
        let n_inputs = case.r1cs.n_public() as usize + 1;
        let wire = |wire: u32| match (wire as usize).checked_sub(n_inputs) {
            None => input(wire as usize),
            Some(index) => auxiliary(index),
        };
        let row = |terms: &[(u32, Scalar)]| -> Row<V, S> {
            terms.iter().map(|(at, coefficient)| (wire(*at), scalar(coefficient))).collect()
        };
        let R1cs { a, b, c, .. } = &case.r1cs;
        let (inputs, others) = case.witness.split_at(n_inputs);
        Self {
            constraints: (0..case.r1cs.n_constraints())
                .map(|index| [a, b, c].map(|matrix| row(matrix.row(index))))
                .collect(),
            inputs: inputs.iter().map(&scalar).collect(),
            auxiliary: others.iter().map(&scalar).collect(),
        }
    }
}
