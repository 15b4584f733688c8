//! Streams and events.
//!
//! Nothing runs when it is enqueued, or so one must think: the seed decides when queued work runs,
//! and in which order where streams and events leave it open. A synchronisation runs what it
//! needs. So a program that lacks an event wait goes wrong for some seed.

use crate::config::Call;
use crate::device::{Device, DevicePtr, lock};
use crate::error::Error;
use crate::launch::{self, Arg, LaunchConfig};
use crate::module::Kernel;
use crate::pinned::{Claim, PinnedBuffer};
use crate::queue::Work;
use std::time::Duration;

/// A queue of work that runs in order. Streams are independent of each other but for events.
#[derive(Debug)]
pub struct Stream {
    device: Device,
    id: u64,
}

/// A point in a stream that others can wait for.
#[derive(Debug)]
pub struct Event {
    device: Device,
    id: u64,
}

impl Device {
    /// A new stream.
    #[must_use]
    pub fn stream(&self) -> Stream {
        let id = lock(&self.0.queues).add_stream();
        Stream { device: self.clone(), id }
    }

    /// A new event, not recorded.
    #[must_use]
    pub fn event(&self) -> Event {
        let id = lock(&self.0.queues).new_id();
        Event { device: self.clone(), id }
    }

    /// Waits for all queued work.
    ///
    /// # Errors
    ///
    /// The first error of queued work, which stays until [`Device::clear_error`], and injected failures.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.count(Call::Synchronize)?;
        lock(&self.0.queues).drive(self, |q| q.all_idle())
    }

    /// Takes the error of queued work away, so that the device can be used again. On hardware this
    /// needs a new context.
    pub fn clear_error(&self) -> Option<Error> {
        lock(&self.0.queues).take_error()
    }
}

impl Stream {
    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn push(&self, work: Work) -> Result<(), Error> {
        lock(&self.device.0.queues).push(&self.device, self.id, work)
    }

    /// Queues a copy from pageable memory. The bytes are taken now.
    ///
    /// # Errors
    ///
    /// Injected failures, and an earlier error of queued work. A bad address shows when the copy
    /// runs. This holds for all that follow.
    pub fn copy_to_device(&self, to: DevicePtr, from: &[u8]) -> Result<(), Error> {
        self.device.count(Call::Copy)?;
        self.push(Work::Write { to, bytes: from.to_vec() })
    }

    /// Queues a copy from pinned memory. The bytes are taken when it runs.
    ///
    /// # Errors
    ///
    /// A range outside the buffer; otherwise as [`Stream::copy_to_device`].
    pub fn copy_from_pinned(
        &self,
        to: DevicePtr,
        from: &PinnedBuffer,
        offset: u64,
        bytes: u64,
    ) -> Result<(), Error> {
        self.device.count(Call::Copy)?;
        let from = Claim::new(from, offset, bytes, false)?;
        self.push(Work::WritePinned { to, from })
    }

    /// Copies to pageable memory. This waits for the stream, as the driver does.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`], and a bad address.
    pub fn copy_to_host(&self, to: &mut [u8], from: DevicePtr) -> Result<(), Error> {
        self.device.count(Call::Copy)?;
        self.drain()?;
        self.device.read(to, from)
    }

    /// Queues a copy to pinned memory. The bytes are there when it has run.
    ///
    /// # Errors
    ///
    /// As [`Stream::copy_from_pinned`].
    pub fn copy_to_pinned(
        &self,
        to: &PinnedBuffer,
        offset: u64,
        from: DevicePtr,
        bytes: u64,
    ) -> Result<(), Error> {
        self.device.count(Call::Copy)?;
        let to = Claim::new(to, offset, bytes, true)?;
        self.push(Work::ReadPinned { to, from })
    }

