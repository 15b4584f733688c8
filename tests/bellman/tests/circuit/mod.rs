//! A rank-1 constraint system as a circuit of bellman.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;
use warpfield::circuit::R1cs;

/// Its constant and public wires are inputs, in order, and the others auxiliary variables.
pub struct Constraints<'a> {
    pub circuit: &'a R1cs,
    pub witness: &'a [blstrs::Scalar],
}

/// The same element of the field.
pub fn scalar(value: &blstrs::Scalar) -> Scalar {
    Scalar::from_bytes(&value.to_bytes_le()).expect("both fields are the same")
}

impl Circuit<Scalar> for Constraints<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(
        self,
        system: &mut CS,
    ) -> Result<(), SynthesisError> {
        let Self { circuit, witness } = self;
        let inputs = circuit.n_public() as usize + 1;
        // The constant is there already.
        for value in &witness[1..inputs] {
            system.alloc_input(String::new, || Ok(scalar(value)))?;
        }
        for value in &witness[inputs..] {
            system.alloc(String::new, || Ok(scalar(value)))?;
        }
        let combination = |zero: LinearCombination<Scalar>, row: &[(u32, blstrs::Scalar)]| {
            row.iter().fold(zero, |sum, (wire, coefficient)| {
                let wire = *wire as usize;
                let index = match wire.checked_sub(inputs) {
                    None => Index::Input(wire),
                    Some(auxiliary) => Index::Aux(auxiliary),
                };
                sum + (scalar(coefficient), Variable::new_unchecked(index))
            })
        };
        for row in 0..circuit.n_constraints() {
            system.enforce(
                String::new,
                |zero| combination(zero, circuit.a.row(row)),
                |zero| combination(zero, circuit.b.row(row)),
                |zero| combination(zero, circuit.c.row(row)),
            );
        }
        Ok(())
    }
}
