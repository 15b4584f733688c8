//! A driver, the error that lost it, and the kernels that may have caused one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::driver::{self, Driver, Handle};
use super::error::{Error, Failure, Kind};

/// Kernels that are remembered of a stream.
const REMEMBERED: usize = 8;

pub(super) struct Context {
    driver: Box<dyn Driver>,
    /// The first fault of a kernel, or the first error while something was freed.
    lost: OnceLock<Error>,
    /// Of each stream, the latest kernels whose end nobody has waited for.
    launched: Mutex<BTreeMap<Handle, VecDeque<Arc<str>>>>,
    /// Events without a time that nobody has: each copy of pinned memory needs one for a while.
    idle_events: Mutex<Vec<Handle>>,
    /// Bytes of pinned memory that are allocated.
    pub pinned: AtomicUsize,
}

impl Context {
    pub fn new(driver: Box<dyn Driver>) -> Arc<Self> {
        Arc::new(Self {
            driver,
            lost: OnceLock::new(),
            launched: Mutex::default(),
            idle_events: Mutex::default(),
            pinned: AtomicUsize::new(0),
        })
    }

    /// An event without a time, which may have been recorded before: that says nothing any more once it is
    /// recorded again.
    pub fn take_event(&self) -> Result<Handle, Error> {
        self.check()?;
        let idle = lock(&self.idle_events).pop();
        idle.map_or_else(|| self.call("creation of an event", |d| d.create_event(false)), Ok)
    }

    /// Takes it back, whatever still waits for its last record.
    pub fn return_event(&self, event: Handle) {
        lock(&self.idle_events).push(event);
    }

    /// What does not change and cannot fail.
    pub fn driver(&self) -> &dyn Driver {
        &*self.driver
    }

    /// What the driver answered when it was asked for something.
    pub fn error(&self, operation: &str, failure: Failure) -> Error {
        let info = self.driver.info();
        let index = info.bus.is_some().then_some(info.index);
        Error::new(operation, failure).of_device(index)
    }

    /// Asks the driver for something, unless the device is lost.
    pub fn call<T>(
        &self,
        operation: &str,
        ask: impl FnOnce(&dyn Driver) -> driver::Result<T>,
    ) -> Result<T, Error> {
        self.check()?;
        ask(&*self.driver).map_err(|failure| {
            let error = self.error(operation, failure);
            if error.kind() != Kind::Fault {
                return error;
            }
            self.lose(error.suspects(|| self.suspects()))
        })
    }

    /// Gives something back, even if the device is lost; its later calls tell of an error.
    pub fn release(
        &self,
        operation: &str,
        ask: impl FnOnce(&dyn Driver) -> driver::Result<()>,
    ) -> bool {
        let result = ask(&*self.driver);
        let done = result.is_ok();
        if let Err(failure) = result {
            self.lose(self.error(operation, failure).suspects(|| self.suspects()));
        }
        done
    }

    /// The error that lost the device.
    pub fn check(&self) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The first error stays, and is the one to answer with.
    fn lose(&self, error: Error) -> Error {
        self.lost.get_or_init(|| error).clone()
    }

    pub fn remember(&self, stream: Handle, kernel: &Arc<str>) {
        let mut launched = lock(&self.launched);
        let kernels = launched.entry(stream).or_default();
        if kernels.back() == Some(kernel) {
            return;
        }
        if kernels.len() == REMEMBERED {
            kernels.pop_front();
        }
        kernels.push_back(kernel.clone());
    }

    pub fn forget(&self, stream: Handle) {
        lock(&self.launched).remove(&stream);
    }

    fn suspects(&self) -> Vec<Arc<str>> {
        let launched = lock(&self.launched);
        let mut names: Vec<_> = launched.values().flatten().cloned().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *lock(&self.idle_events));
        for event in idle {
            self.release("destruction of an event", |d| d.destroy_event(event));
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.driver.fmt(f)
    }
}

/// A lock under which nothing is left half done by a panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
