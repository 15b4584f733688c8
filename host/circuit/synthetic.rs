//! Circuits of a given size, for tests and benchmarks.

use blstrs::Scalar;
use ff::Field;
use rand_core::RngCore;

use super::{Matrix, R1cs, Shape};

/// What the values of a synthetic witness look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessValues {
    /// All of full width: the slowest for a prover.
    FullWidth,
    /// All 0 or 1, about half each.
    Boolean,
    /// Some of a hundred 0 or 1, about half each, the others of full width.
    Mixed {
        /// How many of a hundred: 0 to 100.
        bits_percent: u32,
    },
}

/// A circuit of exactly `constraints` constraints and `public_inputs` public inputs, and a satisfying
/// witness. One wire a constraint, for public inputs too where values are mixed; two private inputs where
/// all are of full width. The matrices A and B name nearly all of them: for others see [`Shape`].
///
/// # Panics
///
/// More than a hundred of a hundred values are bits, or there are 2³² wires or more.
pub fn synthetic(
    constraints: usize,
    public_inputs: usize,
    values: WitnessValues,
    rng: &mut impl RngCore,
) -> (R1cs, Vec<Scalar>) {
    match values {
        WitnessValues::FullWidth => full_width(constraints, public_inputs, rng),
        WitnessValues::Boolean => boolean(constraints, public_inputs, rng),
        WitnessValues::Mixed { bits_percent } => {
            let private_wires = constraints.saturating_sub(public_inputs);
            let bits = bits_percent.saturating_mul(10);
            let (in_a, in_b) = (1000, 1000);
            Shape { constraints, public_inputs, private_wires, in_a, in_b, bits }.circuit(rng)
        }
    }
}

/// xᵢ₊₁ = (xᵢ + pᵢ)·(xᵢ₋₁ + k), where the public inputs p take turns.
fn full_width(
    constraints: usize,
    public_inputs: usize,
    rng: &mut impl RngCore,
) -> (R1cs, Vec<Scalar>) {
    let (one, k) = (Scalar::ONE, Scalar::from(5));
    let first = 1 + public_inputs;
    let mut values = Vec::with_capacity(first + 2 + constraints);
    values.push(one);
    values.extend((0..public_inputs + 2).map(|_| Scalar::random(&mut *rng)));
    // The public input of a row.
    let public = |row: usize| (public_inputs > 0).then(|| 1 + row % public_inputs);
    for row in 0..constraints {
        let [previous, current] = [values[first + row], values[first + row + 1]];
        let left = public(row).map_or(current, |public| current + values[public]);
        values.push(left * (previous + k));
    }
    let wire = |row: usize, back: usize| (first + row + 2 - back) as u32;
    let left = 1 + usize::from(public_inputs > 0);
    let r1cs = R1cs {
        n_private_inputs: 2,
        a: Matrix::uniform(constraints, left, |row, at| match public(row) {
            Some(public) if at == 1 => (public as u32, one),
            _ => (wire(row, 1), one),
        }),
        b: Matrix::uniform(constraints, 2, |row, at| [(wire(row, 2), one), (0, k)][at]),
        c: Matrix::uniform(constraints, 1, |row, _| (wire(row, 0), one)),
        ..sizes(values.len(), public_inputs)
    };
    (r1cs, values)
}

/// Bits, each constrained to be one: b·(b − 1) = 0.
fn boolean(
    constraints: usize,
    public_inputs: usize,
    rng: &mut impl RngCore,
) -> (R1cs, Vec<Scalar>) {
    let (one, first) = (Scalar::ONE, 1 + public_inputs);
    let mut values = Vec::with_capacity(first + constraints);
    values.push(one);
    values.extend((0..public_inputs + constraints).map(|_| random_bit(rng)));
    let wire = |row: usize| (first + row) as u32;
    let r1cs = R1cs {
        n_private_inputs: wire(constraints) - wire(0),
        a: Matrix::uniform(constraints, 1, |row, _| (wire(row), one)),
        b: Matrix::uniform(constraints, 2, |row, at| [(wire(row), one), (0, -one)][at]),
        c: Matrix::uniform(constraints, 0, |_, _| unreachable!("an empty row")),
        ..sizes(values.len(), public_inputs)
    };
    (r1cs, values)
}

