//! On the device that `WARPFIELD_TEST_DEVICE` names: a thousand on a GPU, a few on the emulator.

use std::collections::VecDeque;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blstrs::Scalar;
use warpfield::circuit::{R1cs, WitnessValues, synthetic};
use warpfield::gpu::{Device, emulator};
use warpfield::groth16::synthesis::{Synthesis, VectorKey, setup};
use warpfield::groth16::{self, Key, Proof, ToxicWaste, Witness, verify};
use warpfield::pipeline::engine::{Engine, Error, Handle, Options, Request};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::pool::{Lent, Pool};
use warpfield::pipeline::stop::Stop;

use super::{Circuit, blinding, pick};
use crate::files::rng;
use crate::named::{self, TestDevice};

/// A circuit with its witness and a key as bellman has them.
struct OfVectors {
    circuit: R1cs,
    witness: Vec<Scalar>,
    key: Arc<VectorKey>,
    pool: Pool,
}

impl OfVectors {
    fn new(constraints: usize, public: usize, device: &Device) -> Self {
        let values = WitnessValues::FullWidth;
        let (circuit, witness) = synthetic(constraints, public, values, &mut rng(1));
        let waste = ToxicWaste::random(&mut rng(2)).expect("numbers");
        let key = Arc::new(setup(&circuit, &waste).expect("a key"));
        let bytes = key.shape().lengths().iter().map(|len| 32 * len).sum::<usize>();
        let pool = Pool::new(device, 2 * bytes + 4096, 2).expect("pinned memory");
        Self { circuit, witness, key, pool }
    }

    fn synthesis(&self) -> Synthesis<Lent<Scalar>> {
        let lent = self.pool.checkout_all(self.key.shape().lengths(), &Stop::new());
        let mut synthesis = Synthesis::from(lent.expect("room for one"));
        synthesis.fill(&self.circuit, &self.witness).expect("as long as they should be");
        synthesis
    }
}

struct Soak {
    circuits: Vec<Circuit>,
    of_vectors: OfVectors,
    /// Of the first circuit, and not one that satisfies it.
    wrong: Witness,
}

/// What becomes of a partition.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Proved,
    Cancelled,
    Unsatisfied,
}

fn fate(partition: u32) -> Fate {
    match pick(partition + 1_000_000, 20) {
        0 | 1 => Fate::Cancelled,
        2 => Fate::Unsatisfied,
        _ => Fate::Proved,
    }
}

impl Soak {
    fn keys(&self) -> Vec<Arc<dyn Key>> {
        let keys = self.circuits.iter().map(|circuit| circuit.key.clone() as Arc<dyn Key>);
        keys.chain([self.of_vectors.key.clone() as Arc<dyn Key>]).collect()
    }

    fn start(&self, engine: &Engine, partition: u32) -> Handle {
        let at = pick(partition, self.circuits.len() + 1);
        let blinding = blinding(partition);
        let mut request = match self.circuits.get(at) {
            _ if fate(partition) == Fate::Unsatisfied => {
                Request::new(0, self.wrong.clone(), blinding)
            }
            Some(circuit) => Request::new(at, circuit.witness.clone(), blinding),
            None => Request::new(at, self.of_vectors.synthesis(), blinding),
        };
        (request.partition, request.priority) = (partition, (partition % 3) as i32);
        engine.start(request).expect("it is queued")
    }

    /// Checks what became of a partition, and gives its proof if it has one.
    fn finish(&self, partition: u32, handle: Handle) -> Option<Proof> {
        let result = match fate(partition) {
            Fate::Cancelled => {
                handle.cancel();
                // It may have been done before.
                let result = handle.finish();
                assert!(matches!(result, Ok(_) | Err(Error::Stopped(_))), "{result:?}");
                return None;
            }
            Fate::Unsatisfied => {
                let error = handle.finish().expect_err("a wrong witness");
                let is_told = matches!(error, Error::Proof(groth16::Error::Unsatisfied));
                assert!(is_told, "{partition}: {error}");
                return None;
            }
            Fate::Proved => handle.finish(),
        };
        let proof = result.unwrap_or_else(|error| panic!("partition {partition}: {error}"));
        match self.circuits.get(pick(partition, self.circuits.len() + 1)) {
            Some(circuit) => circuit.check(&proof),
            None => {
                let OfVectors { key, witness, circuit, .. } = &self.of_vectors;
                let signals = &witness[1..][..circuit.n_public() as usize];
                assert!(verify(key.verifying_key(), signals, &proof).expect("it is of the key"));
            }
        }
        Some(proof)
    }

