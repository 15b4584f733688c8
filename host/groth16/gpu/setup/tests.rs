//! Keys on the emulated device.

use std::sync::LazyLock;

use rand_core::SeedableRng as _;

use super::*;
use crate::circuit::{Builder, LinearCombination, WitnessValues, synthetic};
use crate::gpu::emulator::{self, Call, Config};

fn open() -> (Device, Module) {
    static PARSED: LazyLock<emulator::Module> =
        LazyLock::new(|| emulator::Module::parse(crate::ptx::MODULE).unwrap());
    let device = Device::emulated(Config::default().memory(1 << 26));
    let module = Module::load_parsed(&device, &PARSED).unwrap();
    (device, module)
}

fn waste() -> ToxicWaste {
    ToxicWaste::random(&mut rand_chacha::ChaCha20Rng::seed_from_u64(5)).unwrap()
}

fn circuit(constraints: usize, public: usize) -> R1cs {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(4);
    synthetic(constraints, public, WitnessValues::FullWidth, &mut rng).0
}

/// For chunks of all points, and of so few that most vectors are several, with and without a rest.
#[test]
fn keys_are_those_of_the_cpu() {
    let (device, module) = open();
    for (constraints, public, chunks) in
        [(12, 1, &[CHUNK, 6 * 192, 5 * 192][..]), (1, 0, &[0, 2 * 192]), (5, 3, &[CHUNK])]
    {
        let circuit = circuit(constraints, public);
        let expected = crate::groth16::setup(&circuit, &waste()).unwrap();
        for &chunk in chunks {
            let key = in_chunks(&device, &module, &circuit, &waste(), chunk).unwrap();
            assert!(key == expected, "{constraints} constraints, chunks of {chunk} bytes");
        }
    }
}

/// No private wire, and no wire of B; and nothing at all.
#[test]
fn vectors_may_be_empty_or_infinity() {
    let (device, module) = open();
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(5));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    for circuit in [builder.finish().0, Builder::default().finish().0] {
        let key = setup(&device, &module, &circuit, &waste()).unwrap();
        assert!(key.c.is_empty() && key.b2.iter().all(|byte| *byte == 0));
        assert!(key == crate::groth16::setup(&circuit, &waste()).unwrap());
    }
}

#[test]
fn a_bad_circuit_is_refused() {
    let (device, module) = open();
    let mut circuit = circuit(2, 0);
    circuit.a.push_row([(77, Scalar::from(1))]);
    let result = setup(&device, &module, &circuit, &waste());
    assert!(matches!(result, Err(SetupError::Circuit(Error::Circuit(_)))));
}

/// Any call of the device may fail: the error comes, all memory is back, and the next key is right.
#[test]
fn every_call_may_fail_once() {
    let (device, module) = open();
    let mut builder = Builder::default();
    let x = builder.wire(Scalar::from(5));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    let (circuit, _) = builder.finish();
    let emulated = device.as_emulated().unwrap();
    let free = emulated.free_memory();
    let make = || in_chunks(&device, &module, &circuit, &waste(), 192);
    for call in [Call::Alloc, Call::Copy, Call::Launch] {
        let before = emulated.calls(call);
        make().unwrap();
        let count = emulated.calls(call) - before;
        assert!(count >= 5, "{count} calls");
        // Not every copy of a table.
        for k in (0..count).filter(|k| count < 60 || k % 17 == 0 || k + 12 >= count) {
            emulated.fail_at(call, emulated.calls(call) + k);
            assert!(make().is_err(), "{call} {k}");
            assert_eq!(emulated.free_memory(), free, "{call} {k}");
        }
    }
    assert!(make().unwrap() == crate::groth16::setup(&circuit, &waste()).unwrap());
}

/// After success, and after a launch that fails.
#[test]
fn secrets_are_zeroed() {
    let (device, module) = open();
    let mut stage = Stage::new(&device, 3, 192).unwrap();
    let base = stage.generator::<G1>(&module, 3).unwrap();
    let secrets = [1, 2, 3].map(Scalar::from);
    let emulated = device.as_emulated().unwrap();
    for fails in [false, true] {
        if fails {
            emulated.fail_at(Call::Launch, emulated.calls(Call::Launch));
        }
        assert_eq!(stage.multiples(&base, &secrets).is_err(), fails);
        let mut left = secrets;
        stage.stream.download(&stage.scalars, &mut left).unwrap();
        assert_eq!(left, [Scalar::from(0); 3]);
    }
}
