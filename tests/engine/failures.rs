//! Calls that fail at the k-th time, in engines of some workers and slots.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warpfield::gpu::Device;
use warpfield::gpu::emulator::Call;
use warpfield::groth16::{Form, Key, Proof, ProvingKey};
use warpfield::pipeline::engine::{Engine, Error};
use warpfield::pipeline::interlock::Strategy;

use crate::support::{Circuit, device, in_time, options};

/// An engine whose host memory is that of as many witnesses as it has workers: a share that does not come back is
/// waited for in vain.
struct Setting {
    circuit: Circuit,
    expected: Vec<Proof>,
    device: Device,
    engine: Engine,
}

impl Setting {
    fn new(workers: usize, slots: usize) -> Self {
        let (circuit, device) = (Circuit::new(1, 0), device());
        let mut options = options(Strategy::Two, workers, slots);
        options.host_bytes = (workers * circuit.witness.as_bytes().len()) as u64;
        let engine = Engine::new(slice::from_ref(&device), &[circuit.key()], &options).unwrap();
        let expected = (0..workers as u32).map(|i| circuit.expected(i)).collect();
        Self { circuit, expected, device, engine }
    }

    fn calls(&self, call: Call) -> u64 {
        self.device.as_emulated().unwrap().calls(call)
    }

    /// A partition a worker, all at once.
    fn prove(&self) -> Vec<Result<Proof, Error>> {
        let start = |i| {
            let mut request = self.circuit.request(0, i);
            request.stop = in_time();
            self.engine.start(request).expect("room for a witness")
        };
        let handles: Vec<_> = (0..self.expected.len() as u32).map(start).collect();
        handles.into_iter().map(|handle| handle.finish()).collect()
    }

    /// Those of which all are right.
    #[track_caller]
    fn proves(&self, after: &str) {
        for (found, expected) in self.prove().into_iter().zip(&self.expected) {
            assert!(found.expect(after) == *expected, "{after}");
        }
    }
}

/// It costs the partition that made the call, or none where the call does not matter; the others, and the next, are
/// right. Of each kind of call every k-th, with another k for each engine; all of them one after the other are in
/// the worker's own tests.
#[test]
fn one_call_costs_one_partition() {
    let shapes = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)];
    for (first, (workers, slots)) in (0..).zip(shapes) {
        let setting = Setting::new(workers, slots);
        let calls = [Call::Copy, Call::Launch, Call::Record, Call::Wait];
        let before = calls.map(|call| setting.calls(call));
        setting.proves("at first");
        let counts: Vec<_> =
            calls.iter().zip(before).map(|(&call, before)| setting.calls(call) - before).collect();
        for (call, count) in calls.into_iter().zip(counts) {
            assert!(count >= 5, "{count} of {call}");
            for k in (first..count).step_by(STEP) {
                let number = setting.calls(call) + k;
                setting.device.as_emulated().unwrap().fail_at(call, number);
                let after = format!("{workers} workers, {slots} slots, {call} {k} of {count}");
                let found = setting.prove();
                let mut failed = 0;
                for (found, expected) in found.into_iter().zip(&setting.expected) {
                    match found {
                        Ok(proof) => assert!(proof == *expected, "{after}"),
                        Err(error) => {
                            let text = error.to_string();
                            assert!(text.contains(&format!("{call} number {number}")), "{text}");
                            failed += 1;
                        }
                    }
                }
                let at_least = usize::from(matches!(call, Call::Copy | Call::Launch));
                assert!((at_least..=1).contains(&failed), "{failed} failed, {after}");
            }
            setting.proves("at last");
        }
    }
}

/// So many calls apart.
const STEP: usize = 150;

/// An engine that is not made has given back what it took, and the next one is made.
#[test]
fn every_call_while_an_engine_is_made() {
    let (circuit, device) = (Circuit::new(1, 0), device());
    let emulated = device.as_emulated().unwrap();
    let free = emulated.free_memory();
    let make = || {
        let options = options(Strategy::Two, 2, 2);
        Engine::new(slice::from_ref(&device), &[circuit.key()], &options)
    };
    for call in [Call::Alloc, Call::Copy, Call::Wait] {
        let before = emulated.calls(call);
        drop(make().unwrap());
        let made = emulated.calls(call) - before;
        // Every copy of a key's parts is as good as the next, and so is the wait for it.
        let step = if call == Call::Alloc { 1 } else { 8 };
        for k in (0..made).filter(|k| k % step == 0 || k + 6 > made) {
            let number = emulated.calls(call) + k;
            emulated.fail_at(call, number);
            // Nobody needs to know of the last ones, that clear its memory at the end.
            if let Err(error) = make() {
                let text = error.to_string();
                assert!(text.contains(&format!("{call} number {number}")), "{text}");
            } else {
                assert!(k + 6 > made, "{call} {k} of {made}");
            }
            assert_eq!(emulated.free_memory(), free, "{call} {k} of {made}");
        }
    }
    let proof = make().unwrap().start(circuit.request(0, 0)).unwrap().finish().unwrap();
    assert!(proof == circuit.expected(0));
}

/// A key that panics when it is asked for the k-th time.
struct Panicking {
    key: Arc<ProvingKey>,
    asked: AtomicU64,
    panics_at: AtomicU64,
}

impl Key for Panicking {
    fn form(&self) -> Form<'_> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        assert!(asked != self.panics_at.load(Ordering::Relaxed), "question {asked}");
        Form::Matrices(&self.key)
    }
}

#[test]
fn a_panic_costs_its_partition() {
    let circuit = Circuit::new(1, 0);
    let (asked, panics_at) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let key = Arc::new(Panicking { key: circuit.key.clone(), asked, panics_at });
    let mut options = options(Strategy::Two, 1, 1);
    options.host_bytes = circuit.witness.as_bytes().len() as u64;
    let of_engine: Arc<dyn Key> = key.clone();
    let engine = Engine::new(&[device()], &[of_engine], &options).unwrap();
    let prove = || {
        let mut request = circuit.request(0, 0);
        request.stop = in_time();
        engine.start(request).expect("room for a witness").finish()
    };
    let asked = || key.asked.load(Ordering::Relaxed);
    let before = asked();
    assert!(prove().unwrap() == circuit.expected(0));
    let count = asked() - before;
    assert!(count >= 4, "{count}");
    // The first question is its caller's.
    for k in 1..count {
        let number = asked() + k;
        key.panics_at.store(number, Ordering::Relaxed);
        let error = prove().unwrap_err();
        let why = format!("question {number}");
        assert!(matches!(&error, Error::Panicked(text) if *text == why), "{error}");
        assert!(prove().unwrap() == circuit.expected(0), "after {k} of {count}");
    }
}
