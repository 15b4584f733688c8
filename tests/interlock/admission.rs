//! Who gets room.

use std::thread;

use warpfield::pipeline::interlock::{Error, Interlock, State, Strategy};
use warpfield::pipeline::stop::Stop;

use crate::support::{Steps, assert_idle, await_state, deaf, interlock};

/// Takes a partition from start to end on a thread of its own, and says when it is admitted.
fn spawn<'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    interlock: &Interlock,
    bytes: usize,
    admitted: std::sync::mpsc::Sender<usize>,
) {
    let waiting = interlock.state().waiting;
    let mut worker = interlock.worker();
    scope.spawn(move || {
        let prep = worker.prepare(bytes, &Stop::new(), &mut deaf).expect("room in the end");
        admitted.send(bytes).expect("the test is there");
        let staged = prep.finish((), &mut deaf);
        staged.compute(&Stop::new(), &mut deaf).expect("a turn").finish(&mut deaf);
    });
    await_state(interlock, |state| state.waiting == waiting + 1);
}

#[test]
fn bytes_are_counted_from_prep_to_the_end_of_compute() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, 100);
        let state = |reserved, admitted, next_ticket| State {
            capacity: 100,
            reserved,
            waiting: 0,
            admitted,
            next_ticket,
        };
        let (mut first, mut second) = (interlock.worker(), interlock.worker());
        assert_eq!(interlock.state(), state(0, 0, 0));
        let prep = first.prepare(60, &Stop::new(), &mut deaf).expect("room");
        assert_eq!(interlock.state(), state(60, 1, 1));
        let staged = prep.finish((), &mut deaf);
        assert_eq!(interlock.state(), state(60, 1, 1));
        let other = second.prepare(40, &Stop::new(), &mut deaf).expect("room");
        assert_eq!(interlock.state(), state(100, 2, 2));
        let compute = staged.compute(&Stop::new(), &mut deaf).expect("a turn");
        assert_eq!(interlock.state(), state(100, 2, 2));
        compute.finish(&mut deaf);
        assert_eq!(interlock.state(), state(40, 1, 2));
        drop(other);
        assert_eq!(interlock.state(), state(0, 0, 2));
    }
}

#[test]
fn what_never_fits_is_refused_at_once() {
    for strategy in Strategy::compiled() {
        for capacity in [0, 10] {
            let interlock = interlock(strategy, capacity);
            for bytes in [capacity + 1, usize::MAX] {
                let mut worker = interlock.worker();
                let refused = worker.prepare(bytes, &Stop::new(), &mut |_| panic!("no wait"));
                assert_eq!(refused.unwrap_err(), Error::TooLarge { bytes, capacity });
            }
            assert_eq!(interlock.state().next_ticket, 0);
            // And what takes all, or nothing, fits.
            for bytes in [capacity, 0] {
                let mut worker = interlock.worker();
                drop(worker.prepare(bytes, &Stop::new(), &mut deaf).expect("room"));
            }
            assert_idle(&interlock);
        }
    }
    assert_eq!(
        Error::TooLarge { bytes: 11, capacity: 10 }.to_string(),
        "a partition of 11 bytes cannot be staged in 10; give its device larger slots"
    );
}

#[test]
fn a_small_one_does_not_overtake_a_large_one() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, 10);
        let (admitted, steps) = Steps::new();
        let mut worker = interlock.worker();
        thread::scope(|scope| {
            let prep = worker.prepare(5, &Stop::new(), &mut deaf).expect("room");
            spawn(scope, &interlock, 8, admitted.clone());
            // Each would fit beside the first, and does not beside the large one.
            spawn(scope, &interlock, 3, admitted.clone());
            spawn(scope, &interlock, 4, admitted);
            steps.none_for_a_moment();
            assert_eq!(interlock.state().waiting, 3);
            drop(prep);
            assert_eq!(steps.next(), 8);
            let mut rest = [steps.next(), steps.next()];
            rest.sort();
            assert_eq!(rest, [3, 4]);
        });
        assert_idle(&interlock);
    }
}

#[test]
fn a_large_one_that_gives_up_lets_the_small_ones_in() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, 10);
        let (admitted, steps) = Steps::new();
        let stop = Stop::new();
        let (mut worker, mut large) = (interlock.worker(), interlock.worker());
        thread::scope(|scope| {
            let staged =
                worker.prepare(5, &Stop::new(), &mut deaf).expect("room").finish((), &mut deaf);
            let waits = scope.spawn(|| large.prepare(8, &stop, &mut deaf).map(drop));
            await_state(&interlock, |state| state.waiting == 1);
            spawn(scope, &interlock, 1, admitted);
            steps.none_for_a_moment();
            stop.cancel();
            assert_eq!(steps.next(), 1);
            assert!(waits.join().expect("no panic").is_err());
            drop(staged);
        });
        assert_idle(&interlock);
    }
}

#[test]
fn room_for_several_lets_several_in() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, 10);
        let (admitted, steps) = Steps::new();
        let mut worker = interlock.worker();
        thread::scope(|scope| {
            let prep = worker.prepare(10, &Stop::new(), &mut deaf).expect("room");
            for bytes in [3, 4, 1] {
                spawn(scope, &interlock, bytes, admitted.clone());
            }
            drop(prep);
            let mut all = [(); 3].map(|()| steps.next());
            all.sort();
            assert_eq!(all, [1, 3, 4]);
        });
        assert_idle(&interlock);
    }
}

#[test]
fn interlocks_share_nothing() {
    for strategy in Strategy::compiled() {
        let devices = [interlock(strategy, 1), interlock(strategy, 1)];
        let mut workers = devices.each_ref().map(Interlock::worker);
        let computes = workers.each_mut().map(|worker| {
            let prep = worker.prepare(1, &Stop::new(), &mut deaf).expect("room");
            let staged = prep.finish((), &mut deaf);
            staged.compute(&Stop::new(), &mut deaf).expect("a turn")
        });
        assert_eq!(computes.each_ref().map(|compute| compute.ticket()), [0, 0]);
    }
}
