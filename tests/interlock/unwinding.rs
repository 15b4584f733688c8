//! Panics of a worker, wherever it is.

use std::panic::{self, AssertUnwindSafe};
use std::thread;

use warpfield::pipeline::interlock::{Interlock, Reached, Strategy};
use warpfield::pipeline::stop::Stop;

use crate::support::{assert_idle, await_state, deaf, interlock};

/// A partition that panics when it has reached something, or holds something.
fn panic_at(interlock: &Interlock, step: usize) -> bool {
    let mut steps = 0;
    let mut next = |_: Reached| {
        if steps == step {
            // Not `panic!`: the hook would print it.
            panic::resume_unwind(Box::new("as the test wants it"));
        }
        steps += 1;
    };
    let mut worker = interlock.worker();
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        let stop = Stop::new();
        let prep = worker.prepare(1, &stop, &mut next).expect("room");
        next(Reached::PrepHeld);
        let staged = prep.finish((), &mut next);
        next(Reached::PrepReleased);
        let compute = staged.compute(&stop, &mut next).expect("a turn");
        next(Reached::ComputeHeld);
        compute.finish(&mut next);
    }));
    result.is_err()
}

#[test]
fn a_panic_gives_everything_back() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, 1);
        let steps = (0..).take_while(|&step| panic_at(&interlock, step)).count();
        // Five, where a worker has passed the locks there are, and three of this test.
        let reached = match strategy {
            Strategy::Two => 8,
            Strategy::Single => 5,
            Strategy::None => 2,
        };
        assert_eq!(steps, reached + 3);
        assert_idle(&interlock);
    }
}

#[test]
fn a_panic_wakes_who_waits() {
    for strategy in Strategy::compiled() {
        for slots in [1, 2] {
            let interlock = interlock(strategy, slots);
            let (mut first, mut second) = (interlock.worker(), interlock.worker());
            thread::scope(|scope| {
                let staged =
                    first.prepare(1, &Stop::new(), &mut deaf).expect("room").finish((), &mut deaf);
                let waits = scope.spawn(move || {
                    let prep = second.prepare(1, &Stop::new(), &mut deaf).expect("room");
                    let staged = prep.finish((), &mut deaf);
                    staged.compute(&Stop::new(), &mut deaf).expect("a turn").ticket()
                });
                await_state(&interlock, |state| state.next_ticket == 2);
                let panics = scope.spawn(move || {
                    let _compute = staged.compute(&Stop::new(), &mut deaf).expect("a turn");
                    panic::resume_unwind(Box::new("as the test wants it"));
                });
                panics.join().expect_err("a panic");
                assert_eq!(waits.join().expect("no panic"), 1);
            });
            assert_idle(&interlock);
        }
    }
}
