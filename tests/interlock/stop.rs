//! `Stop` by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use warpfield::pipeline::stop::{Stop, Stopped};

/// Counts its calls.
fn counter() -> (Arc<AtomicUsize>, impl FnOnce() + Send + 'static) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    (count, move || {
        counted.fetch_add(1, Ordering::Relaxed);
    })
}

#[test]
fn clones_are_one() {
    let stop = Stop::new();
    let clone = stop.clone();
    assert_eq!((stop.check(), clone.check(), stop.deadline()), (Ok(()), Ok(()), None));
    clone.cancel();
    clone.cancel();
    assert_eq!((stop.check(), clone.check()), (Err(Stopped::Cancelled), Err(Stopped::Cancelled)));
    assert_eq!(Stop::default().check(), Ok(()));
}

#[test]
fn deadlines_pass() {
    let now = Instant::now();
    assert_eq!(Stop::with_deadline(now).check(), Err(Stopped::Deadline));
    let later = now + Duration::from_secs(3600);
    let stop = Stop::with_deadline(later);
    assert_eq!((stop.check(), stop.clone().deadline()), (Ok(()), Some(later)));
    stop.cancel();
    assert_eq!(stop.check(), Err(Stopped::Cancelled));
}

#[test]
fn a_cancellation_comes_before_a_deadline() {
    let stop = Stop::with_deadline(Instant::now());
    stop.cancel();
    assert_eq!(stop.check(), Err(Stopped::Cancelled));
}

#[test]
fn a_cancellation_wakes_everyone_once() {
    let stop = Stop::new();
    let ((first, wake_first), (second, wake_second)) = (counter(), counter());
    let _first = stop.on_cancel(wake_first);
    let _second = stop.clone().on_cancel(wake_second);
    stop.cancel();
    stop.cancel();
    assert_eq!([first, second].map(|count| count.load(Ordering::Relaxed)), [1, 1]);
}

#[test]
fn who_has_gone_is_not_woken() {
    let stop = Stop::new();
    let ((gone, wake_gone), (there, wake_there)) = (counter(), counter());
    let going = stop.on_cancel(wake_gone);
    let _there = stop.on_cancel(wake_there);
    drop(going);
    // Nor is anything kept of it.
    assert_eq!(Arc::strong_count(&gone), 1);
    stop.cancel();
    assert_eq!([gone, there].map(|count| count.load(Ordering::Relaxed)), [0, 1]);
}

#[test]
fn who_comes_late_is_not_woken() {
    let stop = Stop::new();
    stop.cancel();
    let (late, wake) = counter();
    let registered = stop.on_cancel(wake);
    stop.cancel();
    assert_eq!(late.load(Ordering::Relaxed), 0);
    drop(registered);
}

#[test]
fn a_wake_may_use_the_stop() {
    let stop = Stop::new();
    let (seen, inner) = (Arc::new(AtomicUsize::new(0)), stop.clone());
    let seen_by_wake = seen.clone();
    let _registered = stop.on_cancel(move || {
        assert_eq!(inner.check(), Err(Stopped::Cancelled));
        drop(inner.on_cancel(|| ()));
        seen_by_wake.fetch_add(1, Ordering::Relaxed);
    });
    stop.cancel();
    assert_eq!(seen.load(Ordering::Relaxed), 1);
}

#[test]
fn reasons_are_told() {
    assert_eq!(Stopped::Cancelled.to_string(), "cancelled");
    assert_eq!(
        Stopped::Deadline.to_string(),
        "the deadline passed before the work was done; allow more time"
    );
    let stop = Stop::new();
    stop.cancel();
    assert_eq!(format!("{stop:?}"), "Stop { is_cancelled: true, deadline: None }");
}
