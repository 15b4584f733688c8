//! A worker on the test's own thread: what it leaves behind, whatever fails.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rand_core::SeedableRng as _;

use super::*;
use crate::circuit::{WitnessValues, synthetic};
use crate::gpu::emulator::{self, Call, DevicePtr};
use crate::gpu::{Device, DeviceSlice};
use crate::groth16::gpu::Contents;
use crate::groth16::{Prover, ProvingKey, SharedBytes, ToxicWaste};
use crate::pipeline::engine::Options;
use crate::pipeline::interlock::Strategy;
use crate::pipeline::monitor::Monitor;
use crate::pipeline::stop::Stopped;

/// The smallest circuit, and what proves it.
struct Setting {
    device: Device,
    key: Arc<ProvingKey>,
    witness: Witness,
    queue: Queue<Job>,
    worker: Worker,
}

/// What ends what would never end.
fn in_time() -> Stop {
    Stop::with_deadline(Instant::now() + Duration::from_secs(20))
}

fn blinding() -> Blinding {
    Blinding::fixed(3.into(), 4.into())
}

impl Setting {
    fn new(strategy: Strategy, timeline: Timeline) -> Self {
        let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
        let (circuit, values) = synthetic(1, 0, WitnessValues::FullWidth, &mut rng);
        let waste = ToxicWaste::random(&mut rng).unwrap();
        let key = crate::groth16::setup(&circuit, &waste).unwrap().into_key().unwrap();
        let key = Arc::new(key);
        let options = Options { strategy, timeline, slots: Some(2), ..Options::default() };
        let device = Device::emulated(emulator::Config::default().checks(emulator::Checks::NONE));
        let (devices, keys): (_, [Arc<dyn Key>; 1]) = ([device.clone()], [key.clone()]);
        let contents = [Contents::of(&key).unwrap()];
        let site = Arc::new(Site::new(0, &devices, &keys, &contents, &options).unwrap());
        let worker = Worker::new(&site, 0, &options.timeline, key.n_wires()).unwrap();
        let witness = Witness::from_scalars(&values);
        Self { device, key, witness, queue: Queue::new(1 << 20), worker }
    }

    fn emulated(&self) -> &emulator::Device {
        self.device.as_emulated().unwrap()
    }

    fn expected(&self) -> Proof {
        let prover = Prover::new(self.key.clone()).unwrap();
        prover.prove(&self.witness, blinding()).unwrap()
    }

    fn job(&self, witness: Witness) -> Job {
        let input = Input::Witness(witness);
        let (who, stop) = (Who::partition(0, 0).at(0, 0), in_time());
        Job {
            circuit: 0,
            key: self.key.clone(),
            device: None,
            blinding: blinding(),
            who,
            outcome: Monitor::new(None),
            span: self.worker.timeline.host(who, Stage::QueueWait),
            share: self.queue.reserve(input.host_bytes(), &stop).unwrap(),
            input: Some(input),
            stop,
        }
    }

    fn prove(&mut self) -> Result<Proof, Error> {
        let mut job = self.job(self.witness.clone());
        let result = self.worker.prove(&mut job);
        let outcome = job.outcome.clone();
        job.end(result);
        outcome.change(Option::take).unwrap()
    }

    /// Overwrites what partitions have, also with what those before have left.
    fn fill(&self, byte: u8) {
        for memory in self.worker.site.memory() {
            let to = DevicePtr::new(memory.address());
            self.emulated().fill(to, byte, memory.len() as u64).unwrap();
        }
    }

    /// The parts of what partitions have that are not of zeros only.
    fn left(&self) -> Vec<usize> {
        let is_left = |memory: &DeviceSlice<u8>| {
            let mut bytes = vec![0; memory.len()];
            self.emulated().copy_to_host(&mut bytes, DevicePtr::new(memory.address())).unwrap();
            bytes.iter().any(|byte| *byte != 0)
        };
        let parts = self.worker.site.memory().enumerate();
        parts.filter(|(_, memory)| is_left(memory)).map(|(part, _)| part).collect()
    }

