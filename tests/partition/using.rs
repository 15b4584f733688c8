//! Memory, order, and what is called on the way.

use std::sync::Arc;

use warpfield::circuit::WitnessValues;
use warpfield::gpu::{DeviceSlice, Module};
use warpfield::groth16::gpu::{
    Contents, DeviceKey, Error, Kernels, KeyResidence, Residence, Scratch, Slot, Stage, Step,
};
use warpfield::groth16::{self, ProvingKey, Witness};
use warpfield::msm;
use warpfield::msm::gpu::Tables;

use crate::files::Sample;
use crate::support::{self, Input, Machine, blinding, expected, is_emulated, open};

fn small() -> Input {
    Input::of(&Sample::synthetic(13, 1, WitnessValues::FullWidth))
}

#[test]
fn stages_in_order() {
    let input = small();
    let machine = Machine::new(&input.key);
    let (_, stages, _) = machine.prove(&input, machine.scratch()).unwrap();
    use Stage::*;
    let quotient = [Rows, Ntt, Quotient, Rows, Ntt, Quotient];
    let sums = [MsmH, Gather, MsmA, Gather, MsmB1, MsmB2, Gather, MsmC];
    assert_eq!(stages, [&quotient[..], &sums].concat());
}

/// After the first proof, none allocates or frees anything on the device.
#[test]
fn proofs_allocate_nothing() {
    let input = small();
    let machine = Machine::new(&input.key);
    let (first, _, mut scratch) = machine.prove(&input, machine.scratch()).unwrap();
    let mut pinned = machine.pinned(&input.witness);
    machine.stream.synchronize().unwrap();
    let before = machine.allocations();
    for _ in 0..2 {
        let len = input.witness.len();
        let staged = machine.key.stage(&machine.stream, &machine.slot, pinned, len).unwrap();
        let queued = &mut |_: Step<'_>| Ok(());
        let running = machine.key.compute(&machine.stream, &machine.slot, scratch, queued).unwrap();
        let (sums, back) = running.wait().unwrap();
        (scratch, pinned) = (back, staged.wait().unwrap());
        let signals = input.witness.public_signals(1);
        let proof = sums.finish(&input.key, &blinding(), &signals).unwrap();
        assert_eq!(proof, first);
    }
    assert_eq!(machine.allocations(), before);
}

#[test]
fn an_error_of_the_observer_ends_it() {
    let input = small();
    let machine = Machine::new(&input.key);
    let other = machine.device.stream().unwrap();
    // Something that fails.
    let failing = |step: Step<'_>| match step {
        Step::Queued(Stage::MsmB1) => {
            let memory = machine.device.alloc::<u8>(2).unwrap();
            Ok(other.upload(&memory, &[1])?)
        }
        Step::Queued(Stage::MsmB2 | Stage::MsmC) => panic!("it goes on"),
        _ => Ok(()),
    };
    let pinned = machine.pinned(&input.witness);
    let len = input.witness.len();
    drop(machine.key.stage(&machine.stream, &machine.slot, pinned, len).unwrap());
    let (scratch, mut failing) = (machine.scratch(), failing);
    let result = machine.key.compute(&machine.stream, &machine.slot, scratch, &mut failing);
    assert!(matches!(result.err(), Some(Error::Device(_))));
    // The next one is right.
    let (proof, ..) = machine.prove(&input, machine.scratch()).unwrap();
    assert_eq!(proof, expected(&input).unwrap());
}

#[test]
fn what_is_cleared_is_zero() {
    let input = small();
    let machine = Machine::new(&input.key);
    let (_, _, scratch) = machine.prove(&input, machine.scratch()).unwrap();
    let contents = |memory: &DeviceSlice<u8>| {
        let mut bytes = vec![0xff; memory.len()];
        machine.stream.download(memory, &mut bytes).unwrap();
        bytes
    };
    assert_eq!(contents(&machine.of_slot), input.witness.as_bytes());
    machine.slot.clear(&machine.stream).unwrap();
    assert!(contents(&machine.of_slot).iter().all(|byte| *byte == 0));
    scratch.clear(&machine.stream).unwrap();
    assert!(contents(&machine.of_scratch).iter().all(|byte| *byte == 0));
}