    /// Queues a copy within the device.
    ///
    /// # Errors
    ///
    /// As [`Stream::copy_to_device`].
    pub fn copy_on_device(&self, to: DevicePtr, from: DevicePtr, bytes: u64) -> Result<(), Error> {
        self.device.count(Call::Copy)?;
        self.push(Work::Copy { to, from, bytes })
    }

    /// Queues setting bytes.
    ///
    /// # Errors
    ///
    /// As [`Stream::copy_to_device`].
    pub fn fill(&self, to: DevicePtr, value: u8, bytes: u64) -> Result<(), Error> {
        self.device.count(Call::Copy)?;
        self.push(Work::Fill { to, value, bytes })
    }

    /// Queues a launch.
    ///
    /// # Errors
    ///
    /// [`Error::BadLaunch`] now; what the kernel does wrong, when it has run.
    pub fn launch(&self, kernel: &Kernel, config: LaunchConfig, args: &[Arg]) -> Result<(), Error> {
        self.device.count(Call::Launch)?;
        let prepared = launch::prepare(&self.device, kernel, &config, args)?;
        self.push(Work::Launch(Box::new(prepared)))
    }

    /// Queues freeing an allocation.
    ///
    /// # Errors
    ///
    /// As [`Stream::copy_to_device`].
    pub fn free(&self, p: DevicePtr) -> Result<(), Error> {
        self.device.count(Call::Free)?;
        self.push(Work::Free(p))
    }

    /// Queues the event: it is done when all work before it is.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`], injected failures, and an earlier error of queued work.
    pub fn record(&self, event: &Event) -> Result<(), Error> {
        self.same_device(event)?;
        self.device.count(Call::Record)?;
        lock(&self.device.0.queues).record(&self.device, self.id, event.id)
    }

    /// Lets work queued after this wait for the last record of the event queued before this. An
    /// event that was never recorded is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::record`].
    pub fn wait(&self, event: &Event) -> Result<(), Error> {
        self.same_device(event)?;
        self.device.count(Call::Record)?;
        lock(&self.device.0.queues).wait(&self.device, self.id, event.id)
    }

    fn same_device(&self, event: &Event) -> Result<(), Error> {
        if std::sync::Arc::ptr_eq(&self.device.0, &event.device.0) {
            return Ok(());
        }
        Err(Error::OtherDevice { what: "event" })
    }

    /// Waits for all work of the stream.
    ///
    /// # Errors
    ///
    /// The first error of queued work, of any stream, and injected failures.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.device.count(Call::Wait)?;
        self.drain()
    }

    fn drain(&self) -> Result<(), Error> {
        lock(&self.device.0.queues).drive(&self.device, |q| q.stream_is_idle(self.id))
    }

    /// Whether all work of the stream has run.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn is_idle(&self) -> Result<bool, Error> {
        self.device.count(Call::Query)?;
        let mut q = lock(&self.device.0.queues);
        q.drift(&self.device)?;
        Ok(q.stream_is_idle(self.id))
    }
}

impl Event {
    /// Waits for the last record.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn synchronize(&self) -> Result<(), Error> {
        self.device.count(Call::Wait)?;
        lock(&self.device.0.queues).drive(&self.device, |q| q.event_is_done(self.id))
    }

    /// The time between two records that are done: the host's, since the emulator has no other.
    /// None if one of them is not done, or if `earlier` was later.
    ///
    /// # Errors
    ///
    /// Injected failures.
    pub fn elapsed_since(&self, earlier: &Event) -> Result<Option<Duration>, Error> {
        self.device.count(Call::Query)?;
        let time = |event: &Event| lock(&event.device.0.queues).event_time(event.id);
        let (start, end) = (time(earlier), time(self));
        Ok(start.zip(end).and_then(|(start, end)| end.checked_duration_since(start)))
    }

    /// Whether the last record is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn is_done(&self) -> Result<bool, Error> {
        self.device.count(Call::Query)?;
        let mut q = lock(&self.device.0.queues);
        q.drift(&self.device)?;
        Ok(q.event_is_done(self.id))
    }
}
