//! Devices, and partitions on them.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use blstrs::Scalar;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, wtns};
use warpfield::gpu::emulator::Call;
use warpfield::gpu::{Device, DeviceBuffer, Module, PinnedBuffer, Stream, emulator};
use warpfield::groth16::gpu::{
    Contents, DeviceKey, Error, Kernels, KeyResidence, Scratch, Sizes, Slot, Stage, Step,
};
use warpfield::groth16::{self, Blinding, Key, Proof, Prover, ProvingKey, Witness};

use crate::device::{self, TestDevice};
use crate::files::Sample;

pub fn is_emulated() -> bool {
    device::named() == TestDevice::Emulated
}

/// An emulated device with the kernels, all checks on, or the GPU.
pub fn open() -> (Device, Module) {
    static PARSED: LazyLock<emulator::Module> = LazyLock::new(|| {
        emulator::Module::parse(warpfield::ptx::MODULE).expect("the emulator reads our PTX")
    });
    static LOADED: Mutex<Option<(Device, Module)>> = Mutex::new(None);
    match device::named() {
        TestDevice::Emulated => {
            let device = Device::emulated(emulator::Config::default().memory(1 << 27));
            let module = Module::load_parsed(&device, &PARSED).expect("an emulated device");
            (device, module)
        }
        TestDevice::Cuda(index) => {
            let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
            loaded
                .get_or_insert_with(|| {
                    let device = Device::cuda(index).unwrap_or_else(|error| panic!("{error}"));
                    let module = Module::load(&device, warpfield::ptx::MODULE);
                    (device, module.unwrap_or_else(|error| panic!("{error}")))
                })
                .clone()
        }
    }
}

/// A key and a witness as they come from files.
pub struct Input {
    pub key: Arc<ProvingKey>,
    pub witness: Witness,
}

impl Input {
    pub fn of(sample: &Sample) -> Self {
        let source = |name, bytes: &Vec<u8>| Source::from_bytes(name, bytes.clone());
        Self {
            key: Arc::new(zkey::read(&source("k.zkey", &sample.zkey), Trust::Trusted).unwrap()),
            witness: wtns::read(&source("w.wtns", &sample.wtns)).unwrap(),
        }
    }

    /// The same key with another witness.
    pub fn with_witness(&self, values: &[Scalar]) -> Self {
        Self { key: self.key.clone(), witness: Witness::from_scalars(values) }
    }
}

pub fn blinding() -> Blinding {
    Blinding::fixed(Scalar::from(0x1234_5678_9abc), -Scalar::from(77))
}

/// A key on a device, and what a partition of it takes.
pub struct Machine {
    pub device: Device,
    pub kernels: Kernels,
    pub stream: Stream,
    pub key: DeviceKey,
    pub slot: Slot,
    pub of_slot: DeviceBuffer<u8>,
    pub of_scratch: DeviceBuffer<u8>,
}

impl Machine {
    pub fn new(key: &Arc<impl Key + 'static>) -> Self {
        Self::with(key, |sizes| sizes.resident(0))
    }

    /// With just the memory that is said to be needed, each piece apart.
    pub fn with(
        key: &Arc<impl Key + 'static>,
        residence: impl FnOnce(&Sizes) -> KeyResidence,
    ) -> Self {
        let (device, module) = open();
        let kernels = Kernels::new(&device, &module).unwrap();
        let stream = device.stream().unwrap();
        let contents = Contents::of(key).unwrap();
        let sizes = contents.sizes();
        let residence = residence(&sizes);
        let memory = |bytes: usize| device.alloc::<u8>(bytes).unwrap();
        let of_scratch = memory(sizes.scratch_bytes(&kernels, &residence).unwrap());
        let of_key = memory(sizes.key_bytes(&residence));
        let loaded = DeviceKey::load(
            &kernels,
            &stream,
            key.clone(),
            &contents,
            &residence,
            &of_key,
            &of_scratch,
        );
        let of_slot = memory(sizes.staging_bytes());
        let slot = Slot::new(&sizes, &of_slot).unwrap();
        Self { kernels, stream, key: loaded.unwrap(), slot, of_slot, of_scratch, device }
    }

    /// Allocations and releases so far. A GPU does not count them, and its free memory is that of all tests at once:
    /// tests/soak looks at it.
    pub fn allocations(&self) -> Option<[u64; 2]> {
        let emulated = self.device.as_emulated()?;
        Some([Call::Alloc, Call::Free].map(|call| emulated.calls(call)))
    }

    pub fn scratch(&self) -> Scratch {
        Scratch::new(&self.key, &self.of_scratch).unwrap()
    }

    pub fn pinned(&self, witness: &Witness) -> PinnedBuffer<[u8; 32]> {
        let mut pinned = self.device.alloc_pinned(witness.len()).unwrap();
        pinned.copy_from_slice(witness.as_bytes().as_chunks().0);
        pinned
    }

    /// A proof, its stages in order, and the scratch memory.
    pub fn prove(&self, input: &Input, scratch: Scratch) -> Proved {
        let pinned = self.pinned(&input.witness);
        let staged = self.key.stage(&self.stream, &self.slot, pinned, input.witness.len())?;
        let mut stages = vec![];
        let queued = &mut |step: Step<'_>| {
            if let Step::Queued(stage) = step {
                stages.push(stage);
            }
            Ok(())
        };
        let (sums, scratch) =
            self.key.compute(&self.stream, &self.slot, scratch, queued)?.wait()?;
        staged.wait()?;
        let signals = input.witness.public_signals(input.key.n_public());
        Ok((sums.finish(&input.key, &blinding(), &signals)?, stages, scratch))
    }
}

/// A proof, its stages in order, and the scratch memory again.
pub type Proved = Result<(Proof, Vec<Stage>, Scratch), Error>;

/// Every copy that can fail does, and every launch or one in so many, one at a time; then the proof is there.
#[track_caller]
pub fn whatever_fails(
    machine: &Machine,
    launch_step: usize,
    prove: impl Fn(Scratch) -> Proved,
    expected: &Proof,
) {
    let emulated = machine.device.as_emulated().expect("an emulated device");
    for (call, step) in [(Call::Copy, 1), (Call::Launch, launch_step)] {
        let before = emulated.calls(call);
        prove(machine.scratch()).unwrap();
        let calls = emulated.calls(call) - before;
        for nth in (0..calls).step_by(step) {
            emulated.fail_at(call, emulated.calls(call) + nth);
            assert!(prove(machine.scratch()).is_err(), "{call} {nth} of {calls}");
            machine.stream.synchronize().unwrap();
        }
        assert_eq!(prove(machine.scratch()).unwrap().0, *expected);
    }
}

/// The proof by the CPU.
pub fn expected(input: &Input) -> Result<Proof, groth16::Error> {
    Prover::new(input.key.clone()).unwrap().prove(&input.witness, blinding())
}

/// Proves on the device, and compares the bytes with those of the proof that the CPU makes.
#[track_caller]
pub fn check(sample: &Sample) {
    check_input(&Input::of(sample));
}

/// The same of a key and a witness.
#[track_caller]
pub fn check_input(input: &Input) {
    let machine = Machine::new(&input.key);
    let (proof, ..) = machine.prove(input, machine.scratch()).unwrap();
    assert_eq!(proof.to_compressed(), expected(input).unwrap().to_compressed());
}
