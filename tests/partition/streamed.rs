//! Keys of which some points stay in host memory.

use blstrs::Scalar;
use warpfield::circuit::{Builder, LinearCombination, WitnessValues};
use warpfield::groth16::gpu::{
    Contents, DeviceKey, Error, KeyResidence, Residence, Scratch, Sizes, Stage, Step,
};

use crate::files::Sample;
use crate::support::{self, Input, Machine, blinding, expected, is_emulated};

/// The first so many vectors in host memory, of those that go there one after the other.
pub fn in_host(vectors: usize, chunk: usize) -> impl FnOnce(&Sizes) -> KeyResidence {
    move |sizes| {
        let mut residence = match vectors {
            0 => sizes.resident(0),
            _ => sizes.streamed().nth(vectors - 1).expect("at most five"),
        };
        let KeyResidence { a, b1, b2, c, h } = &mut residence;
        for vector in [a, b1, b2, c, h] {
            if let Residence::Host { chunk: of_vector } = vector {
                *of_vector = chunk;
            }
        }
        residence
    }
}

fn small() -> Input {
    Input::of(&Sample::synthetic(13, 1, WitnessValues::FullWidth))
}

/// Of the vectors one after the other, in chunks that do and do not divide them.
#[test]
fn more_and_more_vectors() {
    let input = small();
    let expected = expected(&input).unwrap();
    for (vectors, chunk) in [(1, 100), (2, 7), (3, 1), (4, 8), (5, 100), (5, 5)] {
        let machine = Machine::with(&input.key, in_host(vectors, chunk));
        let (proof, ..) = machine.prove(&input, machine.scratch()).unwrap();
        assert_eq!(proof, expected, "{vectors} vectors, {chunk} at a time");
        let [a, b, c, h] = machine.key.sizes().points();
        let chunks: usize = [b, c, a, b, h][..vectors].iter().map(|n| n.div_ceil(chunk)).sum();
        assert_eq!(machine.key.chunks(), chunks);
    }
}

/// Points of few wires, and none at all.
#[test]
fn vectors_with_points_at_infinity() {
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(5));
    let unused = builder.wire(Scalar::from(8));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    let y = builder.multiply(unused, unused);
    builder.multiply(y, x);
    let (circuit, values) = builder.finish();
    let few = Sample::of(&circuit, &values);
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(5));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    let (circuit, values) = builder.finish();
    for sample in [few, Sample::of(&circuit, &values)] {
        let input = Input::of(&sample);
        let machine = Machine::with(&input.key, in_host(5, 2));
        let (proof, ..) = machine.prove(&input, machine.scratch()).unwrap();
        assert_eq!(proof, expected(&input).unwrap());
    }
}

#[test]
fn memory_shrinks() {
    let machine = Machine::new(&small().key);
    let sizes = machine.key.sizes();
    let mut before = sizes.resident(0).bytes(&sizes);
    for residence in sizes.streamed().take(5) {
        let bytes = residence.bytes(&sizes);
        assert!(bytes < before);
        before = bytes;
    }
    assert_eq!(before, 0);
    // Chunks matter where they are shorter than the vectors.
    let scratch =
        |chunk| sizes.scratch_bytes(&machine.kernels, &in_host(5, chunk)(&sizes)).unwrap();
    assert!(scratch(2) < scratch(8));
}

/// Each chunk is copied, then summed; all bytes are told of.
#[test]
fn steps_in_order() {
    let input = small();
    let machine = Machine::with(&input.key, in_host(1, 6));
    let pinned = machine.pinned(&input.witness);
    let len = input.witness.len();
    let staged = machine.key.stage(&machine.stream, &machine.slot, pinned, len).unwrap();
    let (mut steps, mut copied, mut begun) = (String::new(), 0, false);
    let queued = &mut |step: Step<'_>| {
        begun |= matches!(step, Step::Queued(Stage::MsmB1));
        steps.push(match step {
            Step::Queued(Stage::MsmB2) => 'q',
            Step::Copying(_) => 'c',
            Step::Copied(_, bytes) => {
                copied += bytes;
                'd'
            }
            Step::Summing => 's',
            Step::Waiting => 'w',
            _ => return Ok(()),
        });
        assert!(begun, "it follows the sum in G1");
        Ok(())
    };
    let running = machine.key.compute(&machine.stream, &machine.slot, machine.scratch(), queued);
    let (sums, _) = running.unwrap().wait().unwrap();
    staged.wait().unwrap();
    let points = machine.key.sizes().points()[1];
    assert_eq!(copied, 192 * points);
    assert_eq!(steps, "cdsq".repeat(points.div_ceil(6)) + "w");
    let signals = input.witness.public_signals(1);
    assert_eq!(sums.finish(&input.key, &blinding(), &signals).unwrap(), expected(&input).unwrap());
}

/// One that gives up at each step in turn: the next proof is right.
#[test]
fn an_error_of_the_observer_ends_it() {
    let input = small();
    let machine = Machine::with(&input.key, in_host(5, 10));
    for last in [0, 7, 8, 9, 10, 11, 20] {
        let pinned = machine.pinned(&input.witness);
        let len = input.witness.len();
        drop(machine.key.stage(&machine.stream, &machine.slot, pinned, len).unwrap());
        let mut calls = 0;
        let queued = &mut |_: Step<'_>| {
            assert!(calls <= last, "it goes on");
            calls += 1;
            if calls > last { Err(Error::GivenUp) } else { Ok(()) }
        };
        let result = machine.key.compute(&machine.stream, &machine.slot, machine.scratch(), queued);
        assert!(matches!(result.err(), Some(Error::GivenUp)));
    }
    let (proof, ..) = machine.prove(&input, machine.scratch()).unwrap();
    assert_eq!(proof, expected(&input).unwrap());
}

#[test]
fn scratch_memory_for_other_places() {
    let input = small();
    let machine = Machine::with(&input.key, in_host(5, 10));
    let contents = Contents::of(&input.key).unwrap();
    let (sizes, resident) = (contents.sizes(), contents.sizes().resident(0));
    let memory = |bytes: usize| machine.device.alloc::<u8>(bytes).unwrap();
    let of_scratch = memory(sizes.scratch_bytes(&machine.kernels, &resident).unwrap());
    let of_key = memory(sizes.key_bytes(&resident));
    let (kernels, stream, key) = (&machine.kernels, &machine.stream, input.key.clone());
    let other =
        DeviceKey::load(kernels, stream, key, &contents, &resident, &of_key, &of_scratch).unwrap();
    assert_eq!(other.chunks(), 0);
    let others = Scratch::new(&other, &of_scratch).unwrap();
    for (key, scratch) in [(&machine.key, others), (&other, machine.scratch())] {
        let pinned = machine.pinned(&input.witness);
        let staged = key.stage(stream, &machine.slot, pinned, input.witness.len()).unwrap();
        let run = key.compute(stream, &machine.slot, scratch, &mut |_| Ok(()));
        assert!(matches!(run.err(), Some(Error::OtherKey)));
        staged.wait().unwrap();
    }
}

/// Of the copies and launches one at a time; nothing is left behind.
#[test]
fn whatever_fails() {
    if is_emulated() {
        let input = Input::of(&Sample::synthetic(1, 0, WitnessValues::FullWidth));
        let machine = Machine::with(&input.key, in_host(5, 2));
        let expected = expected(&input).unwrap();
        support::whatever_fails(&machine, 7, |scratch| machine.prove(&input, scratch), &expected);
    }
}
