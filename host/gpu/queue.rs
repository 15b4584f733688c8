//! A stream of the driver, and what its work uses.

use std::any::Any;
use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex};

use super::context::{Context, lock};
use super::driver::{self, Driver, Handle};
use super::error::{Error, Kind};
use super::event::RawEvent;

/// Things that are kept between two fences: as many searches a piece of work costs, at most.
const FENCE_EVERY: usize = 32;

type Kept = Arc<dyn Any + Send + Sync>;

/// What queued work uses, in the order of the queue.
#[derive(Debug)]
enum Entry {
    Kept(Kept),
    /// When this is done, nobody needs what stands before it.
    Fence(RawEvent),
}

/// A stream of the driver. Dropping it waits for what it holds.
#[derive(Debug)]
pub(super) struct Queue {
    pub context: Arc<Context>,
    pub handle: Handle,
    /// Not somebody else's, and to be destroyed.
    is_ours: bool,
    entries: Mutex<VecDeque<Entry>>,
}

impl Queue {
    pub fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let handle = context.call("creation of a stream", |d| d.create_stream())?;
        Ok(Self { context: context.clone(), handle, is_ours: true, entries: Mutex::default() })
    }

    /// A stream that somebody else has made and destroys, later.
    pub fn borrowed(context: &Arc<Context>, handle: Handle) -> Self {
        Self { context: context.clone(), handle, is_ours: false, entries: Mutex::default() }
    }

    /// Queues work.
    pub fn call<T>(
        &self,
        operation: &str,
        ask: impl FnOnce(&dyn Driver, Handle) -> driver::Result<T>,
    ) -> Result<T, Error> {
        self.context.call(operation, |d| ask(d, self.handle))
    }

    /// Keeps something until the work queued so far is done.
    pub fn keep(&self, kept: Kept) {
        let mut retired = vec![];
        let mut entries = lock(&self.entries);
        let latest = entries.iter().rev().map_while(|entry| match entry {
            Entry::Kept(kept) => Some(Arc::as_ptr(kept).cast::<()>()),
            Entry::Fence(_) => None,
        });
        let (mut count, mut known) = (0, false);
        for pointer in latest {
            count += 1;
            known |= pointer == Arc::as_ptr(&kept).cast();
        }
        if known {
            // What already stands there is not retired before a fence that is still to come.
            drop(entries);
            return;
        }
        entries.push_back(Entry::Kept(kept));
        if count + 1 >= FENCE_EVERY {
            self.fence(&mut entries, &mut retired);
        }
        // Freeing asks the driver, which may take its time: not under the lock.
        drop(entries);
    }

    /// Retires what stands before fences that are done, and sets a new one.
    fn fence(&self, entries: &mut VecDeque<Entry>, retired: &mut Vec<Entry>) {
        let done = |entry: &Entry| matches!(entry, Entry::Fence(e) if e.is_done().unwrap_or(false));
        let fences = entries.iter().enumerate().filter(|(_, e)| matches!(e, Entry::Fence(_)));
        let last = fences.take_while(|(_, entry)| done(entry)).last().map(|(at, _)| at);
        retired.extend(entries.drain(..last.map_or(0, |at| at + 1)));
        // An error here loses the device or means that there is no fence: nothing is freed early.
        if let Ok(event) = RawEvent::new(&self.context, false) {
            let record = |d: &dyn Driver, stream| d.record(event.handle, stream);
            if self.call("record of a fence", record).is_ok() {
                entries.push_back(Entry::Fence(event));
            }
        }
    }

    /// Makes sure that no copy uses the caller's memory any more, after a wait that failed.
    ///
    /// The device may be lost to its user by an error that did not stop it. If the driver does not
    /// know either whether the copy has ended, the process ends: it might come later, to memory that
    /// is somebody else's then.
    pub fn settle(&self) {
        let Err(failure) = self.context.driver().synchronize(self.handle) else { return };
        let error = self.context.error("waiting for a copy", failure);
        // A device with a fault runs nothing any longer.
        if error.kind() != Kind::Fault {
            tracing::error!("{error}; a copy may still be under way");
            std::process::abort();
        }
    }

    /// Waits for all work queued so far.
    pub fn synchronize(&self) -> Result<(), Error> {
        // What comes while this waits may not be done after it.
        let entries = mem::take(&mut *lock(&self.entries));
        let result = self.call("synchronisation of a stream", |d, stream| d.synchronize(stream));
        match &result {
            Ok(()) => self.context.forget(self.handle),
            // A lost device runs nothing any longer.
            Err(error) if error.kind() == Kind::Fault => {}
            Err(_) => {
                let mut newer = lock(&self.entries);
                let entries: VecDeque<_> = entries.into_iter().chain(newer.drain(..)).collect();
                *newer = entries;
            }
        }
        result
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let entries = mem::take(&mut *lock(&self.entries));
        let synchronize = |d: &dyn Driver| d.synchronize(self.handle);
        let idle = entries.is_empty()
            || self.context.release("waiting for a dropped stream", synchronize)
            || matches!(self.context.check(), Err(error) if error.kind() == Kind::Fault);
        if idle {
            drop(entries);
        } else {
            // Nobody knows what still runs: nothing that it may use is freed.
            mem::forget(entries);
        }
        if self.is_ours {
            self.context.release("destruction of a stream", |d| d.destroy_stream(self.handle));
        }
        self.context.forget(self.handle);
    }
}
