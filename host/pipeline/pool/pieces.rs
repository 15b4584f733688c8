//! The pieces of a pool that are free.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::gpu::PinnedBuffer;

/// Where pieces begin within a chunk: no two share a line of the cache.
pub(in crate::pipeline) const ALIGNMENT: usize = 256;

/// Pieces of pinned memory, by their addresses. No two of them could be one.
#[derive(Default)]
pub(super) struct Pieces(BTreeMap<usize, PinnedBuffer<u8>>);

/// Bytes of the piece for a buffer: one of no values has one, too.
fn piece_bytes(bytes: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(ALIGNMENT).unwrap_or(usize::MAX)
}

/// The buffers, from the largest on.
fn by_size(bytes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bytes.len()).collect();
    order.sort_by_key(|buffer| Reverse(bytes[*buffer]));
    order
}

/// Whether free chunks of these sizes are enough for buffers of so many bytes, as [`Pieces::take`] cuts them.
pub(super) fn fit(mut chunks: Vec<usize>, bytes: &[usize]) -> bool {
    by_size(bytes).into_iter().all(|buffer| {
        let bytes = piece_bytes(bytes[buffer]);
        let smallest = chunks.iter_mut().filter(|chunk| **chunk >= bytes).min();
        smallest.map(|chunk| *chunk -= bytes).is_some()
    })
}

impl Pieces {
    pub fn bytes(&self) -> usize {
        self.0.values().map(|piece| piece.len()).sum()
    }

    /// Bytes of each.
    #[cfg(test)]
    pub fn sizes(&self) -> Vec<usize> {
        self.0.values().map(|piece| piece.len()).collect()
    }

    /// Pieces for buffers of so many bytes; none, if there are not enough for all.
    pub fn take(&mut self, bytes: &[usize]) -> Option<Vec<PinnedBuffer<u8>>> {
        let order = by_size(bytes);
        let mut taken = Vec::with_capacity(bytes.len());
        for &buffer in &order {
            match self.take_one(piece_bytes(bytes[buffer])) {
                Some(piece) => taken.push((buffer, piece)),
                None => {
                    taken.into_iter().for_each(|(_, piece)| self.put(piece));
                    return None;
                }
            }
        }
        taken.sort_by_key(|(buffer, _)| *buffer);
        Some(taken.into_iter().map(|(_, piece)| piece).collect())
    }

    /// From the smallest that is large enough.
    fn take_one(&mut self, bytes: usize) -> Option<PinnedBuffer<u8>> {
        let large = self.0.iter().filter(|(_, piece)| piece.len() >= bytes);
        let address = *large.min_by_key(|(_, piece)| piece.len())?.0;
        let (piece, rest) = self.0.remove(&address)?.split_at(bytes);
        if !rest.is_empty() {
            self.insert(rest);
        }
        Some(piece)
    }

    /// Takes one back, which becomes one with its neighbours.
    pub fn put(&mut self, mut piece: PinnedBuffer<u8>) {
        let address = piece.as_ptr().addr();
        let before = self.0.range(..address).next_back().map(|(address, _)| *address);
        if let Some(other) = before.and_then(|address| self.0.remove(&address)) {
            piece = other.join(piece).unwrap_or_else(|(other, piece)| {
                self.insert(other);
                piece
            });
        }
        let behind = self.0.range(address..).next().map(|(address, _)| *address);
        if let Some(other) = behind.and_then(|address| self.0.remove(&address)) {
            piece = piece.join(other).unwrap_or_else(|(piece, other)| {
                self.insert(other);
                piece
            });
        }
        self.insert(piece);
    }

    fn insert(&mut self, piece: PinnedBuffer<u8>) {
        self.0.insert(piece.as_ptr().addr(), piece);
    }
}

impl FromIterator<PinnedBuffer<u8>> for Pieces {
    fn from_iter<I: IntoIterator<Item = PinnedBuffer<u8>>>(pieces: I) -> Self {
        let mut all = Self::default();
        pieces.into_iter().for_each(|piece| all.insert(piece));
        all
    }
}
