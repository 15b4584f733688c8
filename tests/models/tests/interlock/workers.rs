//! Workers of which one fails, at each point.

use loom::thread;
use warpfield_models::pipeline::interlock::Strategy;
use warpfield_models::pipeline::stop::Stop;

use crate::device::{Device, End, SLOT};
use crate::explore;

/// Lets workers do a partition each, the first on this thread.
fn run(strategy: Strategy, slots: usize, ends: &[End]) {
    let device = Device::new(strategy, slots);
    let work = |end| {
        let device = device.clone();
        move || {
            let is_stopped = device.work(SLOT, end, &Stop::new()).is_err();
            assert_eq!(is_stopped, end == End::BeforePrep);
        }
    };
    let (&first, others) = ends.split_first().expect("a worker");
    let threads: Vec<_> = others.iter().map(|&end| thread::spawn(work(end))).collect();
    work(first)();
    for thread in threads {
        thread.join().expect("no panic");
    }
    device.check_idle(ends.len() as u64);
}

#[test]
fn two_workers() {
    for end in End::ALL {
        explore(3, move |strategy, slots| run(strategy, slots, &[End::Done, end]));
    }
}

#[test]
fn three_workers() {
    for end in End::ALL {
        explore(2, move |strategy, slots| run(strategy, slots, &[End::Done, End::Done, end]));
    }
}

#[test]
fn two_of_three_workers_fail() {
    for end in [End::InPrep, End::Staged, End::InCompute] {
        explore(2, move |strategy, slots| run(strategy, slots, &[end, End::Staged, End::Done]));
    }
}
