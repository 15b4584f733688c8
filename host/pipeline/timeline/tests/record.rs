//! Recording.

use std::thread;
use std::time::{Duration, Instant};

use super::made_up::ms;
use crate::pipeline::timeline::{Interval, Lane, Placement, Recording, Stage, Timeline, Who};

const WHO: Who = Who { proof: Some(7), partition: Some(2), worker: Some(1), device: Some(0) };

#[test]
fn one_that_is_off_records_nothing() {
    for timeline in [Timeline::off(), Timeline::default()] {
        assert!(!timeline.is_on());
        let mut span = timeline.host(WHO, Stage::Witness);
        span.next(Stage::Check);
        span.assign(WHO);
        span.end();
        timeline.record(Interval::new(WHO, Lane::Host, Stage::Check, ms(0), ms(1)));
        timeline.record_host(WHO, Stage::Check, Instant::now(), Instant::now());
        timeline.lose(3);
        timeline.place(Placement { device: 0, error: ms(1), drift: None });
        timeline.forget(ms(1));
        assert_eq!(timeline.recording(), Recording::default());
        assert_eq!(timeline.now(), None);
    }
}

#[test]
fn spans_leave_nothing_between_them() {
    let timeline = Timeline::on();
    let before = timeline.now().unwrap();
    let mut span = timeline.host(WHO, Stage::PrepWait);
    span.next(Stage::Enqueue);
    thread::sleep(ms(2));
    span.next(Stage::CopyWait);
    span.end();
    let after = timeline.now().unwrap();
    let recording = timeline.recording();
    let [wait, enqueue, copy] = recording.intervals() else { panic!("{recording:?}") };
    assert_eq!(
        [wait, enqueue, copy].map(|i| i.stage),
        [Stage::PrepWait, Stage::Enqueue, Stage::CopyWait]
    );
    assert!(
        [wait, enqueue, copy].iter().all(|i| i.who == WHO && i.lane == Lane::Host && i.bytes == 0)
    );
    assert_eq!((wait.end, enqueue.end), (enqueue.start, copy.start));
    assert!(before <= wait.start && copy.end <= after && enqueue.time() >= ms(2));
}

#[test]
fn spans_end_when_they_are_dropped_elsewhere_and_know_their_lane() {
    let timeline = Timeline::on();
    let (clone, mut queued) =
        (timeline.clone(), timeline.host(Who::partition(7, 2), Stage::QueueWait));
    thread::spawn(move || {
        queued.assign(WHO);
        let _held = clone.host(WHO, Stage::PrepHeld);
    })
    .join()
    .unwrap();
    timeline.host(WHO, Stage::Check).discard();
    let recording = timeline.recording();
    let mut found: Vec<_> =
        recording.intervals().iter().map(|i| (i.stage, i.lane, i.who)).collect();
    found.sort();
    assert_eq!(found, [(Stage::QueueWait, Lane::Queue, WHO), (Stage::PrepHeld, Lane::Locks, WHO)]);
}

#[test]
fn a_panic_ends_spans() {
    let timeline = Timeline::on();
    let clone = timeline.clone();
    let panicked = thread::spawn(move || {
        let _span = clone.host(WHO, Stage::Epilogue);
        panic!("as the test wants");
    });
    assert!(panicked.join().is_err());
    assert_eq!(timeline.recording().intervals().len(), 1);
}

#[test]
fn threads_record_side_by_side() {
    let timeline = Timeline::on();
    thread::scope(|scope| {
        for worker in 0..4 {
            let timeline = timeline.clone();
            scope.spawn(move || {
                for partition in 0..500 {
                    timeline.host(Who::partition(1, partition).by(worker), Stage::Witness).end();
                }
            });
        }
    });
    let recording = timeline.recording();
    assert_eq!(recording.intervals().len(), 2000);
    assert!(recording.intervals().is_sorted_by_key(|interval| interval.start));
    assert_eq!(recording.proofs(), [1]);
}

#[test]
fn what_is_over_may_be_forgotten() {
    let timeline = Timeline::on();
    for start in 0..10 {
        timeline.record(Interval::new(WHO, Lane::Host, Stage::Check, ms(start), ms(start + 2)));
    }
    timeline.forget(ms(6));
    let recording = timeline.recording();
    assert_eq!(recording.intervals().len(), 6);
    assert_eq!(recording.intervals()[0].start, ms(4));
}

#[test]
fn the_worst_placement_and_all_losses_count() {
    let timeline = Timeline::on();
    let micros = Duration::from_micros;
    let place = |device, error, drift| {
        timeline.place(Placement {
            device,
            error: micros(error),
            drift: Option::map(drift, micros),
        });
    };
    place(1, 5, None);
    place(0, 4, None);
    place(0, 9, Some(3));
    place(0, 7, Some(8));
    place(0, 1, None);
    timeline.lose(2);
    timeline.lose(3);
    let recording = timeline.recording();
    let [zero, one] = recording.placements() else { panic!("{recording:?}") };
    assert_eq!((zero.device, zero.error, zero.drift), (0, micros(9), Some(micros(8))));
    assert_eq!((one.device, one.error, one.drift), (1, micros(5), None));
    assert_eq!(recording.lost(), 5);
}

#[test]
fn an_interval_does_not_end_before_it_begins() {
    let interval = Interval::new(WHO, Lane::Host, Stage::Check, ms(3), ms(1));
    assert_eq!((interval.start, interval.time()), (ms(3), ms(0)));
}

#[test]
fn what_began_before_the_timeline_begins_with_it() {
    let early = Instant::now();
    thread::sleep(ms(1));
    let timeline = Timeline::on();
    timeline.record_host(WHO, Stage::QueueWait, early, Instant::now());
    assert_eq!(timeline.recording().intervals()[0].start, ms(0));
}
