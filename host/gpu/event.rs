//! Points in streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::context::Context;
use super::driver::Handle;
use super::error::Error;

/// An event of the driver.
#[derive(Debug)]
pub(super) struct RawEvent {
    pub context: Arc<Context>,
    pub handle: Handle,
    timed: bool,
}

impl RawEvent {
    pub fn new(context: &Arc<Context>, timed: bool) -> Result<Self, Error> {
        let handle = match timed {
            true => context.call("creation of an event", |d| d.create_event(true))?,
            false => context.take_event()?,
        };
        Ok(Self { context: context.clone(), handle, timed })
    }

    pub fn is_done(&self) -> Result<bool, Error> {
        self.context.call("query of an event", |d| d.event_is_done(self.handle))
    }

    pub fn synchronize(&self) -> Result<(), Error> {
        self.context.call("waiting for an event", |d| d.event_synchronize(self.handle))
    }
}

impl Drop for RawEvent {
    fn drop(&mut self) {
        // The driver keeps what work is queued on it.
        match self.timed {
            true => {
                self.context.release("destruction of an event", |d| d.destroy_event(self.handle));
            }
            false => self.context.return_event(self.handle),
        }
    }
}

/// A point in a stream, once it is recorded there ([`Stream::record`](super::Stream::record)), for
/// which the host and other streams can wait, and a time.
#[derive(Debug)]
pub struct Event {
    pub(super) raw: RawEvent,
    pub(super) recorded: AtomicBool,
}

impl Event {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        Ok(Self { raw: RawEvent::new(context, true)?, recorded: AtomicBool::new(false) })
    }

    /// Whether all work before the last record is done. So it is if there is no record.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`](super::Stream::synchronize).
    pub fn is_done(&self) -> Result<bool, Error> {
        self.raw.is_done()
    }

    /// Waits for all work before the last record.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`](super::Stream::synchronize).
    pub fn synchronize(&self) -> Result<(), Error> {
        self.raw.synchronize()
    }

    /// The time between two records by the device's clock, to about a microsecond; of an emulated
    /// device by the host's, which says nothing of a GPU. None if one of them is missing or not
    /// done, or if `earlier` was later.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`](super::Stream::synchronize), and events of two devices.
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Option<Duration>, Error> {
        const WHAT: &str = "time between events";
        if !Arc::ptr_eq(&self.raw.context, &earlier.raw.context) {
            return Err(Error::argument(WHAT, "they are of two devices"));
        }
        let recorded = |event: &Event| event.recorded.load(Ordering::Acquire);
        if !recorded(self) || !recorded(earlier) {
            return Ok(None);
        }
        self.raw.context.call(WHAT, |d| d.elapsed(earlier.raw.handle, self.raw.handle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{Device, emulator};

    #[test]
    fn events_without_a_time_are_used_again() {
        let Device(context) = Device::emulated(emulator::Config::default());
        let event = |timed| RawEvent::new(&context, timed).unwrap();
        let (first, second, timed) = (event(false), event(false), event(true));
        let handles = [first.handle, second.handle];
        assert_ne!(handles[0], handles[1]);
        drop(timed);
        drop((first, second));
        let again = [event(false), event(false)];
        assert!(again.iter().all(|event| handles.contains(&event.handle)));
        assert_ne!(again[0].handle, again[1].handle);
        assert!(!handles.contains(&event(false).handle), "there are no more");
    }
}
