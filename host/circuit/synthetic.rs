//! Circuits of a given size, for tests and benchmarks.

use blstrs::Scalar;
use ff::Field;
use rand_core::RngCore;

use super::{Builder, LinearCombination, R1cs, Wire};

/// What the values of a synthetic witness look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessValues {
    /// All of full width: the slowest for a prover.
    FullWidth,
    /// All 0 or 1, about half each.
    Boolean,
}

/// A circuit of exactly `constraints` multiplications and `public_inputs` public inputs, and a
/// satisfying witness. One wire a constraint; two private inputs where the values are of full width.
pub fn synthetic(
    constraints: usize,
    public_inputs: usize,
    values: WitnessValues,
    rng: &mut impl RngCore,
) -> (R1cs, Vec<Scalar>) {
    match values {
        WitnessValues::FullWidth => full_width(constraints, public_inputs, rng),
        WitnessValues::Boolean => boolean(constraints, public_inputs, rng),
    }
}

/// xᵢ₊₁ = (xᵢ + pᵢ)·(xᵢ₋₁ + k), where the public inputs p take turns.
fn full_width(
    constraints: usize,
    public_inputs: usize,
    rng: &mut impl RngCore,
) -> (R1cs, Vec<Scalar>) {
    let mut builder = Builder::default();
    let public: Vec<Wire> =
        (0..public_inputs).map(|_| builder.public_input(Scalar::random(&mut *rng))).collect();
    let mut previous = builder.private_input(Scalar::random(&mut *rng));
    let mut current = builder.private_input(Scalar::random(&mut *rng));
    let constant = LinearCombination::constant(Scalar::from(5));
    for index in 0..constraints {
        let mut left = LinearCombination::from(current);
        if !public.is_empty() {
            left = left + public[index % public.len()];
        }
        let next = builder.multiply(left, LinearCombination::from(previous) + constant.clone());
        (previous, current) = (current, next);
    }
    builder.finish()
}

/// Bits, each constrained to be one: b·(b − 1) = 0.
fn boolean(
    constraints: usize,
    public_inputs: usize,
    rng: &mut impl RngCore,
) -> (R1cs, Vec<Scalar>) {
    let mut builder = Builder::default();
    for _ in 0..public_inputs {
        let bit = random_bit(rng);
        builder.public_input(bit);
    }
    for _ in 0..constraints {
        let bit = random_bit(rng);
        let wire = builder.private_input(bit);
        let less_one = LinearCombination::from(wire) + LinearCombination::constant(-Scalar::ONE);
        builder.enforce(wire, less_one, LinearCombination::default());
    }
    builder.finish()
}

fn random_bit(rng: &mut impl RngCore) -> Scalar {
    Scalar::from(u64::from(rng.next_u32() & 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    #[test]
    fn sizes_are_as_asked_and_the_witness_satisfies() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for values in [WitnessValues::FullWidth, WitnessValues::Boolean] {
            for (constraints, public) in [(1, 0), (1, 1), (7, 3), (100, 65)] {
                let (r1cs, witness) = synthetic(constraints, public, values, &mut rng);
                assert_eq!(r1cs.n_constraints(), constraints);
                assert_eq!(r1cs.n_public() as usize, public);
                assert_eq!(r1cs.n_wires as usize, witness.len());
                assert_eq!(r1cs.first_unsatisfied(&witness), None);
            }
        }
    }
}
