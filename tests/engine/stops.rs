//! What ends partitions before they are proved.

use std::slice;
use std::time::{Duration, Instant};

use warpfield::pipeline::engine::{Engine, Error, Options};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::stop::{Stop, Stopped};

use crate::support::{Circuit, device, engine, options};

fn one_worker() -> Options {
    options(Strategy::Two, 1, 1)
}

#[test]
fn cancelled_dropped_and_late_ones() {
    let circuit = Circuit::new(3, 0);
    let engine = engine(&device(), &circuit, &one_worker());
    let at_work = engine.start(circuit.request(0, 0)).unwrap();
    let waiting = engine.start(circuit.request(0, 1)).unwrap();
    drop(engine.start(circuit.request(0, 2)).unwrap());
    let mut late = circuit.request(0, 3);
    late.stop = Stop::with_deadline(Instant::now() + Duration::from_millis(5));
    let late = engine.start(late).unwrap();
    let last = engine.start(circuit.request(0, 4)).unwrap();

    waiting.cancel();
    let now = Instant::now();
    assert!(matches!(waiting.finish(), Err(Error::Stopped(Stopped::Cancelled))));
    assert!(matches!(late.finish(), Err(Error::Stopped(Stopped::Deadline))));
    assert!(now.elapsed() < Duration::from_millis(500), "{:?}", now.elapsed());
    assert!(last.finish().unwrap() == circuit.expected(4));
    assert!(at_work.finish().unwrap() == circuit.expected(0));
}

/// In the middle of its kernels, at the latest after a stage or two.
#[test]
fn one_at_work_is_cancelled() {
    let circuit = Circuit::new(3, 0);
    for strategy in Strategy::ALL {
        let engine = engine(&device(), &circuit, &options(strategy, 2, 2));
        let start = Instant::now();
        engine.start(circuit.request(0, 0)).unwrap().finish().unwrap();
        let whole = start.elapsed();
        for part in [10, 3, 2] {
            let at_work = engine.start(circuit.request(0, 1)).unwrap();
            std::thread::sleep(whole / part);
            at_work.cancel();
            assert!(matches!(at_work.finish(), Err(Error::Stopped(Stopped::Cancelled))));
        }
        let next = engine.start(circuit.request(0, 2)).unwrap();
        assert!(next.finish().unwrap() == circuit.expected(2));
    }
}

#[test]
fn higher_priorities_come_first() {
    let circuit = Circuit::new(3, 0);
    let engine = engine(&device(), &circuit, &one_worker());
    let _at_work = engine.start(circuit.request(0, 0)).unwrap();
    let low = engine.start(circuit.request(0, 1)).unwrap();
    let mut high = circuit.request(0, 2);
    high.priority = 1;
    let high = engine.start(high).unwrap();
    assert!(high.finish().unwrap() == circuit.expected(2));
    assert!(!low.is_done());
    assert!(low.finish().unwrap() == circuit.expected(1));
}

#[test]
fn an_engine_that_is_dropped_ends_what_waits() {
    let circuit = Circuit::new(3, 0);
    let engine = engine(&device(), &circuit, &one_worker());
    let handles: Vec<_> = (0..4).map(|i| engine.start(circuit.request(0, i)).unwrap()).collect();
    drop(engine);
    let results: Vec<_> = handles.into_iter().map(|handle| handle.finish()).collect();
    let closed = results.iter().filter(|result| matches!(result, Err(Error::Closed))).count();
    let proved = results.iter().filter(|result| result.is_ok()).count();
    assert!(closed >= 2 && closed + proved == 4, "{results:?}");
}

#[test]
fn bytes_of_witnesses_are_bounded() {
    let circuit = Circuit::new(3, 0);
    let mut options = one_worker();
    options.host_bytes = 2 * circuit.witness.as_bytes().len() as u64;
    let engine = engine(&device(), &circuit, &options);
    let handles = [0, 1].map(|i| engine.start(circuit.request(0, i)).unwrap());
    let mut third = circuit.request(0, 2);
    third.stop = Stop::with_deadline(Instant::now() + Duration::from_millis(10));
    assert!(matches!(engine.start(third), Err(Error::Stopped(Stopped::Deadline))));
    // It waits for one of them to be done.
    let third = engine.start(circuit.request(0, 2)).unwrap();
    assert!(third.finish().unwrap() == circuit.expected(2));
    // It has one worker, who took them in this order.
    assert!(handles.iter().all(|handle| handle.is_done()));
}

#[test]
fn refused() {
    let circuit = Circuit::new(3, 0);
    let device = device();
    let none = Engine::new(&[], &[circuit.key()], &Options::default());
    assert!(matches!(none, Err(Error::Nothing("a device"))));
    let none = Engine::new(slice::from_ref(&device), &[], &Options::default());
    assert!(matches!(none, Err(Error::Nothing("a key"))));
    let none =
        Engine::new(slice::from_ref(&device), &[circuit.key()], &options(Strategy::Two, 0, 1));
    assert!(matches!(none, Err(Error::Nothing("a worker"))));

    let engine = engine(&device, &circuit, &one_worker());
    let other = Circuit::new(4, 0);
    let wrong = engine.start(circuit.request(1, 0));
    assert!(matches!(wrong, Err(Error::Circuit { circuit: 1, circuits: 1 })));
    let wrong = engine.start(other.request(0, 0)).unwrap_err().to_string();
    assert!(wrong.contains("witness"), "{wrong}");
}
