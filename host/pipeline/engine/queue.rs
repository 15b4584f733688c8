//! The queue in front of the workers.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::pipeline::monitor::Monitor;
use crate::pipeline::stop::{Stop, Stopped};

/// Things that wait: by priority, and the oldest first among those of one.
///
/// Each takes a share of a number of bytes before it comes ([`reserve`](Self::reserve)), and has it until it
/// is done with, wherever it is by then.
pub(super) struct Queue<T>(Arc<Monitor<State<T>>>);

struct State<T> {
    /// In the order in which they came.
    waiting: VecDeque<(i32, T)>,
    free: u64,
    limit: u64,
    is_closed: bool,
}

impl<T> State<T> {
    /// The next one for a taker who can do with those that `fits` says.
    fn next(&mut self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let fitting = self.waiting.iter().enumerate().filter(|(_, (_, value))| fits(value));
        // Of equal ones the last, so from the last to the first.
        let (best, _) = fitting.rev().max_by_key(|(_, (priority, _))| *priority)?;
        self.waiting.remove(best).map(|(_, value)| value)
    }
}

/// Bytes of a queue's limit, given back on drop.
pub(super) struct Share<T: Send + 'static> {
    queue: Queue<T>,
    bytes: u64,
}

impl<T: Send + 'static> Drop for Share<T> {
    fn drop(&mut self) {
        self.queue.0.change(|state| state.free += self.bytes);
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Send + 'static> Queue<T> {
    /// One whose things are of so many bytes together at most.
    pub fn new(limit: u64) -> Self {
        Self(Monitor::new(State { waiting: VecDeque::new(), free: limit, limit, is_closed: false }))
    }

    /// Waits until so many bytes are free. What is of more than all goes alone.
    ///
    /// # Errors
    ///
    /// `stop`'s.
    pub fn reserve(&self, bytes: u64, stop: &Stop) -> Result<Share<T>, Stopped> {
        let mut taken = 0;
        Monitor::wait(&self.0, stop, |state| {
            taken = bytes.min(state.limit);
            let fits = taken <= state.free;
            if fits {
                state.free -= taken;
            }
            fits
        })?;
        Ok(Share { queue: self.clone(), bytes: taken })
    }

    /// Puts something in, which somebody takes as long as the queue is not closed.
    pub fn put(&self, priority: i32, value: T) {
        self.0.change(|state| state.waiting.push_back((priority, value)));
    }

    /// Waits for something that `fits`, and takes it. None if the queue is closed.
    pub fn take(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        let mut taken = None;
        let waited = Monitor::wait(&self.0, &Stop::new(), |state| {
            taken = state.next(&fits);
            taken.is_some() || state.is_closed
        });
        waited.expect("nobody else has this one");
        taken
    }

    /// Ends the queue, and gives what is in it.
    pub fn close(&self) -> Vec<T> {
        let left = self.0.change(|state| {
            state.is_closed = true;
            std::mem::take(&mut state.waiting)
        });
        left.into_iter().map(|(_, value)| value).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn by_priority_then_by_age() {
        let queue = Queue::new(0);
        for (priority, value) in [(0, 'c'), (1, 'a'), (0, 'd'), (-1, 'e'), (1, 'b')] {
            queue.put(priority, value);
        }
        let taken: String = (0..5).map(|_| queue.take(|_| true).unwrap()).collect();
        assert_eq!(taken, "abcde");
    }

    #[test]
    fn what_fits() {
        let queue = Queue::new(0);
        for (priority, value) in [(0, 1), (2, 2), (1, 3), (1, 5)] {
            queue.put(priority, value);
        }
        let odd = |value: &i32| value % 2 == 1;
        assert_eq!([odd, odd].map(|fits| queue.take(fits)), [Some(3), Some(5)]);
        assert_eq!([(); 2].map(|()| queue.take(|_| true)), [Some(2), Some(1)]);
    }

    #[test]
    fn closed() {
        let queue = Queue::new(0);
        queue.put(0, 1);
        queue.put(0, 2);
        let taker = queue.clone();
        assert_eq!(queue.close(), [1, 2]);
        assert_eq!(thread::spawn(move || taker.take(|_| true)).join().unwrap(), None);
    }

    #[test]
    fn closing_wakes_takers() {
        let queue = Queue::<u8>::new(0);
        let taker = queue.clone();
        let waiting = thread::spawn(move || taker.take(|_| true));
        thread::sleep(Duration::from_millis(20));
        queue.close();
        assert_eq!(waiting.join().unwrap(), None);
    }

    #[test]
    fn bytes_are_bounded() {
        let queue = Queue::<u8>::new(10);
        let first = queue.reserve(6, &Stop::new()).unwrap();
        let second = queue.reserve(4, &Stop::new()).unwrap();
        let soon = || Stop::with_deadline(Instant::now() + Duration::from_millis(20));
        assert!(matches!(queue.reserve(1, &soon()), Err(Stopped::Deadline)));
        drop(second);
        assert!(matches!(queue.reserve(5, &soon()), Err(Stopped::Deadline)));
        let third = queue.reserve(4, &soon()).unwrap();
        // More than all of them: alone.
        let waiter = queue.clone();
        let waiting = thread::spawn(move || waiter.reserve(1000, &Stop::new()).is_ok());
        drop((first, third));
        assert!(waiting.join().unwrap());
        assert!(queue.reserve(10, &soon()).is_ok());
    }

    #[test]
    fn waiting_for_room_is_cancelled() {
        let queue = Queue::<u8>::new(1);
        let _all = queue.reserve(1, &Stop::new()).unwrap();
        let stop = Stop::new();
        let (waiter, stopped) = (queue.clone(), stop.clone());
        let waiting = thread::spawn(move || waiter.reserve(1, &stopped).err());
        thread::sleep(Duration::from_millis(20));
        stop.cancel();
        assert_eq!(waiting.join().unwrap(), Some(Stopped::Cancelled));
    }
}
