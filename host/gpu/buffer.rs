//! Device memory.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref, RangeBounds};
use std::sync::Arc;

use super::context::Context;
use super::device::Device;
use super::error::{Error, Failure, Kind};
use super::plain::Plain;

/// One allocation; freed when its buffer, all slices and all work that uses them are gone, unless it
/// is somebody else's.
#[derive(Debug)]
pub(super) struct Allocation {
    context: Arc<Context>,
    /// 0 if it has no bytes.
    address: u64,
    is_ours: bool,
}

impl Allocation {
    fn new(context: &Arc<Context>, bytes: u64) -> Result<Self, Error> {
        let address = match bytes {
            0 => 0,
            _ => context.call(&format!("allocation of {bytes} bytes"), |d| d.alloc(bytes))?,
        };
        Ok(Self { context: context.clone(), address, is_ours: address != 0 })
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.is_ours {
            self.context.release("freeing device memory", |d| d.free(self.address));
        }
    }
}

/// Values in device memory, or room for them. Clones are handles to the same values, and keep the
/// whole allocation alive.
pub struct DeviceSlice<T> {
    allocation: Arc<Allocation>,
    /// In bytes.
    offset: u64,
    len: usize,
    values: PhantomData<fn() -> T>,
}

/// An allocation of device memory ([`Device::alloc`](super::Device::alloc)): the slice of all of
/// it.
#[derive(Debug)]
pub struct DeviceBuffer<T>(DeviceSlice<T>);

impl<T: Plain> DeviceBuffer<T> {
    pub(super) fn new(context: &Arc<Context>, len: usize) -> Result<Self, Error> {
        const { assert!(align_of::<T>() <= 8, "what `Plain` asks for") };
        let bytes = (len as u64).checked_mul(size_of::<T>() as u64).ok_or_else(|| {
            let values = format!("{len} values of {} bytes", size_of::<T>());
            let failure = Failure::new(Kind::OutOfMemory, "more than there can be");
            Error::new(format!("allocation of {values}"), failure)
        })?;
        let allocation = Arc::new(Allocation::new(context, bytes)?);
        Ok(Self(DeviceSlice { allocation, offset: 0, len, values: PhantomData }))
    }
}

impl<T> Deref for DeviceBuffer<T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.0
    }
}

impl<T: Plain> DeviceSlice<T> {
    /// So many values from this address on, in memory that somebody else has allocated and frees.
    ///
    /// On a CUDA device the memory is any that its primary context can use: what the CUDA runtime or
    /// another library has allocated there, by itself or from a pool. On an emulated device it is
    /// that of an allocation which this device has made.
    ///
    /// Kernels of this crate ask for a multiple of 16.
    ///
    /// # Safety
    ///
    /// The values are inside the memory, at a multiple of their alignment. The memory stays until
    /// all work is done that was queued with this slice, its clones and its parts; they do not keep
    /// it. Whoever else uses it orders that work by the stream or by events: without that the values
    /// are anybody's guess.
    #[must_use]
    pub unsafe fn from_raw_parts(device: &Device, address: u64, len: usize) -> Self {
        const { assert!(align_of::<T>() <= 8, "what `Plain` asks for") };
        let allocation = Allocation { context: device.0.clone(), address, is_ours: false };
        Self { allocation: Arc::new(allocation), offset: 0, len, values: PhantomData }
    }

    /// Values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device address of the first value; 0 in an empty buffer. On a CUDA device it is the
    /// `CUdeviceptr`, which other libraries may use while this slice or a clone is there.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.allocation.address + self.offset
    }

    /// Some of the values.
    ///
    /// # Panics
    ///
    /// If the range is not inside, as for slices of host memory.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        let Some((start, len)) = resolve(&range, self.len) else {
            panic!("{} of a slice of {} values", describe(&range), self.len)
        };
        let offset = self.offset + (start * size_of::<T>()) as u64;
        Self { offset, len, ..self.clone() }
    }

    /// The same bytes as values of another type. None if they are no whole number of them, or not
    /// aligned to them.
    #[must_use]
    pub fn cast<U: Plain>(&self) -> Option<DeviceSlice<U>> {
        const { assert!(align_of::<U>() <= 8, "what `Plain` asks for") };
        let bytes = self.len * size_of::<T>();
        let fits = size_of::<U>() != 0
            && bytes.is_multiple_of(size_of::<U>())
            && self.address().is_multiple_of(align_of::<U>() as u64);
        fits.then(|| DeviceSlice {
            allocation: self.allocation.clone(),
            offset: self.offset,
            len: bytes / size_of::<U>(),
            values: PhantomData,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }

    pub(super) fn allocation(&self) -> &Arc<Allocation> {
        &self.allocation
    }

    pub(super) fn keep(&self) -> Arc<dyn Any + Send + Sync> {
        self.allocation.clone()
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let end = |slice: &Self| slice.address() + slice.bytes();
        self.address() < end(other) && other.address() < end(self)
    }
}

impl<T> Clone for DeviceSlice<T> {
    fn clone(&self) -> Self {
        Self { allocation: self.allocation.clone(), ..*self }
    }
}

impl<T> fmt::Debug for DeviceSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = format_args!("{:#x}", self.allocation.address + self.offset);
        let mut debug = f.debug_struct("DeviceSlice");
        debug.field("address", &address).field("len", &self.len).finish_non_exhaustive()
    }
}

/// Start and length of a range in `0..len`, if it is inside.
pub(super) fn resolve(range: &impl RangeBounds<usize>, len: usize) -> Option<(usize, usize)> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.checked_add(1)?,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1)?,
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    (start <= end && end <= len).then(|| (start, end - start))
}

pub(super) fn describe(range: &impl RangeBounds<usize>) -> String {
    format!("the range {:?} to {:?}", range.start_bound(), range.end_bound())
}
