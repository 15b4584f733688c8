//! What is staged has its room for as long as it is there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpfield::pipeline::interlock::{Interlock, Reached, Strategy};
use warpfield::pipeline::stop::Stop;

use crate::support::{assert_idle, deaf, interlock};

const BYTES: usize = 7;

/// Sees, as it goes, that its bytes are reserved still.
#[derive(Debug)]
struct Slot {
    interlock: Interlock,
    value: u32,
    drops: Arc<AtomicUsize>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        assert_eq!(self.interlock.state().reserved, BYTES);
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

/// Ends a partition where `end` does; it answers after how many drops.
fn passes(strategy: Strategy, end: u32) -> usize {
    let interlock = interlock(strategy, BYTES);
    let drops = Arc::new(AtomicUsize::new(0));
    let slot = Slot { interlock: interlock.clone(), value: 1, drops: drops.clone() };
    let mut worker = interlock.worker();
    let stop = Stop::new();
    let at_end = &mut |reached| {
        if reached == Reached::ComputeReleased {
            assert_eq!(drops.load(Ordering::Relaxed), 1, "it is not used any longer");
            assert_eq!(interlock.state().reserved, BYTES);
        }
    };
    let prep = worker.prepare(BYTES, &stop, &mut deaf).expect("room");
    let mut staged = prep.finish(slot, &mut deaf);
    staged.value += 1;
    match end {
        0 => drop(staged),
        1 => {
            stop.cancel();
            staged.compute(&stop, &mut deaf).expect_err("it is cancelled");
        }
        _ => {
            let mut compute = staged.compute(&stop, &mut deaf).expect("a turn");
            compute.value += 1;
            assert_eq!(compute.value, 3);
            if end == 2 {
                drop(compute);
            } else {
                compute.finish(at_end);
            }
        }
    }
    assert_idle(&interlock);
    drops.load(Ordering::Relaxed)
}

#[test]
fn data_go_before_their_room_does() {
    for strategy in Strategy::compiled() {
        for end in 0..4 {
            assert_eq!(passes(strategy, end), 1, "{strategy} {end}");
        }
    }
}
