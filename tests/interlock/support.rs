//! What the tests share.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use warpfield::pipeline::interlock::{Interlock, Reached, State, Strategy};

/// Long enough for a thread that is not held up to come by.
pub const MOMENT: Duration = Duration::from_millis(20);

/// So long no test takes that passes.
const FOREVER: Duration = Duration::from_secs(60);

pub fn interlock(strategy: Strategy, capacity: usize) -> Interlock {
    Interlock::new(strategy, capacity).expect("it is compiled in")
}

/// Compiled in, and with a compute lock.
pub fn ordered() -> impl Iterator<Item = Strategy> {
    Strategy::compiled().filter(|&strategy| strategy != Strategy::None)
}

/// Hears nothing.
pub fn deaf(_: Reached) {}

/// Waits until the interlock's state is so.
pub fn await_state(interlock: &Interlock, is_so: impl Fn(State) -> bool) {
    let start = Instant::now();
    while !is_so(interlock.state()) {
        assert!(start.elapsed() < FOREVER, "{:?}", interlock.state());
        thread::yield_now();
    }
}

/// Nobody has or wants anything.
pub fn assert_idle(interlock: &Interlock) {
    let State { reserved, waiting, admitted, .. } = interlock.state();
    assert_eq!((reserved, waiting, admitted), (0, 0, 0));
}

/// What a thread does, bit by bit, for a test that waits for it and sees that it does not come.
pub struct Steps<T>(mpsc::Receiver<T>);

impl<T: std::fmt::Debug> Steps<T> {
    pub fn new() -> (mpsc::Sender<T>, Self) {
        let (sender, receiver) = mpsc::channel();
        (sender, Self(receiver))
    }

    pub fn next(&self) -> T {
        self.0.recv_timeout(FOREVER).expect("the thread goes on")
    }

    pub fn none_for_a_moment(&self) {
        let step = self.0.recv_timeout(MOMENT);
        assert_eq!(step.expect_err("the thread waits"), mpsc::RecvTimeoutError::Timeout);
    }
}
