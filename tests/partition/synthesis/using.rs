//! Memory, order, and what is called on the way.

use std::sync::Arc;

use blstrs::Scalar;
use ff::Field as _;
use warpfield::circuit::{WitnessValues, synthetic};
use warpfield::gpu::DeviceSlice;
use warpfield::groth16::gpu::{Contents, DeviceKey, Error, Scratch, Slot, Stage};
use warpfield::groth16::synthesis::Synthesis;
use warpfield::groth16::{self, Key};
use warpfield::pipeline::pool::{Lent, Pool};
use warpfield::pipeline::stop::Stop;

use super::{Case, blinding};
use crate::files::{Sample, rng};
use crate::oracle;
use crate::support::{self, Input, Machine, is_emulated};

fn small() -> Case {
    Case::synthetic(13, 1, WitnessValues::FullWidth)
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
        let Machine { key, stream, slot, .. } = &machine;
        let synthesis = case.synthesis(&machine);
        machine.stream.synchronize().unwrap();
        let before = machine.allocations();
        let staged = key.stage_synthesis(stream, slot, synthesis).unwrap();
        let (sums, back) =
            key.compute(stream, slot, scratch, &mut |_| Ok(())).unwrap().wait().unwrap();
        scratch = back;
        assert_eq!(machine.allocations(), before);
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
    let machine = Machine::with(&case.key, |sizes| sizes.resident(usize::MAX));
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

    let load = |key: Arc<dyn Key>, contents: &Contents| {
        let tables = contents.sizes().resident(0);
        let memory = machine.device.alloc::<u8>(contents.sizes().key_bytes(&tables)).unwrap();
        let kernels = &machine.kernels;
        DeviceKey::load(kernels, stream, key, contents, &tables, &memory, &machine.of_scratch)
    };
    let other = Case::synthetic(30, 1, WitnessValues::FullWidth);
    let [own, others] = [&case.key, &other.key].map(|key| Contents::of(key).unwrap());
    let of_matrices = Contents::of(&input.key).unwrap();
    for (key, contents) in [
        (case.key.clone() as Arc<dyn Key>, &others),
        (case.key.clone(), &of_matrices),
        (input.key, &own),
    ] {
        assert!(matches!(load(key, contents), Err(Error::OtherKey)));
    }
    let key = load(other.key.clone(), &others).unwrap();
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
    let (sizes, tables) = (contents.sizes(), contents.sizes().resident(0));
    let Machine { kernels, stream, device, .. } = &machine;
    let memory = |bytes: usize| device.alloc::<u8>(bytes).unwrap();
    let of_scratch =
        memory(sizes.scratch_bytes(kernels, &tables).unwrap().max(machine.of_scratch.len()));
    let of_key = memory(sizes.key_bytes(&tables));
    let other = DeviceKey::load(
        kernels,
        stream,
        input.key.clone(),
        &contents,
        &tables,
        &of_key,
        &of_scratch,
    )
    .unwrap();
    let other_slot = Slot::new(&sizes, &memory(sizes.staging_bytes())).unwrap();

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
    sums.finish(&input.key, &support::blinding(), &signals).unwrap();
    drop((staged.wait().unwrap(), other_staged.wait().unwrap()));
}

/// Of the copies and launches one at a time; nothing is left behind.
#[test]
fn whatever_fails() {
    if is_emulated() {
        let case = Case::synthetic(1, 0, WitnessValues::FullWidth);
        let machine = Machine::new(&case.key);
        let expected = case.expected();
        support::whatever_fails(&machine, 1, |scratch| case.prove(&machine, scratch), &expected);
    }
}
