//! A value that threads wait for until they are told to stop.

use std::sync::PoisonError;
use std::time::Instant;

use super::stop::{Stop, Stopped};
use super::sync::{Arc, Condvar, Mutex, MutexGuard};

/// A value under a mutex, and those who wait for a change of it. Every change wakes them all: they are
/// as few as a device's workers, and who of them may go on is for the value to say.
#[derive(Debug)]
pub(super) struct Monitor<T> {
    value: Mutex<T>,
    changed: Condvar,
}

/// Takes a lock, a poisoned one as well. A panic under one leaves nothing half done here: what is
/// changed under a lock is changed by code that does not panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Send + 'static> Monitor<T> {
    pub fn new(value: T) -> Arc<Self> {
        Arc::new(Self { value: Mutex::new(value), changed: Condvar::new() })
    }

    /// What `look` sees in the value.
    pub fn look<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&lock(&self.value))
    }

    /// Changes the value.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut lock(&self.value));
        self.changed.notify_all();
        result
    }

    /// Waits until `enter`, which is asked after every change, makes its own change and says so.
    ///
    /// # Errors
    ///
    /// `stop`'s, before `enter` is asked.
    pub fn wait(
        monitor: &Arc<Self>,
        stop: &Stop,
        mut enter: impl FnMut(&mut T) -> bool,
    ) -> Result<(), Stopped> {
        let mut woken_by = None;
        let mut value = lock(&monitor.value);
        loop {
            stop.check()?;
            if enter(&mut value) {
                drop(value);
                monitor.changed.notify_all();
                return Ok(());
            }
            if woken_by.is_none() {
                let monitor = monitor.clone();
                // Takes the lock, so that it does not come between the check and the wait.
                woken_by = Some(stop.on_cancel(move || monitor.change(|_| ())));
                // A cancellation before this knew nobody to wake.
                continue;
            }
            value = match stop.deadline() {
                None => monitor.changed.wait(value).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let time = deadline.saturating_duration_since(Instant::now());
                    let woken = monitor.changed.wait_timeout(value, time);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}
