//! Devices that are lost, and partitions that wait in vain.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use warpfield::gpu::{Device, Kind, LaunchConfig, Module};
use warpfield::groth16::Key;
use warpfield::pipeline::engine::{Engine, Error};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::pool::Pool;
use warpfield::pipeline::stop::Stopped;

use crate::forms::Case;
use crate::support::{Circuit, device, in_time, options};

/// Runs a kernel that traps.
fn lose(device: &Device) {
    let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry trapping() { trap; }";
    let kernel = Module::load(device, ptx).unwrap().kernel("trapping").unwrap();
    let stream = device.stream().unwrap();
    // SAFETY: it touches no memory.
    let queued = unsafe { stream.launch(&kernel, LaunchConfig::new(1, 1), &[][..]) };
    let error = queued.and_then(|()| stream.synchronize()).unwrap_err();
    assert_eq!(error.kind(), Kind::Fault);
}

/// The lost device takes nothing that the other one could; what is at work there ends with an error that says why.
#[test]
fn a_lost_device_leaves_partitions_to_others() {
    let circuit = Circuit::new(1, 0);
    let devices = [device(), device()];
    let engine = Engine::new(&devices, &[circuit.key()], &options(Strategy::Two, 2, 2)).unwrap();
    let start = |i| {
        let mut request = circuit.request(0, i);
        request.stop = in_time();
        engine.start(request).unwrap()
    };
    let handles: Vec<_> = (0..8).map(start).collect();
    lose(&devices[0]);
    let after: Vec<_> = (8..10).map(start).collect();
    let mut lost = 0;
    for (i, handle) in (0..).zip(handles) {
        match handle.finish() {
            Ok(proof) => assert!(proof == circuit.expected(i), "{i}"),
            Err(error) => {
                assert!(matches!(error, Error::Device(_)), "{error}");
                assert!(error.to_string().contains("trapping"), "{error}");
                lost += 1;
            }
        }
    }
    // Those that its workers had.
    assert!(lost <= 2, "{lost}");
    for (i, handle) in (8..).zip(after) {
        assert!(handle.finish().unwrap() == circuit.expected(i), "{i}");
    }

    // Without any that is not lost, nobody waits for one.
    lose(&devices[1]);
    let handles: Vec<_> = (0..5).map(start).collect();
    for handle in handles {
        let error = handle.finish().unwrap_err().to_string();
        assert!(error.contains("trapping"), "{error}");
    }
}

/// What only a lost device could take ends with its error.
#[test]
fn partitions_of_a_lost_device() {
    let case = Case::new();
    let devices = [device(), device()];
    let pool = Pool::new(&devices[0], 1 << 14, 1).unwrap();
    let keys: [Arc<dyn Key>; 1] = [case.key.clone()];
    let engine = Engine::new(&devices, &keys, &options(Strategy::Two, 1, 1)).unwrap();
    lose(&devices[0]);
    for _ in 0..2 {
        let mut request = case.request(&pool, 0);
        request.stop = in_time();
        let error = engine.start(request).unwrap().finish().unwrap_err().to_string();
        assert!(error.contains("trapping"), "{error}");
        assert_eq!(pool.free_bytes(), pool.bytes());
    }
}

/// A partition that is cancelled does not keep its memory until the one worker who could prove it comes to it, if there
/// is another that has nothing to do.
#[test]
fn whoever_is_idle_ends_what_is_cancelled() {
    let case = Case::new();
    let devices = [device(), device()];
    let pools = [0, 1].map(|_| Pool::new(&devices[0], 1 << 14, 1).unwrap());
    let keys: [Arc<dyn Key>; 1] = [case.key.clone()];
    let engine = Engine::new(&devices, &keys, &options(Strategy::Two, 1, 1)).unwrap();
    let at_work = engine.start(case.request(&pools[0], 0)).unwrap();
    let waiting = engine.start(case.request(&pools[1], 1)).unwrap();
    waiting.cancel();
    assert!(matches!(waiting.finish(), Err(Error::Stopped(Stopped::Cancelled))));
    let start = Instant::now();
    while pools[1].free_bytes() != pools[1].bytes() {
        assert!(start.elapsed() < Duration::from_secs(20), "its memory never comes back");
        thread::yield_now();
    }
    assert!(!at_work.is_done());
    at_work.finish().unwrap();
}
