//! bellperson on the CPU.

use std::time::{Duration, Instant};

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use bellperson::groth16::{
    Parameters, PreparedVerifyingKey, create_random_proof, generate_random_parameters,
    prepare_verifying_key, verify_proof,
};
use blstrs::{Bls12, Scalar};
use rand_core::OsRng;

use super::{Contender, Cost};
use crate::Result;
use crate::case::{Case, Row, Translated};
use crate::times::timed;

pub struct Bellperson {
    parameters: Parameters<Bls12>,
    verifying_key: PreparedVerifyingKey<Bls12>,
    circuit: Translated<Variable, Scalar>,
}

impl Bellperson {
    pub fn new(case: &Case) -> Result<Self> {
        let circuit = Translated::new(
            case,
            |index| Variable::new_unchecked(Index::Input(index)),
            |index| Variable::new_unchecked(Index::Aux(index)),
            |scalar| *scalar,
        );
        let mut time = Duration::ZERO;
        let synthesize = Synthesize { circuit: &circuit, time: &mut time };
        let parameters: Parameters<Bls12> = generate_random_parameters(synthesize, &mut OsRng)?;
        Ok(Self { verifying_key: prepare_verifying_key(&parameters.vk), parameters, circuit })
    }
}

impl Contender for Bellperson {
    fn name(&self) -> &'static str {
        "bellperson"
    }

    /// Timed: r and s, synthesis from the prepared matrices and witness, and the proof.
    fn prove(&mut self) -> Result<Cost> {
        let mut synthesis = Duration::ZERO;
        let synthesize = Synthesize { circuit: &self.circuit, time: &mut synthesis };
        let (proof, wall, cpu) =
            timed(|| create_random_proof(synthesize, &self.parameters, &mut OsRng));
        if !verify_proof(&self.verifying_key, &proof?, &self.circuit.inputs[1..])? {
            return Err("bellperson's proof does not verify".into());
        }
        Ok(Cost { wall, cpu, synthesis: Some(synthesis) })
    }
}

/// Goes through the constraints, and says how long that took.
struct Synthesize<'a> {
    circuit: &'a Translated<Variable, Scalar>,
    time: &'a mut Duration,
}

impl Circuit<Scalar> for Synthesize<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(
        self,
        system: &mut CS,
    ) -> std::result::Result<(), SynthesisError> {
        let start = Instant::now();
        let Translated { constraints, inputs, auxiliary } = self.circuit;
        // The constant is there already.
        for value in &inputs[1..] {
            system.alloc_input(String::new, || Ok(*value))?;
        }
        for value in auxiliary {
            system.alloc(String::new, || Ok(*value))?;
        }
        for [a, b, c] in constraints {
            system.enforce(
                String::new,
                |zero| combination(zero, a),
                |zero| combination(zero, b),
                |zero| combination(zero, c),
            );
        }
        *self.time = start.elapsed();
        Ok(())
    }
}

fn combination(
    zero: LinearCombination<Scalar>,
    row: &Row<Variable, Scalar>,
) -> LinearCombination<Scalar> {
    row.iter().fold(zero, |sum, (variable, coefficient)| sum + (*coefficient, *variable))
}
