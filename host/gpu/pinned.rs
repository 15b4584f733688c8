//! Page-locked host memory.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use zeroize::Zeroize;

use super::context::Context;
use super::driver::Pages;
use super::error::{Error, Failure, Kind};
use super::plain::{self, Plain};

/// Page-locked host memory ([`Device::alloc_pinned`](super::Device::alloc_pinned)), which the
/// device copies from and to while the host does something else.
///
/// It is a slice of values as long as no copy uses it; a copy takes it, and gives it back when it
/// is done ([`Pending::wait`](super::Pending::wait)).
pub struct PinnedBuffer<T> {
    context: Arc<Context>,
    /// None if it has no bytes.
    pages: Option<Pages>,
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
        let pages = match bytes {
            0 => None,
            _ => Some(context.call(&operation, |d| d.alloc_pinned(bytes))?),
        };
        Ok(Self { context: context.clone(), pages, len, values: PhantomData })
    }

    fn start(&self) -> NonNull<T> {
        self.pages.as_ref().map_or(NonNull::dangling(), |pages| pages.start.cast())
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// None if it has no bytes.
    pub(super) fn pages(&self) -> Option<&Pages> {
        self.pages.as_ref()
    }
}

impl<T: Plain> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: so many values, aligned to 8 and initialised; no copy writes to them, since it
        // would own the buffer.
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

impl<T> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        if let Some(pages) = &self.pages {
            self.context.release("freeing pinned memory", |d| d.free_pinned(pages));
        }
    }
}

impl<T> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedBuffer").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Where a copy to the device may come from: a [`PinnedBuffer`], or an [`Arc`] of one for several
/// copies at a time, which nobody can write until all of them are done.
pub trait PinnedSource<T: Plain>:
    Borrow<PinnedBuffer<T>> + sealed::Sealed + Send + Sync + 'static
{
}

impl<T: Plain> PinnedSource<T> for PinnedBuffer<T> {}
impl<T: Plain> PinnedSource<T> for Arc<PinnedBuffer<T>> {}

mod sealed {
    /// Nothing but what owns the buffer, or a share of it that keeps it from being written.
    pub trait Sealed {}

    impl<T> Sealed for super::PinnedBuffer<T> {}
    impl<T> Sealed for std::sync::Arc<super::PinnedBuffer<T>> {}
}
