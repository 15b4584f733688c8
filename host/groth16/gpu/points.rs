//! A key's points in host memory, in the order in which the device takes them.

use std::sync::Arc;

use super::contents::{Contents, Wires};
use super::{Error, Sizes};
use crate::curve::{CurveGroup, G1, G2, PointSlice};
use crate::groth16::{Form, Key, KeyPoints};

/// A key in host memory, perhaps mapped, and which of its points count.
pub(super) struct HostKey {
    key: Arc<dyn Key>,
    /// None of a key for vectors.
    wires: Option<Wires>,
    log_domain: u32,
}

/// The points of a key that count.
pub(super) struct Points<'a> {
    pub a: Picked<'a, G1>,
    pub b1: Picked<'a, G1>,
    pub b2: Picked<'a, G2>,
    pub c: Picked<'a, G1>,
    pub h: Picked<'a, G1>,
    /// The wires of A and B.
    pub wires_a: &'a [u32],
    pub wires_b: &'a [u32],
}

/// Some of a vector's points.
#[derive(Clone, Copy)]
pub(super) struct Picked<'a, G> {
    points: PointSlice<'a, G>,
    pick: Pick<'a>,
}

/// Which of them, in which order.
#[derive(Clone, Copy)]
enum Pick<'a> {
    All,
    /// Those of some wires, where the first point is of a certain one.
    Wires(&'a [u32], usize),
    /// All, in bit-reversed order; log₂ of how many they are.
    BitReversed(u32),
}

impl HostKey {
    /// The key that has these contents.
    ///
    /// # Errors
    ///
    /// [`Error::OtherKey`].
    pub fn new(key: Arc<dyn Key>, contents: &Contents) -> Result<Self, Error> {
        let sizes = contents.sizes();
        let is_its = match (key.form(), &contents.matrices) {
            (Form::Matrices(key), Some(_)) => {
                (sizes.log_domain, sizes.wires) == (key.log_domain(), key.n_wires())
            }
            (Form::Vectors(key), None) => sizes == Sizes::of_vectors(key),
            _ => false,
        };
        if !is_its {
            return Err(Error::OtherKey);
        }
        let wires = contents.matrices.as_ref().map(|contents| contents.wires.clone());
        Ok(Self { key, wires, log_domain: sizes.log_domain })
    }

    pub fn form(&self) -> Form<'_> {
        self.key.form()
    }

    pub fn points(&self) -> Points<'_> {
        match (self.key.form(), &self.wires) {
            (Form::Matrices(key), Some(Wires { a, b, c })) => {
                let first_private = key.n_public() + 1;
                let h = Pick::BitReversed(self.log_domain);
                Points {
                    a: Picked { points: key.g1(KeyPoints::A), pick: Pick::Wires(a, 0) },
                    b1: Picked { points: key.g1(KeyPoints::B1), pick: Pick::Wires(b, 0) },
                    b2: Picked { points: key.b2(), pick: Pick::Wires(b, 0) },
                    c: Picked { points: key.g1(KeyPoints::C), pick: Pick::Wires(c, first_private) },
                    h: Picked { points: key.g1(KeyPoints::H), pick: h },
                    wires_a: a,
                    wires_b: b,
                }
            }
            (Form::Vectors(key), _) => Points {
                a: Picked { points: key.a(), pick: Pick::All },
                b1: Picked { points: key.b_g1(), pick: Pick::All },
                b2: Picked { points: key.b_g2(), pick: Pick::All },
                c: Picked { points: key.l(), pick: Pick::All },
                h: Picked { points: key.h(), pick: Pick::All },
                wires_a: &key.shape().a,
                wires_b: &key.shape().b,
            },
            (Form::Matrices(_), None) => unreachable!("the contents are of the key's form"),
        }
    }
}

impl<G: CurveGroup> Picked<'_, G> {
    /// How many they are.
    pub fn len(&self) -> usize {
        match self.pick {
            Pick::Wires(wires, _) => wires.len(),
            Pick::All | Pick::BitReversed(_) => self.points.len(),
        }
    }

    /// Writes those from `first` on, to all of the bytes.
    pub fn write(&self, first: usize, to: &mut [u8]) {
        let points = self.points.as_bytes();
        for (i, bytes) in to.chunks_exact_mut(G::BYTES).enumerate() {
            let at = self.pick.point(first + i) * G::BYTES;
            bytes.copy_from_slice(&points[at..at + G::BYTES]);
        }
    }
}

impl Pick<'_> {
    /// The number of a point.
    fn point(self, at: usize) -> usize {
        match self {
            Self::All => at,
            Self::Wires(wires, first) => wires[at] as usize - first,
            Self::BitReversed(bits) => at.reverse_bits() >> (usize::BITS - bits),
        }
    }
}
