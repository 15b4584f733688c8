//! Waiters that are stopped, and how soon.

use std::thread;
use std::time::{Duration, Instant};

use warpfield::pipeline::interlock::{Error, Interlock, Strategy};
use warpfield::pipeline::stop::{Stop, Stopped};

use crate::support::{MOMENT, assert_idle, deaf, interlock, ordered};

/// So late is a waiter at most that nothing but its own wake-up takes time.
const SOON: Duration = Duration::from_millis(10);

/// Tries of which one must be in time: on a busy machine any may be late.
const TRIES: usize = 20;

/// A device, and whether the worker that is in the way has its partition staged, or in prep still.
type Way = (Interlock, bool);

/// All that can be waited for: room, the prep lock, the compute lock.
fn ways() -> impl Iterator<Item = Way> {
    let room = Strategy::compiled().map(|strategy| (interlock(strategy, 1), true));
    let compute = ordered().map(|strategy| (interlock(strategy, 2), true));
    let prep = ordered().map(|strategy| (interlock(strategy, 2), false));
    room.chain(compute).chain(prep)
}

/// Lets a worker wait behind this thread's, which does something then; answers why it came back, and when.
fn wait((interlock, is_staged): &Way, stop: &Stop, meanwhile: impl FnOnce()) -> (Error, Instant) {
    let (mut worker, mut other) = (interlock.worker(), interlock.worker());
    let prep = worker.prepare(1, &Stop::new(), &mut deaf).expect("room");
    let (_prep, _staged) =
        if *is_staged { (None, Some(prep.finish((), &mut deaf))) } else { (Some(prep), None) };
    let mut compute = move || -> Result<(), Error> {
        let staged = other.prepare(1, stop, &mut deaf)?.finish((), &mut deaf);
        staged.compute(stop, &mut deaf)?.finish(&mut deaf);
        Ok(())
    };
    thread::scope(|scope| {
        let waits = scope.spawn(move || (compute().expect_err("it is behind"), Instant::now()));
        meanwhile();
        waits.join().expect("no panic")
    })
}

/// One attempt of several must take a short time.
fn assert_soon(mut attempt: impl FnMut() -> Duration) {
    assert!((0..TRIES).any(|_| attempt() < SOON));
}

#[test]
fn deadlines_are_kept() {
    for way in ways() {
        assert_soon(|| {
            let deadline = Instant::now() + MOMENT;
            let (error, end) = wait(&way, &Stop::with_deadline(deadline), || ());
            assert_eq!(error, Error::Stopped(Stopped::Deadline));
            end.checked_duration_since(deadline).expect("not before the deadline")
        });
        assert_idle(&way.0);
    }
}

#[test]
fn cancellations_wake() {
    let far = || Stop::with_deadline(Instant::now() + Duration::from_secs(3600));
    for (way, new_stop) in
        ways().flat_map(|way| [(way.clone(), Stop::new as fn() -> Stop), (way, far)])
    {
        assert_soon(|| {
            let stop = new_stop();
            let mut cancelled = Instant::now();
            let (error, end) = wait(&way, &stop, || {
                thread::sleep(MOMENT);
                cancelled = Instant::now();
                stop.cancel();
            });
            assert_eq!(error, Error::Stopped(Stopped::Cancelled));
            end.duration_since(cancelled)
        });
        assert_idle(&way.0);
    }
}

#[test]
fn one_stop_wakes_waiters_of_several_devices() {
    let stop = Stop::new();
    let ways: Vec<_> = ways().collect();
    thread::scope(|scope| {
        let waits: Vec<_> =
            ways.iter().map(|way| scope.spawn(|| wait(way, &stop, || ()))).collect();
        thread::sleep(MOMENT);
        stop.cancel();
        for wait in waits {
            assert_eq!(wait.join().expect("no panic").0, Error::Stopped(Stopped::Cancelled));
        }
    });
}

#[test]
fn what_is_stopped_before_does_not_begin() {
    for strategy in Strategy::compiled() {
        let interlock = interlock(strategy, 1);
        let mut worker = interlock.worker();
        let stop = Stop::new();
        // Everything is free.
        let prep = worker.prepare(1, &stop, &mut deaf).expect("room");
        let staged = prep.finish((), &mut deaf);
        stop.cancel();
        assert_eq!(staged.compute(&stop, &mut deaf).expect_err("cancelled"), Stopped::Cancelled);
        let stopped =
            [(stop, Stopped::Cancelled), (Stop::with_deadline(Instant::now()), Stopped::Deadline)];
        for (stop, why) in stopped {
            let prep = worker.prepare(1, &stop, &mut deaf);
            assert_eq!(prep.expect_err("stopped"), Error::Stopped(why));
        }
        assert_idle(&interlock);
    }
}
