//! Pinned memory between pageable memory and the device.

use std::collections::VecDeque;

use rayon::prelude::*;

use crate::gpu::{Device, DeviceSlice, Error, Pending, PinnedBuffer, Stream};

/// Pieces that take turns: one is filled while the other is copied.
pub(super) const PIECES: usize = 2;

/// Bytes that a thread copies at a time.
const PART: usize = 1 << 18;

/// Pieces of pinned memory, from the one that was used first.
#[derive(Debug)]
pub(super) struct Staging(VecDeque<Piece>);

#[derive(Debug)]
enum Piece {
    Free(PinnedBuffer<u8>),
    Copied(Pending<PinnedBuffer<u8>>),
}

impl Staging {
    pub fn new(device: &Device, bytes: usize) -> Result<Self, Error> {
        let piece = || Ok(Piece::Free(device.alloc_pinned(bytes)?));
        Ok(Self((0..PIECES).map(|_| piece()).collect::<Result<_, Error>>()?))
    }

    /// Copies to the pieces on the threads of the current rayon pool, and queues the copies from there. The
    /// pieces are given up if it fails.
    pub fn upload(
        &mut self,
        stream: &Stream,
        to: &DeviceSlice<u8>,
        from: &[u8],
    ) -> Result<(), Error> {
        let mut start = 0;
        while start < from.len() {
            let mut buffer = match self.0.pop_front().expect("as many as there were") {
                Piece::Free(buffer) => buffer,
                Piece::Copied(pending) => pending.wait()?,
            };
            let len = buffer.len().min(from.len() - start);
            let source = from[start..][..len].par_chunks(PART);
            let target = buffer[..len].par_chunks_mut(PART);
            target.zip(source).for_each(|(target, source)| target.copy_from_slice(source));
            let pending = stream.upload_pinned(&to.slice(start..start + len), buffer, ..len)?;
            self.0.push_back(Piece::Copied(pending));
            start += len;
        }
        Ok(())
    }
}