/// A circuit of so many wires, without constraints.
fn sizes(wires: usize, public_inputs: usize) -> R1cs {
    let n_wires = u32::try_from(wires).expect("fewer than 2^32 wires");
    R1cs {
        n_wires,
        n_public_inputs: public_inputs as u32,
        n_labels: n_wires.into(),
        ..R1cs::default()
    }
}

fn random_bit(rng: &mut impl RngCore) -> Scalar {
    Scalar::from(u64::from(rng.next_u32() & 1))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::circuit::{Builder, LinearCombination};
    use rand_core::SeedableRng;

    fn rng() -> rand_chacha::ChaCha8Rng {
        rand_chacha::ChaCha8Rng::seed_from_u64(1)
    }

    const SIZES: [(usize, usize); 5] = [(0, 2), (1, 0), (1, 1), (7, 3), (100, 65)];

    #[test]
    fn sizes_are_as_asked_and_the_witness_satisfies() {
        let mixed = [0, 30, 100].map(|bits_percent| WitnessValues::Mixed { bits_percent });
        for values in [WitnessValues::FullWidth, WitnessValues::Boolean].into_iter().chain(mixed) {
            for (constraints, public) in SIZES {
                let (r1cs, witness) = synthetic(constraints, public, values, &mut rng());
                assert_eq!(r1cs.n_constraints(), constraints);
                assert_eq!(r1cs.n_public() as usize, public);
                assert_eq!(r1cs.n_wires as usize, witness.len());
                assert_eq!(r1cs.first_unsatisfied(&witness), None);
                assert_eq!(r1cs.check(), Ok(()));
            }
        }
    }

    #[test]
    fn mixed_values_are_as_mixed_as_asked() {
        for bits_percent in [0, 1, 50, 99, 100] {
            let values = WitnessValues::Mixed { bits_percent };
            let (r1cs, witness) = synthetic(1001, 1, values, &mut rng());
            let is_bit = |value: &&Scalar| **value == Scalar::ZERO || **value == Scalar::ONE;
            let bits = witness[2..].iter().filter(is_bit).count();
            assert_eq!(bits, 10 * bits_percent as usize);
            for matrix in [&r1cs.a, &r1cs.b] {
                let wires: HashSet<_> = matrix.rows().flatten().map(|(wire, _)| *wire).collect();
                assert!(wires.len() >= 1000, "{} wires", wires.len());
            }
        }
    }

    /// The same step by step, by what builds circuits in general.
    #[test]
    fn circuits_are_those_of_the_builder() {
        for (constraints, public) in SIZES {
            let mut rng = rng();
            let mut builder = Builder::default();
            let inputs: Vec<_> =
                (0..public).map(|_| builder.public_input(Scalar::random(&mut rng))).collect();
            let mut previous = builder.private_input(Scalar::random(&mut rng));
            let mut current = builder.private_input(Scalar::random(&mut rng));
            for index in 0..constraints {
                let mut left = LinearCombination::from(current);
                if public > 0 {
                    left = left + inputs[index % public];
                }
                let constant = LinearCombination::constant(Scalar::from(5));
                let next = builder.multiply(left, LinearCombination::from(previous) + constant);
                (previous, current) = (current, next);
            }
            let found = synthetic(constraints, public, WitnessValues::FullWidth, &mut self::rng());
            assert!(found == builder.finish(), "{constraints}, {public}");
        }
        for (constraints, public) in SIZES {
            let mut rng = rng();
            let mut builder = Builder::default();
            for _ in 0..public {
                builder.public_input(random_bit(&mut rng));
            }
            for _ in 0..constraints {
                let bit = builder.private_input(random_bit(&mut rng));
                let minus_one = LinearCombination::constant(-Scalar::ONE);
                let less_one = LinearCombination::from(bit) + minus_one;
                builder.enforce(bit, less_one, LinearCombination::default());
            }
            let found = synthetic(constraints, public, WitnessValues::Boolean, &mut self::rng());
            assert!(found == builder.finish(), "{constraints}, {public}");
        }
    }
}
