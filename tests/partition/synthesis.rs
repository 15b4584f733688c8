//! Partitions of what a circuit's synthesis gives.

mod streamed;
mod using;

use std::sync::Arc;

use blstrs::Scalar;
use ff::Field as _;
use warpfield::circuit::{Builder, LinearCombination, R1cs, WitnessValues, synthetic};
use warpfield::gpu::PinnedBuffer;
use warpfield::groth16::gpu::{Scratch, Step};
use warpfield::groth16::synthesis::{Shape, Synthesis, VectorKey, setup};
use warpfield::groth16::{Proof, ToxicWaste};

use crate::files::rng;
use crate::oracle;
use crate::support::{Machine, Proved};

/// A circuit with its witness and a key.
struct Case {
    circuit: R1cs,
    witness: Vec<Scalar>,
    key: Arc<VectorKey>,
}

fn blinding() -> [Scalar; 2] {
    [Scalar::from(0x1234_5678_9abc), -Scalar::from(77)]
}

impl Case {
    fn of((circuit, witness): (R1cs, Vec<Scalar>)) -> Self {
        let waste = ToxicWaste::random(&mut rng(2)).unwrap();
        let key = setup(&circuit, &waste).unwrap().into();
        Self { circuit, witness, key }
    }

    fn synthetic(constraints: usize, public: usize, values: WitnessValues) -> Self {
        Self::of(synthetic(constraints, public, values, &mut rng(1)))
    }

    fn shape(&self) -> &Shape {
        self.key.shape()
    }

    /// Its synthesis, in pinned memory.
    fn synthesis(&self, machine: &Machine) -> Synthesis<PinnedBuffer<Scalar>> {
        let pinned = |len| machine.device.alloc_pinned::<Scalar>(len).unwrap();
        let mut synthesis = Synthesis::from(self.shape().lengths().map(pinned));
        synthesis.fill(&self.circuit, &self.witness).unwrap();
        synthesis
    }

    /// The proof by definition.
    fn expected(&self) -> Proof {
        oracle::prove(&self.key, &self.circuit, &self.witness, blinding())
    }

    /// A proof, its stages in order, and the scratch memory.
    fn prove(&self, machine: &Machine, scratch: Scratch) -> Proved {
        let Machine { key, stream, slot, .. } = machine;
        let staged = key.stage_synthesis(stream, slot, self.synthesis(machine))?;
        let mut stages = vec![];
        let queued = &mut |step: Step<'_>| {
            if let Step::Queued(stage) = step {
                stages.push(stage);
            }
            Ok(())
        };
        let (sums, scratch) = key.compute(stream, slot, scratch, queued)?.wait()?;
        let inputs = staged.wait()?.inputs;
        let proof = sums.finish(&*self.key, &oracle::blinding(blinding()), &inputs[1..])?;
        Ok((proof, stages, scratch))
    }

    /// Proves on the device, and compares the bytes with those of the proof by definition.
    #[track_caller]
    fn check(&self) {
        let machine = Machine::new(&self.key);
        let (proof, ..) = self.prove(&machine, machine.scratch()).unwrap();
        assert_eq!(proof.to_compressed(), self.expected().to_compressed());
    }
}

#[test]
fn inputs_and_domains_at_their_edges() {
    for (public, rows, values) in [
        (0, 8, WitnessValues::FullWidth),
        (1, 9, WitnessValues::Boolean),
        (63, 65, WitnessValues::FullWidth),
        (64, 66, WitnessValues::Boolean),
        (65, 128, WitnessValues::FullWidth),
    ] {
        let case = Case::synthetic(rows - public - 1, public, values);
        assert_eq!((case.shape().rows, case.shape().inputs), (rows, public + 1));
        case.check();
    }
}

#[test]
fn circuits_without_auxiliary_variables_or_constraints() {
    // x·x = y, both public.
    let mut builder = Builder::default();
    let y = builder.public_output();
    let x = builder.public_input(Scalar::from(5));
    builder.enforce(x, x, y);
    let (circuit, mut values) = builder.finish();
    values[1] = Scalar::from(25);
    let case = Case::of((circuit, values));
    assert_eq!(case.shape().auxiliary, 0);
    case.check();

    // One row, of the constant.
    let case = Case::of(Builder::default().finish());
    assert_eq!((case.shape().rows, case.key.parts().h.len()), (1, 0));
    case.check();
}

/// A circuit in which each of ten private inputs is in a left factor, and in a right one, where these say so.
fn with_densities(in_a: impl Fn(u64) -> bool, in_b: impl Fn(u64) -> bool) -> Case {
    let mut builder = Builder::default();
    let one = LinearCombination::constant(Scalar::ONE);
    let public = builder.public_input(Scalar::from(3));
    builder.enforce(public, one.clone(), public);
    for i in 0..10 {
        let value = Scalar::from(i) - Scalar::from(5);
        let wire = builder.private_input(value);
        let zero = LinearCombination::default;
        let side = |is_in: bool| if is_in { LinearCombination::from(wire) } else { zero() };
        let (left, right) = (in_a(i), in_b(i));
        let product = if left && right { value.square() } else { Scalar::ZERO };
        builder.enforce(side(left), side(right), LinearCombination::constant(product));
    }
    Case::of(builder.finish())
}

#[test]
fn densities() {
    for (in_a, in_b) in [(0, 0), (0, !0), (!0, 0), (!0, !0), (0b11_0101_1100, 0b01_1101_0011)] {
        let has = |set: i32| move |i: u64| set >> i & 1 != 0;
        let case = with_densities(has(in_a), has(in_b));
        let count = |set: i32| (set & 1023).count_ones() as usize;
        // The constant is in a right factor.
        assert_eq!(
            (case.shape().a.len(), case.shape().b.len()),
            (2 + count(in_a), 1 + count(in_b))
        );
        case.check();
    }
    // No variable in a right factor.
    let mut builder = Builder::default();
    let x = builder.wire(Scalar::from(5));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    let case = Case::of(builder.finish());
    assert!(case.shape().b.is_empty());
    case.check();
}

/// Coefficients of zero do not count.
#[test]
fn zero_coefficients() {
    let mut builder = Builder::default();
    let x = builder.wire(Scalar::from(6));
    let y = builder.wire(Scalar::from(7));
    let left = LinearCombination::from(x) + LinearCombination::from(y) * Scalar::ZERO;
    builder.multiply(left, y);
    let case = Case::of(builder.finish());
    assert_eq!((&case.shape().a[..], &case.shape().b[..]), (&[0, 1][..], &[2][..]));
    case.check();
}

#[test]
fn values_around_half_neither_zero_nor_one() {
    for full in [8, 9] {
        let mut builder = Builder::default();
        for index in 0..16u64 {
            let value = if index < full { -Scalar::from(1000 + index) } else { Scalar::ONE };
            let wire = builder.wire(value);
            builder.enforce(wire, wire, LinearCombination::constant(value * value));
        }
        Case::of(builder.finish()).check();
    }
}

/// Scalars that are gathered take more room than the vector.
#[test]
fn many_variables_and_few_rows() {
    let mut builder = Builder::default();
    let wires = (0..37u64).map(|i| builder.private_input(Scalar::from(i).square()));
    let sum = wires.fold(LinearCombination::default(), |sum, wire| sum + wire);
    builder.multiply(sum.clone(), sum);
    let case = Case::of(builder.finish());
    assert_eq!(case.shape().rows, 2);
    case.check();
}
