//! ark-groth16, with its default reduction and with the matrices prepared.

use ark_bls12_381::{Bls12_381, Fr};
use ark_ff::{PrimeField, UniformRand};
use ark_groth16::{Groth16, PreparedVerifyingKey, ProvingKey, prepare_verifying_key};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, ConstraintSystemRef, LinearCombination, Matrix,
    OptimizationGoal, R1CS_PREDICATE_LABEL, Result as SynthesisResult, SynthesisMode, Variable,
};
use rand_core::OsRng;

use super::{Contender, Cost};
use crate::Result;
use crate::case::{Case, Row, Translated};
use crate::times::timed;

type Circuit = Translated<Variable, Fr>;

pub struct Ark {
    key: ProvingKey<Bls12_381>,
    verifying_key: PreparedVerifyingKey<Bls12_381>,
    matrices: Vec<Matrix<Fr>>,
    n_constraints: usize,
    n_inputs: usize,
    /// The constant, the public inputs, all other wires.
    assignment: Vec<Fr>,
}

impl Ark {
    pub fn new(case: &Case) -> Result<Self> {
        let circuit = Circuit::new(case, Variable::instance, Variable::witness, |scalar| {
            Fr::from_le_bytes_mod_order(&scalar.to_bytes_le())
        });
        let key = Groth16::<Bls12_381>::generate_random_parameters_with_reduction(
            Synthesize(&circuit),
            &mut OsRng,
        )?;

        // The matrices as the setup had them.
        let system = ConstraintSystem::new_ref();
        system.set_optimization_goal(OptimizationGoal::Constraints);
        system.set_mode(SynthesisMode::Setup);
        Synthesize(&circuit).generate_constraints(system.clone())?;
        system.finalize();
        let matrices = system.to_matrices()?.remove(R1CS_PREDICATE_LABEL);

        Ok(Self {
            verifying_key: prepare_verifying_key(&key.vk),
            key,
            matrices: matrices.ok_or("ark's constraint system has no R1CS")?,
            n_constraints: system.num_constraints(),
            n_inputs: system.num_instance_variables(),
            assignment: [circuit.inputs, circuit.auxiliary].concat(),
        })
    }
}

impl Contender for Ark {
    fn name(&self) -> &'static str {
        "ark-groth16"
    }

    /// Timed: r and s, and the proof.
    fn prove(&mut self) -> Result<Cost> {
        let (proof, wall, cpu) = timed(|| {
            Groth16::<Bls12_381>::create_proof_with_reduction_and_matrices(
                &self.key,
                Fr::rand(&mut OsRng),
                Fr::rand(&mut OsRng),
                &self.matrices,
                self.n_inputs,
                self.n_constraints,
                &self.assignment,
            )
        });
        let signals = &self.assignment[1..self.n_inputs];
        if !Groth16::<Bls12_381>::verify_proof(&self.verifying_key, &proof?, signals)? {
            return Err("ark-groth16's proof does not verify".into());
        }
        Ok(Cost { wall, cpu, synthesis: None })
    }
}

struct Synthesize<'a>(&'a Circuit);

impl ConstraintSynthesizer<Fr> for Synthesize<'_> {
    fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> SynthesisResult<()> {
        let Circuit { constraints, inputs, auxiliary } = self.0;
        // The constant is there already.
        for value in &inputs[1..] {
            let _variable = system.new_input_variable(|| Ok(*value))?;
        }
        for value in auxiliary {
            let _variable = system.new_witness_variable(|| Ok(*value))?;
        }
        for [a, b, c] in constraints {
            system.enforce_r1cs_constraint(
                || combination(a),
                || combination(b),
                || combination(c),
            )?;
        }
        Ok(())
    }
}

fn combination(row: &Row<Variable, Fr>) -> LinearCombination<Fr> {
    LinearCombination(row.iter().map(|(variable, coefficient)| (*coefficient, *variable)).collect())
}