    /// Checks that nobody has anything.
    #[track_caller]
    fn is_idle(&self, after: &str) {
        let Worker { site, pinned, .. } = &self.worker;
        assert_eq!(site.free_slots(), site.plan.slots(), "{after}");
        let state = site.interlock.state();
        assert_eq!((state.reserved, state.waiting, state.admitted), (0, 0, 0), "{after}");
        assert_eq!(self.queue.free(), 1 << 20, "{after}");
        assert_eq!(pinned.free_bytes(), pinned.bytes(), "{after}");
    }

    /// Checks that nothing of a partition is in memory.
    #[track_caller]
    fn is_clear(&self, after: &str) {
        assert_eq!(self.left(), [0; 0], "{after}");
        let pinned = &self.worker.pinned;
        let bytes = pinned.checkout::<u8>(pinned.bytes(), &in_time()).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0), "{after}");
    }
}

/// Each call that a partition makes fails once: it ends with that error, or as if nothing was, and leaves nothing.
#[test]
fn every_call_may_fail_once() {
    for strategy in Strategy::ALL {
        let mut setting = Setting::new(strategy, Timeline::off());
        let expected = setting.expected();
        assert!(setting.prove().unwrap() == expected);
        for (call, least) in
            [(Call::Copy, 7), (Call::Launch, 40), (Call::Record, 15), (Call::Wait, 15)]
        {
            let before = setting.emulated().calls(call);
            assert!(setting.prove().unwrap() == expected);
            let count = setting.emulated().calls(call) - before;
            assert!(count >= least, "{count} of {call}");
            // The same launches whatever the locks.
            let step = if strategy == Strategy::Two { 1 } else { 7 };
            for k in (0..count).filter(|k| k % step == 0 || k + 3 > count) {
                // What is there afterwards is this partition's.
                setting.fill(0);
                let number = setting.emulated().calls(call) + k;
                setting.emulated().fail_at(call, number);
                let after = format!("{strategy}, {call} {k} of {count}");
                match setting.prove() {
                    Err(error) => {
                        let text = error.to_string();
                        assert!(text.contains(&format!("{call} number {number}")), "{text}");
                        setting.is_clear(&after);
                    }
                    // The last one waits for what is done.
                    Ok(proof) => assert!(call == Call::Wait && proof == expected, "{after}"),
                }
                setting.is_idle(&after);
            }
        }
        assert!(setting.prove().unwrap() == expected);
    }
}

/// After a failure the next partition allocates what is lost, which may fail too.
#[test]
fn an_allocation_after_a_failure() {
    let mut setting = Setting::new(Strategy::Two, Timeline::off());
    assert!(setting.prove().is_ok());
    let emulated = setting.emulated();
    let allocations = emulated.calls(Call::Alloc);
    emulated.fail_at(Call::Launch, emulated.calls(Call::Launch) + 1);
    emulated.fail_at(Call::Alloc, allocations + 1);
    assert!(setting.prove().is_err());
    setting.fill(0);
    let text = setting.prove().unwrap_err().to_string();
    assert!(text.contains(&format!("allocation number {}", allocations + 1)), "{text}");
    setting.is_clear("an allocation");
    setting.is_idle("an allocation");
    assert!(setting.prove().unwrap() == setting.expected());
}

/// The scratch memory is another's as long as a partition does not compute.
#[test]
fn a_failure_in_prep_clears_its_slot_alone() {
    let mut setting = Setting::new(Strategy::Two, Timeline::off());
    setting.fill(7);
    let emulated = setting.emulated();
    emulated.fail_at(Call::Copy, emulated.calls(Call::Copy));
    assert!(setting.prove().is_err());
    // One of two slots was its.
    let left = setting.left();
    assert!(left == [0, 2] || left == [1, 2], "{left:?}");
}

/// Where the wait for a copy fails twice nobody knows whether it still reads the witness: the stream keeps it, until
/// the next partition needs its memory.
#[test]
fn a_witness_that_a_stream_has_kept() {
    let mut setting = Setting::new(Strategy::Two, Timeline::off());
    let waits = setting.emulated().calls(Call::Wait);
    for number in [waits, waits + 1] {
        setting.emulated().fail_at(Call::Wait, number);
    }
    assert!(setting.prove().is_err());
    assert!(setting.worker.pinned.free_bytes() < setting.worker.pinned.bytes());
    assert!(setting.prove().unwrap() == setting.expected());
    setting.is_idle("two proofs");
}

