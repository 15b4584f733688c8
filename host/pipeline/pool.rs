//! Pinned memory that is lent: allocated once, and given to one partition after the other.
//!
//! Pinning memory takes as long as filling it several times over, and stops the device's other work meanwhile. A
//! [`Pool`] does it once, in chunks, and touches every page. What is lent is cut from the chunks: of the pieces that
//! are large enough from the smallest, so that large ones stay whole. A piece that comes back becomes one with its
//! free neighbours, so that a pool of which nothing is lent is as it was at first.
//!
//! ```
//! use blstrs::Scalar;
//! use warpfield::gpu::{Device, emulator};
//! use warpfield::pipeline::pool::Pool;
//! use warpfield::pipeline::stop::Stop;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::emulated(emulator::Config::default());
//! let pool = Pool::new(&device, 1 << 16, 2)?;
//! let [mut a, b] = pool.checkout_all::<Scalar, 2>([1000, 500], &Stop::new())?;
//! a.fill(Scalar::from(7));
//!
//! let (stream, memory) = (device.stream()?, device.alloc(1000)?);
//! // The copy has the buffer until it is done.
//! let pending = stream.upload_pinned(&memory, a, ..)?;
//! drop(b);
//! pending.wait()?.checkin();
//! assert_eq!(pool.free_bytes(), 2 << 16);
//! # Ok(())
//! # }
//! ```

mod pieces;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use rayon::prelude::*;
use zeroize::Zeroize as _;

use super::monitor::Monitor;
use super::stop::{Stop, Stopped};
use crate::gpu::{self, Device, PinnedBuffer, PinnedSource, Plain, sealed};
pub(super) use pieces::ALIGNMENT;
use pieces::Pieces;

/// Bytes that a thread zeroes at a time.
const TASK: usize = 1 << 20;

/// Why there is no memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device's.
    #[error(transparent)]
    Device(#[from] gpu::Error),
    /// Not all of the pool would be enough.
    #[error(
        "{bytes} bytes in buffers of up to {largest} do not fit {chunks} chunks of {chunk_bytes} bytes of pinned \
         memory; make the pool larger"
    )]
    TooLarge {
        /// Bytes of all buffers.
        bytes: usize,
        /// Bytes of the largest.
        largest: usize,
        /// Bytes of each chunk.
        chunk_bytes: usize,
        /// Chunks.
        chunks: usize,
    },
    /// It was told to stop before there was any.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Pinned memory for copies to and from a device. Clones lend from the same memory, which is freed when they
/// and all that is lent are gone.
#[derive(Clone)]
pub struct Pool {
    chunk_bytes: usize,
    chunks: usize,
    state: Arc<Monitor<State>>,
}

struct State {
    free: Pieces,
    /// Who waits, first come first served: many small buffers must not keep a large one from its turn.
    line: VecDeque<u64>,
    next_ticket: u64,
}

impl Pool {
    /// Allocates so many chunks, on the current rayon pool. A buffer is no larger than a chunk.
    ///
    /// # Errors
    ///
    /// [`gpu::Kind::OutOfMemory`].
    pub fn new(device: &Device, chunk_bytes: usize, chunks: usize) -> Result<Self, Error> {
        let chunk_bytes = chunk_bytes / ALIGNMENT * ALIGNMENT;
        let free = (0..chunks).into_par_iter().map(|_| device.alloc_pinned(chunk_bytes));
        let free: Vec<PinnedBuffer<u8>> = free.collect::<Result<_, gpu::Error>>()?;
        let free = free.into_iter().collect();
        let state = State { free, line: VecDeque::new(), next_ticket: 0 };
        Ok(Self { chunk_bytes, chunks, state: Monitor::new(state) })
    }

    /// A buffer of so many values, all bytes zero. As [`checkout_all`](Self::checkout_all).
    ///
    /// # Errors
    ///
    /// Those of [`checkout_all`](Self::checkout_all).
    pub fn checkout<T: Plain>(&self, len: usize, stop: &Stop) -> Result<Lent<T>, Error> {
        let [lent] = self.checkout_all([len], stop)?;
        Ok(lent)
    }

