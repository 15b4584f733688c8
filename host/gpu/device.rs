//! Devices.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::buffer::DeviceBuffer;
use super::context::Context;
use super::emulated::Emulated;
use super::error::Error;
use super::event::Event;
use super::pinned::PinnedBuffer;
use super::plain::Plain;
use super::stream::Stream;

/// What is known of a device before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Its place in [`Device::list`]; 0 for an emulated one.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Major and minor; of an emulated one that of the oldest GPU with what it emulates.
    pub compute_capability: (u32, u32),
    /// Multiprocessors; of an emulated one 1.
    pub multiprocessors: u32,
    /// Shared memory that a block may have, in bytes.
    pub shared_bytes: u32,
    /// PCI domain, bus and device, such as `0000:3b:00.0`; none for an emulated one.
    pub bus: Option<String>,
    /// The newest CUDA version that the driver knows, major and minor; none for an emulated one.
    pub driver: Option<(u32, u32)>,
}

/// Bytes of a device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Not allocated by anybody.
    pub free: u64,
    /// All.
    pub total: u64,
}

impl Memory {
    pub(super) fn new(free: u64, total: u64) -> Self {
        Self { free, total }
    }
}

/// A device that is in use. Clones are handles to the same context, which lives until the last of
/// them, and of all that was made with them, is gone.
#[derive(Clone, Debug)]
pub struct Device(pub(super) Arc<Context>);

impl Device {
    /// A device emulated on the CPU. Every call makes one of its own.
    #[must_use]
    pub fn emulated(config: ptx_emulator::Config) -> Self {
        Self(Context::new(Box::new(Emulated::new(config))))
    }

    /// The CUDA device of this index, by the driver's numbers, which `CUDA_VISIBLE_DEVICES` may
    /// change.
    ///
    /// It shares the device's primary context with the CUDA runtime and with whatever else uses it,
    /// and so memory and streams ([`DeviceSlice::from_raw_parts`](super::DeviceSlice::from_raw_parts),
    /// [`Stream::from_raw`]). Each call makes that context the calling thread's and leaves it so. Nobody
    /// may reset it meanwhile (`cudaDeviceReset`).
    ///
    /// # Errors
    ///
    /// [`Kind::Unavailable`](super::Kind::Unavailable) without the feature `cuda`, a driver, or
    /// such a device; [`Kind::Fault`](super::Kind::Fault) after a kernel of this process was at
    /// fault.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "there are none"))]
    pub fn cuda(index: u32) -> Result<Self, Error> {
        #[cfg(feature = "cuda")]
        {
            let driver = super::cuda::open(index);
            let driver = driver.map_err(|e| Error::new("opening", e).of_device(Some(index)))?;
            Ok(Self(Context::new(Box::new(driver))))
        }
        #[cfg(not(feature = "cuda"))]
        Err(Error::not_built())
    }

    /// The CUDA devices that there are.
    ///
    /// # Errors
    ///
    /// [`Kind::Unavailable`](super::Kind::Unavailable) without the feature `cuda`, a driver, or any
    /// device.
    pub fn list() -> Result<Vec<Info>, Error> {
        #[cfg(feature = "cuda")]
        return super::cuda::list().map_err(|e| Error::new("CUDA devices", e));
        #[cfg(not(feature = "cuda"))]
        Err(Error::not_built())
    }

    /// Whether both are handles to the same context.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What is known of it.
    #[must_use]
    pub fn info(&self) -> &Info {
        self.0.driver().info()
    }

    /// The emulated device behind it, to make its calls fail or to look at its configuration.
    #[must_use]
    pub fn as_emulated(&self) -> Option<&ptx_emulator::Device> {
        self.0.driver().emulated()
    }

    /// How much memory is free at the moment.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn memory(&self) -> Result<Memory, Error> {
        self.0.call("memory of the device", |d| d.memory())
    }

    /// Bytes of page-locked memory that this handle and its clones have allocated and that are not freed.
    #[must_use]
    pub fn pinned_bytes(&self) -> usize {
        self.0.pinned.load(Ordering::Relaxed)
    }

    /// Whether the device is lost: the first fault of a kernel that a call has met, or the first
    /// error while something was freed. Every call of the device answers with it.
    ///
    /// # Errors
    ///
    /// That error.
    pub fn check(&self) -> Result<(), Error> {
        self.0.check()
    }

    /// Waits for all work of all streams. Streams let go of what that work used at their own
    /// [`Stream::synchronize`] only.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn synchronize(&self) -> Result<(), Error> {
        self.0.call("synchronisation of the device", |d| d.synchronize_device())
    }

    /// Allocates memory for so many values, aligned to 256 bytes, contents undefined.
    ///
    /// The driver may stop all streams for it, and does so when memory is freed: allocate before
    /// the work begins, and use slices.
    ///
    /// # Errors
    ///
    /// [`Kind::OutOfMemory`](super::Kind::OutOfMemory).
    pub fn alloc<T: Plain>(&self, len: usize) -> Result<DeviceBuffer<T>, Error> {
        DeviceBuffer::new(&self.0, len)
    }

    /// Allocates page-locked host memory for so many values, all bytes zero, for copies to and from
    /// this device. Slow: make it once and use it often.
    ///
    /// # Errors
    ///
    /// [`Kind::OutOfMemory`](super::Kind::OutOfMemory).
    pub fn alloc_pinned<T: Plain>(&self, len: usize) -> Result<PinnedBuffer<T>, Error> {
        PinnedBuffer::new(&self.0, len)
    }

    /// A new stream. It waits for no other, the null stream included.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn stream(&self) -> Result<Stream, Error> {
        Stream::new(&self.0)
    }

    /// A new event, not recorded.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn event(&self) -> Result<Event, Error> {
        Event::new(&self.0)
    }
}