/// A lost device is told by each partition, and keeps none of them.
#[test]
fn a_lost_device() {
    let mut setting = Setting::new(Strategy::Two, Timeline::off());
    // Freeing that fails loses it without a fault.
    let emulated = setting.emulated();
    emulated.fail_at(Call::Free, emulated.calls(Call::Free));
    drop(setting.device.alloc::<u8>(1).unwrap());
    for _ in 0..3 {
        let text = setting.prove().unwrap_err().to_string();
        assert!(text.contains("freeing device memory"), "{text}");
        setting.is_idle("a partition");
    }
}

#[test]
fn a_panic_in_the_locks() {
    let mut setting = Setting::new(Strategy::Two, Timeline::off());
    assert!(setting.prove().is_ok());
    let Worker { site, interlock, copies, .. } = &mut setting.worker;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let prep = interlock.prepare(site.plan.slot_bytes(), &in_time(), &mut |_| ()).unwrap();
        let staged = prep.finish(Room::take(site), &mut |_| ());
        let mut room = staged.compute(&in_time(), &mut |_| ()).unwrap();
        let _scratch = room.take_scratch(0).unwrap();
        // All but the slot that is not its own.
        let other = site.slot(1 - room.slot).address();
        for memory in site.memory().filter(|memory| memory.address() != other) {
            copies.stream.fill(memory, 7).unwrap();
        }
        copies.stream.synchronize().unwrap();
        panic!("in compute");
    }));
    assert_eq!(message(&*panicked.unwrap_err()), "in compute");
    setting.is_clear("a panic");
    setting.is_idle("a panic");
    assert!(setting.prove().unwrap() == setting.expected());
}

/// The bytes of a witness, which note how much of the queue is free when they go.
struct Spy {
    bytes: Vec<u8>,
    queue: Queue<Job>,
    free: Arc<Mutex<Vec<u64>>>,
}

impl AsRef<[u8]> for Spy {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Spy {
    fn drop(&mut self) {
        self.free.lock().unwrap().push(self.queue.free());
    }
}

/// There is no room for the next witness while this one is there, be it proved or not.
#[test]
fn a_witness_goes_before_its_share() {
    let mut setting = Setting::new(Strategy::Two, Timeline::off());
    let len = setting.witness.as_bytes().len();
    for is_cancelled in [false, true] {
        let free = Arc::new(Mutex::default());
        let bytes = setting.witness.as_bytes().to_vec();
        let spy = Spy { bytes, queue: setting.queue.clone(), free: free.clone() };
        let shared: SharedBytes = Arc::new(spy);
        let mut job = setting.job(Witness::from_shared(shared, 0..len));
        if is_cancelled {
            job.stop.cancel();
        }
        let result = setting.worker.prove(&mut job);
        assert_eq!(matches!(result, Err(Error::Stopped(Stopped::Cancelled))), is_cancelled);
        job.end(result);
        assert_eq!(*free.lock().unwrap(), [(1 << 20) - len as u64]);
        setting.is_idle("a partition");
    }
}

/// A proof is made all the same where its intervals cannot be read.
#[test]
fn intervals_that_are_lost() {
    let timeline = Timeline::on();
    let mut setting = Setting::new(Strategy::Two, timeline.clone());
    let expected = setting.expected();
    let queries = |setting: &Setting| setting.emulated().calls(Call::Query);
    let before = queries(&setting);
    assert!(setting.prove().unwrap() == expected);
    let count = queries(&setting) - before;
    assert_eq!(timeline.recording().lost(), 0);
    let all = timeline.recording().intervals().len();
    for k in 0..count {
        setting.emulated().fail_at(Call::Query, queries(&setting) + k);
        timeline.forget(Duration::MAX);
        let lost = timeline.recording().lost();
        assert!(setting.prove().unwrap() == expected, "{k} of {count}");
        let lost = timeline.recording().lost() - lost;
        assert_eq!(timeline.recording().intervals().len() as u64 + lost, all as u64, "{k}");
        assert!(lost > 0, "{k} of {count}");
    }
}
