//! Workers that are cancelled while they wait, for what may never come.

use loom::thread;
use warpfield_models::pipeline::interlock::{Error, Strategy};
use warpfield_models::pipeline::stop::{Stop, Stopped};

use crate::device::{Device, End, SLOT};
use crate::explore;

const CANCELLED: Error = Error::Stopped(Stopped::Cancelled);

/// This thread is in the way, in prep or staged, until those who are cancelled are back.
fn cancel_behind(strategy: Strategy, slots: usize, is_staged: bool, workers: usize) {
    let device = Device::new(strategy, slots);
    let stop = Stop::new();
    let mut worker = device.interlock.worker();
    let prep = worker.prepare(SLOT, &Stop::new(), &mut |_| ()).expect("nobody stops it");
    // What stays is this thread's place, in the one phase or the other.
    let (_prep, _staged) =
        if is_staged { (None, Some(prep.finish((), &mut |_| ()))) } else { (Some(prep), None) };
    let threads: Vec<_> = (0..workers)
        .map(|_| {
            let (device, stop) = (device.clone(), stop.clone());
            thread::spawn(move || device.work(SLOT, End::Done, &stop))
        })
        .collect();
    stop.cancel();
    for thread in threads {
        let result = thread.join().expect("no panic");
        // Without a lock, and with room, there is nothing in the way.
        if (strategy, slots) == (Strategy::None, 2) {
            assert!(matches!(result, Ok(()) | Err(CANCELLED)));
        } else {
            assert_eq!(result, Err(CANCELLED));
        }
    }
    assert_eq!(device.interlock.state().admitted, 1);
}

#[test]
fn one_behind_a_prep() {
    explore(4, |strategy, slots| cancel_behind(strategy, slots, false, 1));
}

#[test]
fn one_behind_a_staged_partition() {
    explore(4, |strategy, slots| cancel_behind(strategy, slots, true, 1));
}

#[test]
fn two_by_one_stop() {
    explore(2, |strategy, slots| cancel_behind(strategy, slots, true, 2));
}

#[test]
fn one_in_between() {
    explore(2, |strategy, slots| {
        let device = Device::new(strategy, slots);
        let stop = Stop::new();
        let threads = [Stop::new(), stop.clone()].map(|stop| {
            let device = device.clone();
            thread::spawn(move || device.work(SLOT, End::Done, &stop))
        });
        stop.cancel();
        assert_eq!(device.work(SLOT, End::Done, &Stop::new()), Ok(()));
        let [done, cancelled] = threads.map(|thread| thread.join().expect("no panic"));
        assert_eq!(done, Ok(()));
        assert!(matches!(cancelled, Ok(()) | Err(CANCELLED)));
        device.check_idle(3);
    });
}
