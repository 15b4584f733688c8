//! Copies of pinned memory that may not be done.

use std::sync::Arc;

use super::error::Error;
use super::event::RawEvent;
use super::queue::Queue;

/// A buffer that a copy uses, to be had again when the copy is done.
///
/// Dropping it gives the buffer up without waiting, while the stream is there: it is freed when the
/// copy is done.
///
/// ```
/// # use warpfield::gpu::{Device, emulator};
/// # fn main() -> Result<(), warpfield::gpu::Error> {
/// # let device = Device::emulated(emulator::Config::default());
/// # let stream = device.stream()?;
/// # let data = device.alloc::<u32>(100)?;
/// let mut buffer = device.alloc_pinned::<u32>(100)?;
/// buffer.fill(1);
/// let pending = stream.upload_pinned(&data, buffer, ..)?;
/// // The host does something else.
/// let mut buffer = pending.wait()?;
/// buffer.fill(2);
/// # Ok(())
/// # }
/// ```
///
/// While a copy uses it there is no buffer to write to:
///
/// ```compile_fail,E0382
/// # use warpfield::gpu::{Device, emulator};
/// # fn main() -> Result<(), warpfield::gpu::Error> {
/// # let device = Device::emulated(emulator::Config::default());
/// # let stream = device.stream()?;
/// # let data = device.alloc::<u32>(100)?;
/// let mut buffer = device.alloc_pinned::<u32>(100)?;
/// let pending = stream.upload_pinned(&data, buffer, ..)?;
/// buffer.fill(2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the buffer is given up"]
pub struct Pending<B: Send + Sync + 'static> {
    /// None once it was handed out.
    buffer: Option<B>,
    done: RawEvent,
    queue: Arc<Queue>,
}

impl<B: Send + Sync + 'static> Pending<B> {
    /// `done` is recorded, or will be, after the copy.
    pub(super) fn new(buffer: B, done: RawEvent, queue: &Arc<Queue>) -> Self {
        Self { buffer: Some(buffer), done, queue: queue.clone() }
    }

    pub(super) fn event(&self) -> &RawEvent {
        &self.done
    }

    /// Whether the copy is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`](super::Stream::synchronize).
    pub fn is_done(&self) -> Result<bool, Error> {
        self.done.is_done()
    }

    /// Waits for the copy and gives the buffer back.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`](super::Stream::synchronize); the buffer is given up then.
    pub fn wait(mut self) -> Result<B, Error> {
        self.done.synchronize()?;
        Ok(self.buffer.take().expect("handed out only here"))
    }
}

impl<B: Send + Sync + 'static> Drop for Pending<B> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.queue.keep(Arc::new(buffer));
        }
    }
}
