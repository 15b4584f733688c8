//! Streams: queues of work that run beside each other.

use std::ffi::c_void;
use std::ops::RangeBounds;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ptx_emulator::LaunchConfig;

use super::argument::Arguments;
use super::buffer::{DeviceSlice, describe, resolve};
use super::context::Context;
use super::device::Device;
use super::driver::{Driver, Handle, PinnedRange, Result as DriverResult};
use super::error::Error;
use super::event::{Event, RawEvent};
use super::module::Kernel;
use super::pending::Pending;
use super::pinned::{PinnedBuffer, PinnedSource};
use super::plain::{self, Plain};
use super::queue::Queue;

/// A queue of work that runs in order, and beside that of other streams.
///
/// Copies of pageable memory wait for their stream; everything else is queued and runs when it
/// will. Two streams that use the same device memory need an event between them; without one the
/// values are anybody's guess, not the program's soundness. Dropping a stream waits for its work if
/// that uses anything.
#[derive(Debug)]
pub struct Stream {
    queue: Arc<Queue>,
}

impl Stream {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        Ok(Self { queue: Arc::new(Queue::new(context)?) })
    }

    /// A stream that somebody else has made and destroys: a `CUstream` of the device's primary
    /// context, which is the CUDA runtime's `cudaStream_t`, too. On an emulated device it is what
    /// [`as_raw`](Self::as_raw) gives.
    ///
    /// What is queued here comes behind what is queued there so far, and before what follows; nothing is
    /// waited for. Dropping it waits for the stream if the work queued here uses memory or modules
    /// that nobody is known to be done with; [`synchronize`](Self::synchronize) before that, or
    /// keeping the handle as long as the stream, spares it.
    ///
    /// # Safety
    ///
    /// The stream is one of this device, is not being captured, and is not destroyed before this
    /// handle and what was made by it ([`Pending`] copies for instance) are dropped.
    #[must_use]
    pub unsafe fn from_raw(device: &Device, stream: *mut c_void) -> Self {
        let handle = Handle(stream.expose_provenance() as u64);
        Self { queue: Arc::new(Queue::borrowed(&device.0, handle)) }
    }

    /// The driver's stream, for work that others queue: on a CUDA device the `CUstream`. It is there
    /// as long as this handle.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        ptr::with_exposed_provenance_mut(self.queue.handle.0 as usize)
    }

    /// The device that it is of.
    #[must_use]
    pub fn device(&self) -> Device {
        Device(self.queue.context.clone())
    }

    /// Copies values from ordinary memory, and waits for the stream.
    ///
    /// # Errors
    ///
    /// Different lengths, a slice of another device, and as [`Stream::synchronize`].
    pub fn upload<T: Plain>(&self, to: &DeviceSlice<T>, from: &[T]) -> Result<(), Error> {
        const WHAT: &str = "copy to the device";
        self.own(WHAT, "slice", to.allocation().context())?;
        same_length(WHAT, from.len(), to.len())?;
        if to.bytes() == 0 {
            return Ok(());
        }
        let queued = self.queue.call(WHAT, |d, s| d.upload(s, to.address(), plain::bytes(from)));
        self.finish(queued)
    }

    /// Copies values to ordinary memory, and waits for the stream.
    ///
    /// # Errors
    ///
    /// As [`Stream::upload`].
    pub fn download<T: Plain>(&self, from: &DeviceSlice<T>, to: &mut [T]) -> Result<(), Error> {
        const WHAT: &str = "copy to the host";
        self.own(WHAT, "slice", from.allocation().context())?;
        same_length(WHAT, from.len(), to.len())?;
        if from.bytes() == 0 {
            return Ok(());
        }
        let to = plain::bytes_mut(to);
        let queued = self.queue.call(WHAT, |d, s| d.download(s, to, from.address()));
        self.finish(queued)
    }

    /// Waits for a copy of pageable memory, which must not be left with it.
    fn finish(&self, queued: Result<(), Error>) -> Result<(), Error> {
        queued?;
        let waited = self.synchronize();
        if waited.is_err() {
            self.queue.settle();
        }
        waited
    }

    /// Queues a copy of the range of a pinned buffer, which comes back when it is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::upload`], and a range that is not inside the buffer.
    pub fn upload_pinned<T: Plain, B: PinnedSource<T>>(
        &self,
        to: &DeviceSlice<T>,
        from: B,
        range: impl RangeBounds<usize>,
    ) -> Result<Pending<B>, Error> {
        const WHAT: &str = "copy of pinned memory to the device";
        self.pinned(WHAT, to, from, &range, |d, s, from| d.upload_pinned(s, to.address(), from))
    }

    /// Queues a copy to the range of a pinned buffer, which comes back when it is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::upload_pinned`].
    pub fn download_pinned<T: Plain>(
        &self,
        from: &DeviceSlice<T>,
        to: PinnedBuffer<T>,
        range: impl RangeBounds<usize>,
    ) -> Result<Pending<PinnedBuffer<T>>, Error> {
        const WHAT: &str = "copy to pinned memory of the host";
        self.pinned(WHAT, from, to, &range, |d, s, to| d.download_pinned(s, to, from.address()))
    }

    fn pinned<T: Plain, B: PinnedSource<T>>(
        &self,
        what: &str,
        slice: &DeviceSlice<T>,
        buffer: B,
        range: &impl RangeBounds<usize>,
        ask: impl FnOnce(&dyn Driver, Handle, PinnedRange<'_>) -> DriverResult<()>,
    ) -> Result<Pending<B>, Error> {
        let pinned: &PinnedBuffer<T> = buffer.borrow();
        self.own(what, "slice", slice.allocation().context())?;
        self.own(what, "pinned buffer", pinned.context())?;
        let Some((start, len)) = resolve(range, pinned.len()) else {
            let why = format!("{} of a buffer of {} values", describe(range), pinned.len());
            return Err(Error::argument(what, why));
        };
        same_length(what, len, slice.len())?;
        let done = RawEvent::new(&self.queue.context, false)?;
        if let Some(range) = pinned.range(start, len).filter(|range| range.bytes != 0) {
            self.queue.call(what, |d, s| ask(d, s, range))?;
        }
        // From here on an error must not free the buffer: `Pending` sees to it.
        let pending = Pending::new(buffer, done, &self.queue);
        self.queue.keep(slice.keep());
        let event = pending.event().handle;
        self.queue.call("record of a copy", |d, s| d.record(event, s))?;
        Ok(pending)
    }

    /// Queues a copy within the device.
    ///
    /// # Errors
    ///
    /// As [`Stream::upload`], and slices that overlap.
    pub fn copy<T: Plain>(&self, to: &DeviceSlice<T>, from: &DeviceSlice<T>) -> Result<(), Error> {
        const WHAT: &str = "copy on the device";
        self.own(WHAT, "target", to.allocation().context())?;
        self.own(WHAT, "source", from.allocation().context())?;
        same_length(WHAT, from.len(), to.len())?;
        if to.bytes() == 0 {
            return Ok(());
        }
        if to.overlaps(from) {
            return Err(Error::argument(WHAT, "the slices overlap"));
        }
        let (target, source, bytes) = (to.address(), from.address(), to.bytes());
        self.queue.call(WHAT, |d, s| d.copy(s, target, source, bytes))?;
        self.queue.keep(to.keep());
        self.queue.keep(from.keep());
        Ok(())
    }

    /// Queues setting every byte.
    ///
    /// # Errors
    ///
    /// As [`Stream::upload`].
    pub fn fill<T: Plain>(&self, slice: &DeviceSlice<T>, byte: u8) -> Result<(), Error> {
        const WHAT: &str = "filling of device memory";
        self.own(WHAT, "slice", slice.allocation().context())?;
        if slice.bytes() == 0 {
            return Ok(());
        }
        self.queue.call(WHAT, |d, s| d.fill(s, slice.address(), byte, slice.bytes()))?;
        self.queue.keep(slice.keep());
        Ok(())
    }

    /// Queues a kernel. Slices among the arguments are kept until it is done; an address that is
    /// given as a `u64` is the caller's to keep.
    ///
    /// # Errors
    ///
    /// Arguments that are not as many as the kernel's parameters or not of their sizes, slices or a
    /// kernel of another device, and a shape that the device refuses. What the kernel does wrong
    /// shows in a later call.
    ///
    /// # Safety
    ///
    /// With these arguments the kernel reads and writes nothing but device memory that lives until
    /// the kernel is done, which it does for the slices among the arguments. Whether it keeps within
    /// them, and that no other work of the device writes what it uses at the same time, is the
    /// caller's word.
    pub unsafe fn launch(
        &self,
        kernel: &Kernel,
        config: LaunchConfig,
        arguments: impl Arguments,
    ) -> Result<(), Error> {
        let what = format!("launch of `{}`", kernel.name());
        let arguments = arguments.into_list();
        self.own(&what, "kernel", kernel.context())?;
        let allocations = || arguments.iter().filter_map(|argument| argument.allocation());
        for allocation in allocations() {
            self.own(&what, "slice", allocation.context())?;
        }
        kernel.accepts(&what, &config, &arguments)?;
        self.queue.call(&what, |d, s| {
            // SAFETY: the caller vouches for the kernel; the arguments are those of its parameters.
            unsafe { d.launch(s, kernel.handle(), &config, &arguments) }
        })?;
        self.queue.context.remember(self.queue.handle, kernel.shared_name());
        for allocation in allocations() {
            self.queue.keep(allocation.clone());
        }
        self.queue.keep(kernel.module());
        Ok(())
    }

    /// Queues the event: it is done when all work queued so far is.
    ///
    /// # Errors
    ///
    /// An event of another device, and an earlier fault.
    pub fn record(&self, event: &Event) -> Result<(), Error> {
        const WHAT: &str = "record of an event";
        self.own(WHAT, "event", &event.raw.context)?;
        self.queue.call(WHAT, |d, s| d.record(event.raw.handle, s))?;
        event.recorded.store(true, Ordering::Release);
        Ok(())
    }

    /// Lets the work that is queued from now on wait for the event's last record so far. If it has
    /// none there is nothing to wait for.
    ///
    /// # Errors
    ///
    /// As [`Stream::record`].
    pub fn wait(&self, event: &Event) -> Result<(), Error> {
        const WHAT: &str = "wait for an event";
        self.own(WHAT, "event", &event.raw.context)?;
        self.queue.call(WHAT, |d, s| d.wait(s, event.raw.handle))
    }

    /// Waits for all work of the stream, and lets go of what it used.
    ///
    /// # Errors
    ///
    /// The first fault of a kernel of this device, on whatever stream.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.queue.synchronize()
    }

    /// Whether all work of the stream is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn is_idle(&self) -> Result<bool, Error> {
        self.queue.call("query of a stream", |d, s| d.is_idle(s))
    }

    fn own(&self, operation: &str, what: &str, context: &Arc<Context>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.queue.context, context) {
            return Ok(());
        }
        Err(Error::argument(operation, format!("the {what} belongs to another device")))
    }
}

fn same_length(operation: &str, from: usize, to: usize) -> Result<(), Error> {
    if from == to {
        return Ok(());
    }
    Err(Error::argument(operation, format!("{from} values, and room for {to}")))
}
