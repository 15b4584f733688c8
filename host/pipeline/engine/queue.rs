//! The queue in front of the workers.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;

use crate::pipeline::monitor::Monitor;
use crate::pipeline::stop::{Stop, Stopped};

/// Things that wait: by priority, and the oldest first among those of one.
///
/// Each takes a share of a number of bytes before it comes ([`reserve`](Self::reserve)), and has it until it
/// is done with, wherever it is by then.
pub(super) struct Queue<T>(Arc<Monitor<State<T>>>);

struct State<T> {
    waiting: BinaryHeap<Entry<T>>,
    free: u64,
    limit: u64,
    next_number: u64,
    is_closed: bool,
}

struct Entry<T> {
    rank: (i32, Reverse<u64>),
    value: T,
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// Bytes of a queue's limit, given back on drop.
pub(super) struct Share {
    give_back: Option<Box<dyn FnOnce() + Send>>,
}

impl Drop for Share {
    fn drop(&mut self) {
        if let Some(give_back) = self.give_back.take() {
            give_back();
        }
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Share").finish_non_exhaustive()
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
        Self(Monitor::new(State {
            waiting: BinaryHeap::new(),
            free: limit,
            limit,
            next_number: 0,
            is_closed: false,
        }))
    }

    /// Waits until so many bytes are free. What is of more than all goes alone.
    ///
    /// # Errors
    ///
    /// `stop`'s.
    pub fn reserve(&self, bytes: u64, stop: &Stop) -> Result<Share, Stopped> {
        let mut taken = 0;
        Monitor::wait(&self.0, stop, |state| {
            let bytes = bytes.min(state.limit);
            let fits = bytes <= state.free;
            if fits {
                state.free -= bytes;
                taken = bytes;
            }
            fits
        })?;
        let monitor = self.0.clone();
        let give_back = Box::new(move || monitor.change(|state| state.free += taken));
        Ok(Share { give_back: Some(give_back) })
    }

    /// Puts something in, which somebody takes as long as the queue is not closed.
    pub fn put(&self, priority: i32, value: T) {
        self.0.change(|state| {
            let rank = (priority, Reverse(state.next_number));
            state.next_number += 1;
            state.waiting.push(Entry { rank, value });
        });
    }

    /// Waits for something, and takes it. None if the queue is closed and empty.
    pub fn take(&self) -> Option<T> {
        let mut taken = None;
        let waited = Monitor::wait(&self.0, &Stop::new(), |state| {
            taken = state.waiting.pop();
            taken.is_some() || state.is_closed
        });
        waited.expect("nobody else has this one");
        taken.map(|entry| entry.value)
    }

    /// Ends the queue, and gives what is in it.
    pub fn close(&self) -> Vec<T> {
        let left = self.0.change(|state| {
            state.is_closed = true;
            std::mem::take(&mut state.waiting)
        });
        left.into_sorted_vec().into_iter().rev().map(|entry| entry.value).collect()
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
        let taken: String = (0..5).map(|_| queue.take().unwrap()).collect();
        assert_eq!(taken, "abcde");
    }

    #[test]
    fn closed() {
        let queue = Queue::new(0);
        queue.put(0, 1);
        queue.put(0, 2);
        let taker = queue.clone();
        assert_eq!(queue.close(), [1, 2]);
        assert_eq!(thread::spawn(move || taker.take()).join().unwrap(), None);
    }

    #[test]
    fn closing_wakes_takers() {
        let queue = Queue::<u8>::new(0);
        let taker = queue.clone();
        let waiting = thread::spawn(move || taker.take());
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