#[test]
fn tables_and_the_memory_for_them() {
    let input = small();
    let contents = Contents::of(&input.key).unwrap();
    let sizes = contents.sizes();
    let none = sizes.resident(0);
    assert_eq!(none.vectors().map(|(_, residence)| residence.copies()), [1; 5]);
    let all = sizes.resident(usize::MAX);
    for (name, residence) in all.vectors() {
        let Residence::Device(tables) = residence else { panic!("{name} is in host memory") };
        assert_eq!(tables, Tables::all(tables.bits));
    }
    let [a, b, c, h] = sizes.points();
    let points = |residence: &KeyResidence| {
        let copies = residence.vectors().map(|(_, residence)| residence.copies() as usize);
        let [of_a, of_b1, of_b2, of_c, of_h] = copies;
        let points = 96 * (a * of_a + b * of_b1 + 2 * b * of_b2 + c * of_c + h * of_h);
        assert_eq!(residence.bytes(&sizes), points);
        points
    };
    let grown = points(&all) - points(&none);
    assert!(sizes.key_bytes(&all).abs_diff(sizes.key_bytes(&none) + grown) < 5 * 256);
    // As many copies as fit, and no more.
    let mut before = points(&none);
    for budget in (0..=points(&all)).step_by(997) {
        let some = points(&sizes.resident(budget));
        assert!(some <= budget.max(points(&none)) && some >= before, "{budget}: {some}");
        before = some;
    }
    assert_eq!(sizes.resident(points(&all)), all);

    for budget in [points(&all), points(&all) / 3] {
        let machine = Machine::with(&input.key, |sizes| sizes.resident(budget));
        let (proof, ..) = machine.prove(&input, machine.scratch()).unwrap();
        assert_eq!(proof, expected(&input).unwrap(), "{budget}");
    }
}

/// Two keys, whose partitions take turns in one piece of scratch memory.
#[test]
fn two_keys_at_once() {
    let inputs = [small(), Input::of(&Sample::synthetic(30, 3, WitnessValues::Boolean))];
    let (device, module) = open();
    let kernels = Kernels::new(&device, &module).unwrap();
    let stream = device.stream().unwrap();
    let memory = |bytes: usize| device.alloc::<u8>(bytes).unwrap();
    let contents = inputs.each_ref().map(|input| Contents::of(&input.key).unwrap());
    let tables = contents.each_ref().map(|contents| contents.sizes().resident(0));
    let of_scratch = [0, 1].map(|i| contents[i].sizes().scratch_bytes(&kernels, &tables[i]));
    let of_scratch = memory(of_scratch.map(Result::unwrap).into_iter().max().unwrap());
    let keys = [0, 1].map(|i| {
        let memory = memory(contents[i].sizes().key_bytes(&tables[i]));
        let (key, contents) = (&inputs[i].key, &contents[i]);
        DeviceKey::load(&kernels, &stream, key.clone(), contents, &tables[i], &memory, &of_scratch)
            .unwrap()
    });
    let running = [0, 1].map(|i| {
        let (key, witness) = (&keys[i], &inputs[i].witness);
        let slot = Slot::new(&key.sizes(), &memory(key.sizes().staging_bytes())).unwrap();
        let mut pinned = device.alloc_pinned(witness.len()).unwrap();
        pinned.copy_from_slice(witness.as_bytes().as_chunks().0);
        // Another stream copies.
        let (copies, copied) = (device.stream().unwrap(), device.event().unwrap());
        let staged = key.stage(&copies, &slot, pinned, witness.len()).unwrap();
        copies.record(&copied).unwrap();
        stream.wait(&copied).unwrap();
        let scratch = Scratch::new(key, &of_scratch).unwrap();
        let running = key.compute(&stream, &slot, scratch, &mut |_| Ok(())).unwrap();
        (running, staged)
    });
    for ((running, staged), input) in running.into_iter().zip(&inputs) {
        let (sums, _) = running.wait().unwrap();
        staged.wait().unwrap();
        let signals = input.witness.public_signals(input.key.n_public());
        let proof = sums.finish(&input.key, &blinding(), &signals).unwrap();
        assert_eq!(proof, expected(input).unwrap());
    }
}

#[test]
fn a_witness_that_does_not_satisfy() {
    let input = small();
    let machine = Machine::new(&input.key);
    let mut values = input.witness.public_signals(input.key.n_wires() - 1);
    values.insert(0, values[0] + values[1]);
    let wrong = Input { key: input.key.clone(), witness: Witness::from_scalars(&values) };
    let error = machine.prove(&wrong, machine.scratch()).unwrap_err();
    assert!(matches!(error, Error::Proof(groth16::Error::Unsatisfied)), "{error}");
}