    /// Buffers of so many values each, all bytes zero. Waits for all of them at once, so that no two that have a
    /// part each wait for each other, and in the order of the calls.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] at once, and [`Error::Stopped`].
    pub fn checkout_all<T: Plain, const N: usize>(
        &self,
        lens: [usize; N],
        stop: &Stop,
    ) -> Result<[Lent<T>; N], Error> {
        const { assert!(size_of::<T>() != 0, "values take memory") };
        let bytes = lens.map(|len| len.saturating_mul(size_of::<T>()));
        if !pieces::fit(vec![self.chunk_bytes; self.chunks], &bytes) {
            return Err(Error::TooLarge {
                bytes: bytes.into_iter().fold(0, usize::saturating_add),
                largest: bytes.into_iter().max().unwrap_or(0),
                chunk_bytes: self.chunk_bytes,
                chunks: self.chunks,
            });
        }
        let ticket = self.state.change(|state| {
            state.next_ticket += 1;
            state.line.push_back(state.next_ticket);
            state.next_ticket
        });
        let mut taken = None;
        let waited = Monitor::wait(&self.state, stop, |state| {
            if state.line.front() == Some(&ticket) {
                taken = state.free.take(&bytes);
            }
            if taken.is_some() {
                state.line.pop_front();
            }
            taken.is_some()
        });
        if let Err(stopped) = waited {
            self.state.change(|state| state.line.retain(|other| *other != ticket));
            return Err(stopped.into());
        }
        let mut taken = taken.into_iter().flatten().zip(lens);
        Ok(lens.map(|_| {
            let (piece, len) = taken.next().expect("a piece for each");
            Lent::new(&self.state, piece, len)
        }))
    }

    /// Bytes that are not lent.
    #[must_use]
    pub fn free_bytes(&self) -> usize {
        self.state.look(|state| state.free.bytes())
    }

    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.chunks * self.chunk_bytes
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Pool");
        debug.field("bytes", &self.bytes()).field("free_bytes", &self.free_bytes()).finish()
    }
}

/// A buffer of a [`Pool`], a slice of just as many values as were asked for.
///
/// Dropping it gives it back: its bytes are zeroed first, on the dropping thread's rayon pool. A copy takes it as
/// it takes a [`PinnedBuffer`]; where the copy is given up ([`gpu::Pending`]), the stream gives it back once it knows
/// that the copy is done.
pub struct Lent<T: Plain> {
    /// The values, and what is behind them in their piece. None once it is given back.
    parts: Option<(PinnedBuffer<T>, PinnedBuffer<u8>)>,
    state: Arc<Monitor<State>>,
}

impl<T: Plain> Lent<T> {
    /// Of the first values of a piece.
    fn new(state: &Arc<Monitor<State>>, piece: PinnedBuffer<u8>, len: usize) -> Self {
        let (values, rest) = piece.split_at(len * size_of::<T>());
        let values = values.cast().expect("pieces are aligned, and these are whole values");
        Self { parts: Some((values, rest)), state: state.clone() }
    }

    /// Gives it back; the same as dropping it.
    pub fn checkin(self) {}

    fn buffer(&self) -> &PinnedBuffer<T> {
        let (values, _) = self.parts.as_ref().expect("given back only at the end");
        values
    }
}

impl<T: Plain> Drop for Lent<T> {
    fn drop(&mut self) {
        let Some((values, rest)) = self.parts.take() else { return };
        let mut values = values.cast::<u8>().expect("whole bytes");
        values.par_chunks_mut(TASK).for_each(|bytes| bytes.zeroize());
        let piece = values.join(rest).expect("they were one");
        self.state.change(|state| state.free.put(piece));
    }
}

impl<T: Plain> Deref for Lent<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.buffer()
    }
}

impl<T: Plain> DerefMut for Lent<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let (values, _) = self.parts.as_mut().expect("given back only at the end");
        values
    }
}

impl<T: Plain> Borrow<PinnedBuffer<T>> for Lent<T> {
    fn borrow(&self) -> &PinnedBuffer<T> {
        self.buffer()
    }
}

impl<T: Plain> sealed::Sealed for Lent<T> {}
impl<T: Plain> PinnedSource<T> for Lent<T> {}

impl<T: Plain> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").field("len", &self.len()).finish_non_exhaustive()
    }
}
