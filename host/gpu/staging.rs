//! Pinned memory between pageable memory and a device.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::{Device, DeviceSlice, Error, Pending, PinnedBuffer, Stream};

/// Pieces that take turns: one is filled while the other is copied.
const PIECES: usize = 2;

/// Bytes that a thread copies at a time.
const PART: usize = 1 << 18;

/// Pieces of pinned memory, from the one that was used first.
#[derive(Debug)]
pub(crate) struct Staging(VecDeque<Piece>);

#[derive(Debug)]
enum Piece {
    Free(PinnedBuffer<u8>),
    Copied(Pending<PinnedBuffer<u8>>),
}

impl Staging {
    /// Bytes of pinned memory of pieces of so many bytes.
    pub fn bytes(piece: usize) -> usize {
        PIECES * piece
    }

    pub fn new(device: &Device, piece: usize) -> Result<Self, Error> {
        let piece = || Ok(Piece::Free(device.alloc_pinned(piece)?));
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
        self.upload_by(stream, to, 1, |start, part| {
            part.copy_from_slice(&from[start..][..part.len()]);
        })
    }

    /// The same of bytes that `fill(start, part)` writes, called for parts of whole units of so many bytes, of
    /// which a piece has room for one at least.
    pub fn upload_by(
        &mut self,
        stream: &Stream,
        to: &DeviceSlice<u8>,
        unit: usize,
        fill: impl Fn(usize, &mut [u8]) + Sync,
    ) -> Result<(), Error> {
        let units = |bytes: usize| bytes / unit * unit;
        let mut start = 0;
        while start < to.len() {
            let mut buffer = match self.0.pop_front().expect("as many as there were") {
                Piece::Free(buffer) => buffer,
                Piece::Copied(pending) => pending.wait()?,
            };
            let len = units(buffer.len()).min(to.len() - start);
            let part = units(PART).max(unit);
            let parts = buffer[..len].par_chunks_mut(part).enumerate();
            parts.for_each(|(i, bytes)| fill(start + i * part, bytes));
            let pending = stream.upload_pinned(&to.slice(start..start + len), buffer, ..len)?;
            self.0.push_back(Piece::Copied(pending));
            start += len;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::emulator;

    /// Pieces that are no whole number of units, and parts that are not, either.
    #[test]
    fn units_stay_whole() {
        let device = Device::emulated(emulator::Config::default());
        let stream = device.stream().unwrap();
        for (piece, unit, units) in [(100, 24, 10), (100, 100, 3), (PART + 100, 96, 9000)] {
            let to = device.alloc::<u8>(unit * units).unwrap();
            let mut staging = Staging::new(&device, piece).unwrap();
            let fill = |start: usize, part: &mut [u8]| {
                assert!(start.is_multiple_of(unit) && part.len().is_multiple_of(unit));
                let bytes = part.iter_mut().zip(start..);
                bytes.for_each(|(byte, at)| *byte = (at % 251) as u8);
            };
            staging.upload_by(&stream, &to, unit, fill).unwrap();
            let mut found = vec![0; to.len()];
            stream.download(&to, &mut found).unwrap();
            let expected = (0..to.len()).map(|at| (at % 251) as u8);
            assert!(expected.eq(found), "{piece}, {unit}");
        }
    }
}
