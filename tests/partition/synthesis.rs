//! Partitions of what a circuit's synthesis gives.

use std::sync::Arc;

use blstrs::Scalar;
use ff::Field as _;
use warpfield::circuit::{Builder, LinearCombination, R1cs, WitnessValues, synthetic};
use warpfield::gpu::emulator::Call;
use warpfield::gpu::{DeviceSlice, PinnedBuffer};
use warpfield::groth16::gpu::{Contents, DeviceKey, Error, Scratch, Stage};
use warpfield::groth16::synthesis::{Shape, Synthesis, VectorKey, setup};
use warpfield::groth16::{self, Proof, ToxicWaste};
use warpfield::pipeline::pool::{Lent, Pool};
use warpfield::pipeline::stop::Stop;

use crate::files::{Sample, rng};
use crate::oracle;
use crate::support::{Input, Machine, is_emulated};

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
    fn prove(
        &self,
        machine: &Machine,
        scratch: Scratch,
    ) -> Result<(Proof, Vec<Stage>, Scratch), Error> {
        let Machine { key, stream, slot, .. } = machine;
        let staged = key.stage_synthesis(stream, slot, self.synthesis(machine))?;
        let mut stages = vec![];
        let queued = &mut |stage| {
            stages.push(stage);
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

fn small() -> Case {
    Case::synthetic(13, 1, WitnessValues::FullWidth)
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

#[test]
fn stages_in_order() {
    let case = small();
    let machine = Machine::new(&case.key);
    let (_, stages, _) = case.prove(&machine, machine.scratch()).unwrap();
    use Stage::*;
    let sums = [MsmH, Gather, MsmA, Gather, MsmB1, MsmB2, MsmC];
    assert_eq!(stages, [&[Ntt, Quotient, Ntt][..], &sums].concat());
}

/// The same memory for one partition after the other, of which none allocates anything on the device.
#[test]
fn partitions_in_a_row() {
    let first = small();
    let machine = Machine::new(&first.key);
    let (proof, _, mut scratch) = first.prove(&machine, machine.scratch()).unwrap();
    assert_eq!(proof, first.expected());
    let (_, other) = synthetic(13, 1, WitnessValues::FullWidth, &mut rng(7));
    let second = Case { witness: other, circuit: first.circuit.clone(), key: first.key.clone() };
    for case in [&second, &first] {
        let Machine { key, stream, slot, device, .. } = &machine;
        let synthesis = case.synthesis(&machine);
        machine.stream.synchronize().unwrap();
        let calls = || {
            let emulated = device.as_emulated();
            (emulated.map(|device| device.calls(Call::Alloc)), device.memory().unwrap())
        };
        let before = calls();
        let staged = key.stage_synthesis(stream, slot, synthesis).unwrap();
        let (sums, back) =
            key.compute(stream, slot, scratch, &mut |_| Ok(())).unwrap().wait().unwrap();
        scratch = back;
        assert_eq!(calls(), before);
        let inputs = staged.wait().unwrap().inputs;
        let proof = sums.finish(&case.key, &oracle::blinding(blinding()), &inputs[1..]).unwrap();
        assert_eq!(proof, case.expected());
    }
}

/// From memory of a pool, which is free when the copies are done.
#[test]
fn staged_from_lent_memory() {
    let case = small();
    let machine = Machine::new(&case.key);
    let Machine { key, stream, slot, device, .. } = &machine;
    let pool = Pool::new(device, 1 << 14, 1).unwrap();
    let lent = pool.checkout_all(case.shape().lengths(), &Stop::new()).unwrap();
    let mut synthesis: Synthesis<Lent<Scalar>> = lent.into();
    synthesis.fill(&case.circuit, &case.witness).unwrap();
    let signals = synthesis.inputs[1..].to_vec();
    let staged = key.stage_synthesis(stream, slot, synthesis).unwrap();
    let running = key.compute(stream, slot, machine.scratch(), &mut |_| Ok(())).unwrap();
    drop(staged.wait().unwrap());
    assert_eq!(pool.free_bytes(), pool.bytes());
    let (sums, _) = running.wait().unwrap();
    let proof = sums.finish(&case.key, &oracle::blinding(blinding()), &signals).unwrap();
    assert_eq!(proof, case.expected());
}

#[test]
fn a_witness_that_does_not_satisfy() {
    let mut case = small();
    let machine = Machine::new(&case.key);
    *case.witness.last_mut().unwrap() += Scalar::ONE;
    let error = case.prove(&machine, machine.scratch()).unwrap_err();
    assert!(matches!(error, Error::Proof(groth16::Error::Unsatisfied)), "{error}");
}

#[test]
fn with_tables() {
    let case = small();
    let sizes = Contents::of(&case.key).unwrap().sizes();
    let rows = 16;
    assert_eq!(sizes.points(), [case.shape().a.len(), case.shape().b.len(), 15, rows - 1]);
    let machine = Machine::with(&case.key, |sizes| sizes.tables(usize::MAX));
    let (proof, ..) = case.prove(&machine, machine.scratch()).unwrap();
    assert_eq!(proof, case.expected());
}

#[test]
fn what_is_cleared_is_zero() {
    let case = small();
    let machine = Machine::new(&case.key);
    let (_, _, scratch) = case.prove(&machine, machine.scratch()).unwrap();
    let contents = |memory: &DeviceSlice<u8>| {
        let mut bytes = vec![0xff; memory.len()];
        machine.stream.download(memory, &mut bytes).unwrap();
        bytes
    };
    // Three vectors and the variables' values.
    let values = 3 * 16 + case.shape().variables();
    assert_eq!(contents(&machine.of_slot).len(), 32 * values);
    machine.slot.clear(&machine.stream).unwrap();
    scratch.clear(&machine.stream).unwrap();
    for memory in [&machine.of_slot, &machine.of_scratch] {
        assert!(contents(memory).iter().all(|byte| *byte == 0));
    }
}

#[test]
fn wrong_lengths() {
    let case = small();
    let machine = Machine::new(&case.key);
    for (i, what) in
        ["a", "b", "c", "the inputs", "the auxiliary variables"].into_iter().enumerate()
    {
        for by in [-1, 1] {
            let mut buffers = case.synthesis(&machine).into_array();
            let expected = buffers[i].len();
            let found = expected.strict_add_signed(by);
            buffers[i] = machine.device.alloc_pinned(found).unwrap();
            let staged =
                machine.key.stage_synthesis(&machine.stream, &machine.slot, buffers.into());
            let length = groth16::Error::SynthesisLength { what, found, expected };
            assert_eq!(staged.err().unwrap().to_string(), length.to_string());
        }
    }
}

#[test]
fn what_belongs_to_other_keys() {
    let case = small();
    let machine = Machine::new(&case.key);
    let (stream, slot) = (&machine.stream, &machine.slot);

    // A witness for a key that takes vectors, and the other way round.
    let input = Input::of(&Sample::synthetic(13, 1, WitnessValues::FullWidth));
    let of_witness = Machine::new(&input.key);
    let pinned = machine.pinned(&input.witness);
    let error = machine.key.stage(stream, slot, pinned, input.witness.len()).err().unwrap();
    assert_eq!(error.to_string(), "the key makes its proofs of vectors of a synthesis; stage that");
    let synthesis = case.synthesis(&of_witness);
    let staged = of_witness.key.stage_synthesis(&of_witness.stream, &of_witness.slot, synthesis);
    assert_eq!(
        staged.err().unwrap().to_string(),
        "the key makes its proofs of a witness; stage that"
    );

    let load = |key: &dyn groth16::Key, contents: &Contents| {
        let tables = contents.sizes().tables(0);
        let memory = machine.device.alloc::<u8>(contents.sizes().key_bytes(&tables)).unwrap();
        let kernels = &machine.kernels;
        DeviceKey::load(kernels, stream, key, contents, &tables, &memory, &machine.of_scratch)
    };
    let other = Case::synthetic(30, 1, WitnessValues::FullWidth);
    let [own, others] = [&case.key, &other.key].map(|key| Contents::of(key).unwrap());
    let of_matrices = Contents::of(&input.key).unwrap();
    for (key, contents) in
        [(&case.key as &dyn groth16::Key, &others), (&case.key, &of_matrices), (&input.key, &own)]
    {
        assert!(matches!(load(key, contents), Err(Error::OtherKey)));
    }
    let key = load(&other.key, &others).unwrap();
    let staged = key.stage_synthesis(stream, slot, other.synthesis(&machine));
    assert!(matches!(staged, Err(Error::OtherKey)));
    let run = key.compute(stream, slot, machine.scratch(), &mut |_| panic!("begun"));
    assert!(matches!(run, Err(Error::OtherKey)));
}

/// Keys of both forms, whose partitions take turns in one piece of scratch memory.
#[test]
fn both_forms_at_once() {
    let case = small();
    let machine = Machine::new(&case.key);
    let input = Input::of(&Sample::synthetic(20, 2, WitnessValues::Boolean));
    let contents = Contents::of(&input.key).unwrap();
    let (sizes, tables) = (contents.sizes(), contents.sizes().tables(0));
    let Machine { kernels, stream, device, .. } = &machine;
    let memory = |bytes: usize| device.alloc::<u8>(bytes).unwrap();
    let of_scratch =
        memory(sizes.scratch_bytes(kernels, &tables).unwrap().max(machine.of_scratch.len()));
    let of_key = memory(sizes.key_bytes(&tables));
    let other =
        DeviceKey::load(kernels, stream, &input.key, &contents, &tables, &of_key, &of_scratch)
            .unwrap();
    let other_slot = groth16::gpu::Slot::new(&sizes, &memory(sizes.staging_bytes())).unwrap();

    let staged =
        machine.key.stage_synthesis(stream, &machine.slot, case.synthesis(&machine)).unwrap();
    let scratch = Scratch::new(&machine.key, &of_scratch).unwrap();
    let running = machine.key.compute(stream, &machine.slot, scratch, &mut |_| Ok(())).unwrap();
    let pinned = machine.pinned(&input.witness);
    let other_staged = other.stage(stream, &other_slot, pinned, input.witness.len()).unwrap();
    let scratch = Scratch::new(&other, &of_scratch).unwrap();
    let other_running = other.compute(stream, &other_slot, scratch, &mut |_| Ok(())).unwrap();

    let (sums, _) = running.wait().unwrap();
    assert_eq!(sums.assemble(&case.key, &oracle::blinding(blinding())), case.expected());
    let (sums, _) = other_running.wait().unwrap();
    let signals = input.witness.public_signals(input.key.n_public());
    sums.finish(&input.key, &crate::support::blinding(), &signals).unwrap();
    drop((staged.wait().unwrap(), other_staged.wait().unwrap()));
}

/// Every copy and launch that can fail does, one at a time; nothing is left behind.
#[test]
fn whatever_fails() {
    if !is_emulated() {
        return;
    }
    let case = Case::synthetic(1, 0, WitnessValues::FullWidth);
    for call in [Call::Copy, Call::Launch] {
        let machine = Machine::new(&case.key);
        let emulated = machine.device.as_emulated().unwrap();
        let before = emulated.calls(call);
        case.prove(&machine, machine.scratch()).unwrap();
        let calls = emulated.calls(call) - before;
        for nth in 0..calls {
            emulated.fail_at(call, emulated.calls(call) + nth);
            let error = case.prove(&machine, machine.scratch()).err();
            assert!(error.is_some(), "{call} {nth} of {calls}");
            machine.stream.synchronize().unwrap();
        }
        let (proof, ..) = case.prove(&machine, machine.scratch()).unwrap();
        assert_eq!(proof, case.expected());
    }
}
