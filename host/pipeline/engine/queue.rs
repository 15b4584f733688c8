//! The queue in front of the workers.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::pipeline::monitor::Monitor;
use crate::pipeline::stop::{OnCancel, Stop, Stopped};

/// Things that wait: by priority, and the oldest first among those of one. What is cancelled or late comes before
/// all, so that nothing keeps its memory only to be told so when its turn comes.
///
/// Each takes a share of a number of bytes before it comes ([`reserve`](Self::reserve)), and has it until it
/// is done with, wherever it is by then.
pub(super) struct Queue<T>(Arc<Monitor<State<T>>>);

struct State<T> {
    /// In the order in which they came.
    waiting: VecDeque<Waiting<T>>,
    free: u64,
    limit: u64,
    is_closed: bool,
}

struct Waiting<T> {
    priority: i32,
    value: T,
    stop: Stop,
    /// Has takers look when it is cancelled.
    _wake: OnCancel,
}

impl<T> State<T> {
    /// The place of the next one for a taker who can do with those that `fits` says, and with what is over.
    fn next(&self, fits: impl Fn(&T) -> bool) -> Option<usize> {
        let is_over = |waiting: &Waiting<T>| waiting.stop.check().is_err();
        self.waiting.iter().position(is_over).or_else(|| {
            let all = self.waiting.iter().enumerate();
            let fitting = all.filter(|(_, waiting)| fits(&waiting.value));
            // Of equal ones the last, so from the last to the first.
            let best = fitting.rev().max_by_key(|(_, waiting)| waiting.priority);
            best.map(|(place, _)| place)
        })
    }

    /// When the next one is late.
    fn deadline(&self) -> Option<Instant> {
        self.waiting.iter().filter_map(|waiting| waiting.stop.deadline()).min()
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

    /// Puts something in, which somebody takes as long as the queue is not closed: whoever comes next, once `stop`
    /// says so.
    pub fn put(&self, priority: i32, stop: &Stop, value: T) {
        let queue = self.0.clone();
        let wake = stop.on_cancel(move || queue.change(|_| ()));
        let waiting = Waiting { priority, value, stop: stop.clone(), _wake: wake };
        self.0.change(|state| state.waiting.push_back(waiting));
    }

    /// Waits for something that `fits`, or that is cancelled or late, and takes it. None if the queue is closed.
    pub fn take(&self, fits: impl Fn(&T) -> bool) -> Option<T> {
        loop {
            let (taken, is_closed, deadline) = self.0.change(|state| {
                let taken = state.next(&fits).and_then(|place| state.waiting.remove(place));
                (taken, state.is_closed, state.deadline())
            });
            if taken.is_some() || is_closed {
                return taken.map(|waiting| waiting.value);
            }
            let late = deadline.map_or_else(Stop::new, Stop::with_deadline);
            // It is looked at above, whatever ends the wait.
            let _ = Monitor::wait(&self.0, &late, |state| {
                state.next(&fits).is_some() || state.is_closed || state.deadline() != deadline
            });
        }
    }

    /// Bytes that are free.
    #[cfg(test)]
    pub fn free(&self) -> u64 {
        self.0.look(|state| state.free)
    }

    /// Ends the queue, and gives what is in it.
    pub fn close(&self) -> Vec<T> {
        let left = self.0.change(|state| {
            state.is_closed = true;
            std::mem::take(&mut state.waiting)
        });
        left.into_iter().map(|waiting| waiting.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn by_priority_then_by_age() {
        let queue = Queue::new(0);
        for (priority, value) in [(0, 'c'), (1, 'a'), (0, 'd'), (-1, 'e'), (1, 'b')] {
            queue.put(priority, &Stop::new(), value);
        }
        let taken: String = (0..5).map(|_| queue.take(|_| true).unwrap()).collect();
        assert_eq!(taken, "abcde");
    }

    #[test]
    fn what_fits() {
        let queue = Queue::new(0);
        for (priority, value) in [(0, 1), (2, 2), (1, 3), (1, 5)] {
            queue.put(priority, &Stop::new(), value);
        }
        let odd = |value: &i32| value % 2 == 1;
        assert_eq!([odd, odd].map(|fits| queue.take(fits)), [Some(3), Some(5)]);
        assert_eq!([(); 2].map(|()| queue.take(|_| true)), [Some(2), Some(1)]);
    }

    #[test]
    fn what_is_over_comes_first() {
        let queue = Queue::new(0);
        let (cancelled, late) = (Stop::new(), Stop::with_deadline(Instant::now()));
        for (priority, stop, value) in
            [(3, &Stop::new(), 1), (0, &cancelled, 2), (-1, &late, 3), (4, &Stop::new(), 4)]
        {
            queue.put(priority, stop, value);
        }
        cancelled.cancel();
        // For whoever comes.
        let taker = queue.clone();
        assert_eq!(in_time(move || [(); 2].map(|()| taker.take(|_| false))), [Some(2), Some(3)]);
        assert_eq!([(); 2].map(|()| queue.take(|_| true)), [Some(4), Some(1)]);
    }

    /// What is done in time.
    fn in_time<R: Send + 'static>(run: impl FnOnce() -> R + Send + 'static) -> R {
        let (done, result) = mpsc::channel();
        thread::spawn(move || done.send(run()));
        result.recv_timeout(Duration::from_secs(10)).expect("it never ends")
    }

    /// What a taker takes whom nothing fits, of a queue that is changed after it has looked.
    fn idle_taker(queue: &Queue<u8>, change: impl FnOnce()) -> Option<u8> {
        let (taker, (looks, looked)) = (queue.clone(), mpsc::channel());
        let (takes, taken) = mpsc::channel();
        thread::spawn(move || {
            let nothing = |_: &u8| {
                // Nobody may listen any more.
                let _ = looks.send(());
                false
            };
            takes.send(taker.take(nothing))
        });
        looked.recv().unwrap();
        change();
        in_time(move || taken.recv().unwrap())
    }

    #[test]
    fn a_cancellation_wakes_takers_whom_nothing_fits() {
        let queue = Queue::new(0);
        let stop = Stop::new();
        queue.put(0, &stop, 1);
        assert_eq!(idle_taker(&queue, || stop.cancel()), Some(1));
    }

    #[test]
    fn a_deadline_wakes_takers_whom_nothing_fits() {
        let queue = Queue::new(0);
        let at = |millis| Stop::with_deadline(Instant::now() + Duration::from_millis(millis));
        queue.put(0, &at(1 << 20), 1);
        // It waits for that one at first.
        assert_eq!(idle_taker(&queue, || queue.put(0, &at(10), 2)), Some(2));
    }

    #[test]
    fn closed() {
        let queue = Queue::new(0);
        queue.put(0, &Stop::new(), 1);
        queue.put(0, &Stop::new(), 2);
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