    /// Proves partitions, some under way at a time.
    fn prove(&self, engine: &Engine, partitions: impl Iterator<Item = u32>) -> Vec<Option<Proof>> {
        let (mut under_way, mut proofs) = (VecDeque::new(), vec![]);
        for partition in partitions {
            if under_way.len() == 6 {
                let (partition, handle) = under_way.pop_front().expect("six");
                proofs.push(self.finish(partition, handle));
            }
            under_way.push_back((partition, self.start(engine, partition)));
        }
        proofs.extend(
            under_way.into_iter().map(|(partition, handle)| self.finish(partition, handle)),
        );
        proofs
    }
}

/// The device's memory is a test's alone: a GPU's is the same for all.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device that does not check what its kernels do: other tests see to that.
pub fn emulated() -> Device {
    Device::emulated(emulator::Config::default().checks(emulator::Checks::NONE))
}

#[test]
fn on_a_device() {
    let _alone = alone();
    let (device, rows, count) = match named::named() {
        TestDevice::Emulated => (emulated(), [1, 20, 3], 24),
        TestDevice::Cuda(index) => (Device::cuda(index).expect("a GPU"), [1000, 5000, 3000], 1200),
    };
    let circuits = vec![
        Circuit::new(rows[0], 2, WitnessValues::FullWidth),
        Circuit::new(rows[1], 0, WitnessValues::Boolean),
    ];
    let of_vectors = OfVectors::new(rows[2], 1, &device);
    let mut values = circuits[0].witness.public_signals(circuits[0].key.n_wires() - 1);
    values.insert(0, values[0] + values[1]);
    let soak = Soak { circuits, of_vectors, wrong: Witness::from_scalars(&values) };

    let memory = || (device.memory().expect("it tells").free, device.pinned_bytes());
    let pinned_before = device.pinned_bytes();
    let per_strategy = count / Strategy::ALL.len() as u32 / 2;
    for (index, strategy) in Strategy::ALL.into_iter().enumerate() {
        let mut options = Options::default();
        options.strategy = strategy;
        (options.workers, options.slots) = (2 + index, Some(2));
        // Little of it: that which is free is not this test's alone.
        options.device_bytes = Some(4 << 30).filter(|_| named::named() != TestDevice::Emulated);
        let partitions: Vec<_> =
            (0..per_strategy).map(|i| index as u32 * per_strategy + i).collect();
        // By an engine of its own each time, the second one in another order.
        let [forwards, backwards] = [false, true].map(|is_backwards| {
            let engine = Engine::new(slice::from_ref(&device), &soak.keys(), &options);
            let engine = engine.expect("memory");
            let warm = memory();
            let mut order = partitions.clone();
            if is_backwards {
                order.reverse();
            }
            let mut proofs = soak.prove(&engine, order.into_iter());
            if is_backwards {
                proofs.reverse();
            }
            let (free, pinned) = memory();
            // What a partition that is cancelled leaves is made anew for the next of its circuit.
            assert!(free == warm.0 && pinned <= warm.1, "{strategy}: nothing is taken on the way");
            drop(engine);
            assert_eq!(device.pinned_bytes(), pinned_before, "{strategy}: all is given back");
            (proofs, memory().0)
        });
        assert!(forwards.0 == backwards.0, "{strategy}: for the same seeds the same proofs");
        let proved = forwards.0.iter().flatten().count();
        assert!(proved > per_strategy as usize / 2, "{strategy}");
        // What the driver took when a kernel or a stream was first used it keeps.
        assert_eq!(forwards.1, backwards.1, "{strategy}: all is given back");
    }
}
