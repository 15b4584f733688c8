//! Room for several lets several in.

use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use warpfield_models::pipeline::interlock::{Reached, Strategy};
use warpfield_models::pipeline::stop::Stop;

use crate::device::{Device, SLOT};
use crate::explore;

/// Workers that wait for room, get it at once, and go no further before all have it.
fn meet(strategy: Strategy, slots: usize, workers: usize) {
    let device = Device::new(strategy, slots);
    let mut worker = device.interlock.worker();
    let prep = worker.prepare(slots * SLOT, &Stop::new(), &mut |_| ()).expect("room");
    let admitted = Arc::new((Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (0..workers)
        .map(|_| {
            let (device, admitted) = (device.clone(), admitted.clone());
            thread::spawn(move || {
                let seen = &mut |reached| {
                    let (count, changed) = &*admitted;
                    if reached == Reached::Admitted {
                        let mut count = count.lock().expect("no panic");
                        *count += 1;
                        changed.notify_all();
                        while *count < workers {
                            count = changed.wait(count).expect("no panic");
                        }
                    }
                };
                let bytes = slots * SLOT / workers;
                let mut worker = device.interlock.worker();
                drop(worker.prepare(bytes, &Stop::new(), seen).expect("room"));
            })
        })
        .collect();
    drop(prep);
    for thread in threads {
        thread.join().expect("no panic");
    }
    device.check_idle(1 + workers as u64);
}

#[test]
fn two_at_once() {
    explore(2, |strategy, slots| meet(strategy, slots, 2));
}

#[test]
fn three_at_once() {
    explore(1, |strategy, slots| meet(strategy, slots, 3));
}
