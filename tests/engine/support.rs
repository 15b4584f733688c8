//! Small circuits, and devices to prove them on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use blstrs::Scalar;
use warpfield::circuit::WitnessValues;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, wtns};
use warpfield::gpu::{Device, emulator};
use warpfield::groth16::{Blinding, Key, Proof, Prover, ProvingKey, Witness};
use warpfield::pipeline::engine::{Engine, Options, Request};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::stop::Stop;

use crate::files::Sample;

/// A circuit with a witness.
pub struct Circuit {
    pub key: Arc<ProvingKey>,
    pub witness: Witness,
}

impl Circuit {
    /// One of so many constraints, and public inputs.
    pub fn new(constraints: usize, public: usize) -> Self {
        let sample = Sample::synthetic(constraints, public, WitnessValues::FullWidth);
        let source = |bytes: &Vec<u8>| Source::from_bytes("a sample", bytes.clone());
        Self {
            key: Arc::new(zkey::read(&source(&sample.zkey), Trust::Trusted).unwrap()),
            witness: wtns::read(&source(&sample.wtns)).unwrap(),
        }
    }

    /// The CPU's proof of a partition.
    pub fn expected(&self, partition: u32) -> Proof {
        let prover = Prover::new(self.key.clone()).unwrap();
        prover.prove(&self.witness, blinding(partition)).unwrap()
    }

    /// A partition, of the engine's circuit of this number.
    pub fn request(&self, circuit: usize, partition: u32) -> Request {
        let mut request = Request::new(circuit, self.witness.clone(), blinding(partition));
        request.partition = partition;
        request
    }

    pub fn key(&self) -> Arc<dyn Key> {
        self.key.clone()
    }
}

/// Another one for each partition.
pub fn blinding(partition: u32) -> Blinding {
    let number = Scalar::from(u64::from(partition));
    Blinding::fixed(number + Scalar::from(3), number * number - Scalar::from(7))
}

/// A device that does not check what its kernels do: other tests see to that.
pub fn device() -> Device {
    Device::emulated(emulator::Config::default().checks(emulator::Checks::NONE))
}

pub fn options(strategy: Strategy, workers: usize, slots: usize) -> Options {
    let mut options = Options::default();
    (options.strategy, options.workers, options.slots) = (strategy, workers, Some(slots));
    options
}

/// What ends what would never end.
pub fn in_time() -> Stop {
    Stop::with_deadline(Instant::now() + Duration::from_secs(20))
}

/// An engine of a device for one circuit.
pub fn engine(device: &Device, circuit: &Circuit, options: &Options) -> Engine {
    Engine::new(std::slice::from_ref(device), &[circuit.key()], options).unwrap()
}