#[test]
fn wrong_lengths_and_too_little_memory() {
    let input = small();
    let machine = Machine::new(&input.key);
    let sizes = machine.key.sizes();
    let wires = input.witness.len();
    for (values, said) in [(wires - 1, wires - 1), (wires + 1, wires + 1), (wires - 1, wires)] {
        let pinned = machine.device.alloc_pinned::<[u8; 32]>(values).unwrap();
        let error = machine.key.stage(&machine.stream, &machine.slot, pinned, said).unwrap_err();
        let length = groth16::Error::WitnessLength { found: values, expected: wires };
        assert_eq!(error.to_string(), length.to_string());
    }
    // A buffer may be longer than what is in it.
    let pinned = machine.device.alloc_pinned::<[u8; 32]>(wires + 5).unwrap();
    machine.key.stage(&machine.stream, &machine.slot, pinned, wires).unwrap().wait().unwrap();

    let short = |len: usize| machine.of_slot.slice(..len - 1);
    let error = Slot::new(&sizes, &short(sizes.staging_bytes())).err().unwrap();
    let text = "671 bytes of device memory for a witness, which takes 672";
    assert_eq!(
        error.to_string(),
        text.replace("671", &(32 * wires - 1).to_string())
            .replace("672", &(32 * wires).to_string())
    );
    let scratch = machine.of_scratch.slice(..machine.of_scratch.len() - 1);
    assert!(matches!(Scratch::new(&machine.key, &scratch), Err(Error::Room { .. })));
    let shifted = machine.device.alloc::<u8>(sizes.staging_bytes() + 16).unwrap();
    let error = Slot::new(&sizes, &shifted.slice(16..)).err().unwrap();
    assert!(matches!(error, Error::Misaligned { .. }), "{error}");
    let contents = Contents::of(&input.key).unwrap();
    let load = |memory: usize, tables, room: usize| {
        let memory = machine.device.alloc::<u8>(memory).unwrap();
        let room = machine.of_scratch.slice(..room);
        let (kernels, stream) = (&machine.kernels, &machine.stream);
        DeviceKey::load(kernels, stream, input.key.clone(), &contents, tables, &memory, &room).err()
    };
    let none = sizes.resident(0);
    let error = load(sizes.key_bytes(&none) - 1, &none, 0).unwrap();
    assert!(matches!(error, Error::Room { .. }), "{error}");
    assert!(load(sizes.key_bytes(&none), &none, 0).is_none(), "no room without tables");
    let all = sizes.resident(usize::MAX);
    let error = load(sizes.key_bytes(&all), &all, 10).unwrap();
    assert!(matches!(error, Error::Msm(msm::gpu::Error::Memory { .. })), "{error}");
    // A point at a time.
    assert!(load(sizes.key_bytes(&all), &all, 1 << 10).is_none());
}

#[test]
fn what_belongs_to_other_keys() {
    let input = small();
    let other = Input::of(&Sample::synthetic(40, 1, WitnessValues::FullWidth));
    let machine = Machine::new(&input.key);
    let (kernels, stream) = (&machine.kernels, &machine.stream);
    let contents = Contents::of(&other.key).unwrap();
    let (sizes, tables) = (contents.sizes(), contents.sizes().resident(0));
    let memory = machine.device.alloc::<u8>(sizes.key_bytes(&tables)).unwrap();
    let load = |key: &Arc<ProvingKey>| {
        DeviceKey::load(
            kernels,
            stream,
            key.clone(),
            &contents,
            &tables,
            &memory,
            &machine.of_scratch,
        )
    };
    assert!(matches!(load(&input.key), Err(Error::OtherKey)));
    let key = load(&other.key).unwrap();
    let run = |slot: &Slot| {
        key.compute(stream, slot, machine.scratch(), &mut |_| panic!("begun")).err().unwrap()
    };
    assert!(matches!(run(&machine.slot), Error::OtherKey));
    let memory = machine.device.alloc::<u8>(sizes.staging_bytes()).unwrap();
    assert!(matches!(run(&Slot::new(&sizes, &memory).unwrap()), Error::OtherKey));
    let pinned = machine.pinned(&other.witness);
    let staged = key.stage(stream, &machine.slot, pinned, other.witness.len());
    assert!(matches!(staged, Err(Error::OtherKey)));
}

#[test]
fn a_module_without_the_kernels() {
    let (device, _) = open();
    let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry none() { ret; }";
    let module = Module::load(&device, ptx).unwrap();
    let error = Kernels::new(&device, &module).unwrap_err();
    assert!(error.to_string().contains("there is none"), "{error}");
}

/// Of the copies and launches one at a time; nothing is left behind.
#[test]
fn whatever_fails() {
    if is_emulated() {
        let input = Input::of(&Sample::synthetic(1, 0, WitnessValues::FullWidth));
        let machine = Machine::new(&input.key);
        let expected = expected(&input).unwrap();
        support::whatever_fails(&machine, 1, |scratch| machine.prove(&input, scratch), &expected);
    }
}
