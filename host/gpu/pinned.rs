//! Page-locked host memory.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zeroize::Zeroize;

use super::context::Context;
use super::device::Device;
use super::driver::{Pages, PinnedRange};
use super::error::{Error, Failure, Kind};
use super::plain::{self, Plain};

/// One allocation, freed when all buffers in it are gone.
struct Allocation {
    context: Arc<Context>,
    pages: Pages,
    bytes: usize,
}

// SAFETY: it is touched only by the buffers in it, of which no two have the same bytes.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Drop for Allocation {
    fn drop(&mut self) {
        self.context.release("freeing pinned memory", |d| d.free_pinned(&self.pages));
        self.context.pinned.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Page-locked host memory ([`Device::alloc_pinned`](super::Device::alloc_pinned)), which the
/// device copies from and to while the host does something else.
///
/// It is a slice of values as long as no copy uses it; a copy takes it, and gives it back when it
/// is done ([`Pending::wait`](super::Pending::wait)).
pub struct PinnedBuffer<T> {
    context: Arc<Context>,
    /// None if it has no bytes.
    allocation: Option<Arc<Allocation>>,
    /// Of the allocation's bytes the first that is its own, aligned for a value.
    offset: usize,
    len: usize,
    values: PhantomData<T>,
}

// SAFETY: it owns its memory, which belongs to no thread, as a `Vec<T>` does.
unsafe impl<T: Plain> Send for PinnedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for PinnedBuffer<T> {}

impl<T: Plain> PinnedBuffer<T> {
    pub(super) fn new(context: &Arc<Context>, len: usize) -> Result<Self, Error> {
        const { assert!(align_of::<T>() <= 8, "what `Plain` asks for") };
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or_else(|| {
            let failure = Failure::new(Kind::OutOfMemory, "more than there can be");
            Error::new(format!("pinned memory for {len} values"), failure)
        })?;
        let operation = format!("allocation of {bytes} bytes of pinned memory");
        let allocation = match bytes {
            0 => None,
            _ => {
                let pages = context.call(&operation, |d| d.alloc_pinned(bytes))?;
                context.pinned.fetch_add(bytes, Ordering::Relaxed);
                Some(Arc::new(Allocation { context: context.clone(), pages, bytes }))
            }
        };
        Ok(Self { context: context.clone(), allocation, offset: 0, len, values: PhantomData })
    }

    /// The device that it is for copies to and from.
    #[must_use]
    pub fn device(&self) -> Device {
        Device(self.context.clone())
    }

    /// The first `mid` values and the others, each a buffer of its own. The memory is freed when both
    /// are gone.
    ///
    /// # Panics
    ///
    /// `mid` is above the length.
    #[must_use]
    pub fn split_at(self, mid: usize) -> (Self, Self) {
        assert!(mid <= self.len, "split at {mid} of {} values", self.len);
        let offset = self.offset + mid * size_of::<T>();
        let rest = Self {
            context: self.context.clone(),
            allocation: self.allocation.clone(),
            offset,
            len: self.len - mid,
            values: PhantomData,
        };
        (Self { len: mid, ..self }, rest)
    }

    /// One buffer of two that have been one before: of this one's values, and then the other's.
    ///
    /// # Errors
    ///
    /// Both, if the other does not begin where this one ends.
    pub fn join(self, other: Self) -> Result<Self, (Self, Self)> {
        let is_one = match (&self.allocation, &other.allocation) {
            (Some(own), Some(others)) => Arc::ptr_eq(own, others),
            _ => false,
        };
        match is_one && self.offset + self.len * size_of::<T>() == other.offset {
            true => Ok(Self { len: self.len + other.len, ..self }),
            false => Err((self, other)),
        }
    }

    /// The same bytes as values of another type.
    ///
    /// # Errors
    ///
    /// The buffer, if its bytes are no whole number of them, or not aligned for them.
    pub fn cast<U: Plain>(self) -> Result<PinnedBuffer<U>, Self> {
        const { assert!(align_of::<U>() <= 8, "what `Plain` asks for") };
        let bytes = self.len * size_of::<T>();
        // The allocation itself is aligned for all.
        let fits = size_of::<U>() != 0
            && bytes.is_multiple_of(size_of::<U>())
            && self.offset.is_multiple_of(align_of::<U>());
        if !fits {
            return Err(self);
        }
        let len = bytes / size_of::<U>();
        let Self { context, allocation, offset, .. } = self;
        Ok(PinnedBuffer { context, allocation, offset, len, values: PhantomData })
    }

    fn start(&self) -> NonNull<T> {
        self.allocation.as_ref().map_or(NonNull::dangling(), |allocation| {
            // SAFETY: at most at the end of the allocation.
            unsafe { allocation.pages.start.add(self.offset) }.cast()
        })
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Some of its values, which are inside; None if it has no bytes.
    pub(super) fn range(&self, start: usize, len: usize) -> Option<PinnedRange<'_>> {
        let [start, bytes] = [start, len].map(|values| values * size_of::<T>());
        let allocation = self.allocation.as_ref()?;
        Some(PinnedRange { pages: &allocation.pages, offset: self.offset + start, bytes })
    }
}

impl<T: Plain> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many values, aligned and initialised, which no other buffer has; no copy writes to
        // them, since it would own the buffer.
        unsafe { std::slice::from_raw_parts(self.start().as_ptr(), self.len) }
    }
}

impl<T: Plain> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; and no copy reads them, since it would own the buffer or a share of it.
        unsafe { std::slice::from_raw_parts_mut(self.start().as_ptr(), self.len) }
    }
}

/// Overwrites everything, such as a witness, before the buffer serves somebody else.
impl<T: Plain> Zeroize for PinnedBuffer<T> {
    fn zeroize(&mut self) {
        plain::bytes_mut(self).zeroize();
    }
}

impl<T> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBuffer").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Where a copy to the device may come from: a [`PinnedBuffer`], or an [`Arc`] of one for several
/// copies at a time, which nobody can write until all of them are done; or what a
/// [`Pool`](crate::pipeline::pool::Pool) has lent.
pub trait PinnedSource<T: Plain>:
    Borrow<PinnedBuffer<T>> + sealed::Sealed + Send + Sync + 'static
{
}

impl<T: Plain> PinnedSource<T> for PinnedBuffer<T> {}
impl<T: Plain> PinnedSource<T> for Arc<PinnedBuffer<T>> {}

pub(crate) mod sealed {
    /// Nothing but what owns the buffer, or a share of it that keeps it from being written.
    pub trait Sealed {}

    impl<T> Sealed for super::PinnedBuffer<T> {}
    impl<T> Sealed for std::sync::Arc<super::PinnedBuffer<T>> {}
}
