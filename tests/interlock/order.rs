//! Who gets the locks, and what is told of it.

use std::thread;

use warpfield::pipeline::interlock::{Interlock, Reached, Strategy, Worker};
use warpfield::pipeline::stop::Stop;

use crate::support::{Steps, assert_idle, deaf, interlock, ordered};

/// Three workers, and room for them.
fn workers(strategy: Strategy) -> (Interlock, [Worker; 3]) {
    let interlock = interlock(strategy, 3);
    let workers = [(); 3].map(|()| interlock.worker());
    (interlock, workers)
}

#[test]
fn what_is_staged_first_computes_first() {
    for strategy in ordered() {
        let (interlock, mut workers) = workers(strategy);
        let [first, second, third] = workers.each_mut().map(|worker| {
            worker.prepare(1, &Stop::new(), &mut deaf).expect("room").finish((), &mut deaf)
        });
        assert_eq!([first.ticket(), second.ticket(), third.ticket()], [0, 1, 2]);
        let (sender, steps) = Steps::new();
        thread::scope(|scope| {
            // The later ask first.
            for staged in [third, second] {
                let sender = sender.clone();
                scope.spawn(move || {
                    let compute = staged.compute(&Stop::new(), &mut deaf).expect("a turn");
                    sender.send(compute.ticket()).expect("the test is there");
                    compute.finish(&mut deaf);
                });
                steps.none_for_a_moment();
            }
            let compute = first.compute(&Stop::new(), &mut deaf).expect("a turn");
            steps.none_for_a_moment();
            compute.finish(&mut deaf);
            assert_eq!([steps.next(), steps.next()], [1, 2]);
        });
        assert_idle(&interlock);
    }
}

#[test]
fn one_that_is_given_up_is_not_waited_for() {
    for strategy in ordered() {
        let (interlock, mut workers) = workers(strategy);
        let [first, second, third] = workers.each_mut().map(|worker| {
            worker.prepare(1, &Stop::new(), &mut deaf).expect("room").finish((), &mut deaf)
        });
        // In between, and then the first while it is waited for.
        drop(second);
        let (sender, steps) = Steps::new();
        thread::scope(|scope| {
            scope.spawn(move || {
                let compute = third.compute(&Stop::new(), &mut deaf).expect("a turn");
                sender.send(compute.ticket()).expect("the test is there");
            });
            steps.none_for_a_moment();
            drop(first);
            assert_eq!(steps.next(), 2);
        });
        assert_idle(&interlock);
    }
}

#[test]
fn two_has_one_prep_at_a_time_beside_a_compute() {
    if !Strategy::Two.is_compiled() {
        return;
    }
    let (interlock, [mut first, mut second, mut third]) = workers(Strategy::Two);
    let staged = first.prepare(1, &Stop::new(), &mut deaf).expect("room").finish((), &mut deaf);
    let compute = staged.compute(&Stop::new(), &mut deaf).expect("a turn");
    let prep = second.prepare(1, &Stop::new(), &mut deaf).expect("the lock is free");
    let (sender, steps) = Steps::new();
    thread::scope(|scope| {
        scope.spawn(move || {
            let seen = &mut |reached| sender.send(reached).expect("the test is there");
            let prep = third.prepare(1, &Stop::new(), seen).expect("the lock in the end");
            drop(prep.finish((), seen));
        });
        let waits = [Reached::SlotWait, Reached::Admitted, Reached::PrepWait];
        assert_eq!([(); 3].map(|()| steps.next()), waits);
        steps.none_for_a_moment();
        let staged = prep.finish((), &mut deaf);
        assert_eq!([steps.next(), steps.next()], [Reached::PrepHeld, Reached::PrepReleased]);
        drop((compute, staged));
    });
    assert_idle(&interlock);
}

#[test]
fn none_knows_no_order_and_single_no_prep_lock() {
    for strategy in Strategy::compiled().filter(|&strategy| strategy != Strategy::Two) {
        let (_, mut workers) = workers(strategy);
        let preps = workers.each_mut().map(|worker| worker.prepare(1, &Stop::new(), &mut deaf));
        let [first, second, third] = preps.map(|prep| prep.expect("room"));
        let (third, second) = (third.finish((), &mut deaf), second.finish((), &mut deaf));
        if strategy == Strategy::None {
            let third = third.compute(&Stop::new(), &mut deaf).expect("no lock");
            let second = second.compute(&Stop::new(), &mut deaf).expect("no lock");
            drop((first, second, third));
        }
    }
}

#[test]
fn what_is_reached_is_told() {
    use Reached::*;
    for strategy in Strategy::compiled() {
        let mut told = Vec::new();
        let seen = &mut |reached| told.push(reached);
        let (_, [mut worker, ..]) = workers(strategy);
        let staged = worker.prepare(1, &Stop::new(), seen).expect("room").finish((), seen);
        staged.compute(&Stop::new(), seen).expect("a turn").finish(seen);
        let expected: &[_] = match strategy {
            Strategy::Two => &[
                SlotWait,
                Admitted,
                PrepWait,
                PrepHeld,
                PrepReleased,
                ComputeWait,
                ComputeHeld,
                ComputeReleased,
            ],
            Strategy::Single => &[SlotWait, Admitted, ComputeWait, ComputeHeld, ComputeReleased],
            Strategy::None => &[SlotWait, Admitted],
        };
        assert_eq!(told, expected);
    }
}
