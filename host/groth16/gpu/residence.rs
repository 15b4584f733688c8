//! Where a key's points are while its proofs are made.

use super::Sizes;
use crate::curve::{CurveGroup, G1, G2};
use crate::msm::gpu::{DeviceGroup, Tables};

/// Where a vector of points is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// In device memory, with these tables.
    Device(Tables),
    /// In host memory, from where each sum copies them to the device in chunks of at most so many points.
    Host {
        /// Points of a chunk, 1 or more.
        chunk: usize,
    },
}

impl Residence {
    /// Bytes of device memory, of so many points.
    pub(super) fn bytes<G: CurveGroup>(self, points: usize) -> usize {
        match self {
            Self::Device(tables) => points * tables.copies as usize * G::BYTES,
            Self::Host { .. } => 0,
        }
    }

    /// Whether it is host memory.
    #[must_use]
    pub fn is_host(self) -> bool {
        matches!(self, Self::Host { .. })
    }

    /// Copies of each point in device memory: 1 without tables.
    #[must_use]
    pub fn copies(self) -> u32 {
        match self {
            Self::Device(tables) => tables.copies,
            Self::Host { .. } => 0,
        }
    }
}

/// Where each vector of a key's points is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyResidence {
    /// A.
    pub a: Residence,
    /// B in G1.
    pub b1: Residence,
    /// B in G2.
    pub b2: Residence,
    /// C.
    pub c: Residence,
    /// H.
    pub h: Residence,
}

/// More copies than are of use.
const MOST_COPIES: usize = 128;

/// Points of a chunk whose sum hides the copy of the next.
const CHUNK: usize = 1 << 22;

/// Points of the smallest chunks: the device does little else than begin sums.
const SMALLEST_CHUNK: usize = 1 << 10;

impl KeyResidence {
    /// The vectors with their names.
    #[must_use]
    pub fn vectors(&self) -> [(&'static str, Residence); 5] {
        [("A", self.a), ("B1", self.b1), ("B2", self.b2), ("C", self.c), ("H", self.h)]
    }

    /// Bytes of the points in device memory, of a key with these sizes.
    #[must_use]
    pub fn bytes(&self, sizes: &Sizes) -> usize {
        self.a.bytes::<G1>(sizes.a)
            + self.b1.bytes::<G1>(sizes.b)
            + self.b2.bytes::<G2>(sizes.b)
            + self.c.bytes::<G1>(sizes.c)
            + self.h.bytes::<G1>(sizes.h)
    }
}

impl Sizes {
    /// All points in device memory, with the tables with which sums are quickest, as far as is known, where they
    /// take no more than `budget` bytes with their copies; with the same number of copies everywhere, about.
    /// Where that is not enough for copies there are none.
    #[must_use]
    pub fn resident(&self, budget: usize) -> KeyResidence {
        let with = |copies: usize| KeyResidence {
            a: tables::<G1>(self.a, copies),
            b1: tables::<G1>(self.b, copies),
            b2: tables::<G2>(self.b, copies),
            c: tables::<G1>(self.c, copies),
            h: tables::<G1>(self.h, copies),
        };
        let fits = |residence: &KeyResidence| residence.bytes(self) <= budget;
        (2..=MOST_COPIES).rev().map(with).find(fits).unwrap_or_else(|| with(1))
    }

    /// What takes less and less device memory: first one, then more of the vectors in host memory, and then
    /// smaller and smaller chunks of them all.
    ///
    /// The first is B in G2, of which a byte is worth the most work; the last is H, whose points the host has to bring
    /// into another order.
    pub fn streamed(&self) -> impl Iterator<Item = KeyResidence> {
        let with = |vectors: usize, most: usize| {
            let mut residence = self.resident(0);
            let KeyResidence { a, b1, b2, c, h } = &mut residence;
            let all = [(b2, self.b), (c, self.c), (a, self.a), (b1, self.b), (h, self.h)];
            for (vector, points) in all.into_iter().take(vectors) {
                *vector = Residence::Host { chunk: points.clamp(1, most) };
            }
            residence
        };
        let more = (1..=5).map(move |vectors| with(vectors, CHUNK));
        let chunks = std::iter::successors(Some(CHUNK / 2), |chunk| Some(chunk / 2));
        more.chain(
            chunks.take_while(|chunk| *chunk >= SMALLEST_CHUNK).map(move |chunk| with(5, chunk)),
        )
    }
}

fn tables<G: DeviceGroup>(points: usize, copies: usize) -> Residence {
    Residence::Device(Tables::within::<G>(points, points.saturating_mul(copies * G::BYTES)))
}

#[cfg(test)]
mod tests {
    use super::super::sizes::FormSizes;
    use super::*;

    /// Vector by vector in chunks of the largest size, then in ever smaller ones; none larger than its vector.
    #[test]
    fn chunks() {
        let (a, b, c, h) = (CHUNK + 1, CHUNK / 2, 3, 2 * CHUNK);
        let form = FormSizes::Vectors { rows: h, inputs: 1 };
        let sizes = Sizes { log_domain: 23, wires: a, a, b, c, h, form };
        let chunks = |residence: KeyResidence| {
            residence.vectors().map(|(_, vector)| match vector {
                Residence::Device(_) => 0,
                Residence::Host { chunk } => chunk,
            })
        };
        let steps: Vec<_> = sizes.streamed().map(chunks).collect();
        assert_eq!(steps[0], [0, 0, CHUNK / 2, 0, 0]);
        assert_eq!(steps[2], [CHUNK, 0, CHUNK / 2, 3, 0]);
        assert_eq!(steps[4], [CHUNK, CHUNK / 2, CHUNK / 2, 3, CHUNK]);
        assert_eq!(steps[6], [CHUNK / 4, CHUNK / 4, CHUNK / 4, 3, CHUNK / 4]);
        assert_eq!(*steps.last().unwrap(), [1 << 10, 1 << 10, 1 << 10, 3, 1 << 10]);
        assert_eq!(steps.len(), 5 + (CHUNK >> 10).ilog2() as usize);
    }
}
