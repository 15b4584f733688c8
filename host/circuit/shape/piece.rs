//! A piece of a circuit: wires that are made of each other.

use std::ops::Range;

use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use super::{PIECE, Shape};
use crate::circuit::Matrix;

/// Different coefficients other than ±1 and powers of two, for all pieces but their first products.
const CONSTANTS: usize = 16;

/// How far back, among the wires that A may name, others are drawn.
const RECENT: usize = 1 << 10;

/// Of so many products one has a sum of so many wires for a factor.
const LONG_EVERY: u32 = 256;
const LONG: usize = 64;

/// What pieces are made from.
pub struct Source {
    shape: Shape,
    seed: [u8; 32],
    constants: [Scalar; CONSTANTS],
}

/// Rows, and the values of the wires that they make.
#[derive(Default)]
pub struct Piece {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub values: Vec<Scalar>,
}

impl Source {
    pub fn new(shape: Shape, rng: &mut impl RngCore) -> Self {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        Self { shape, seed, constants: std::array::from_fn(|_| Scalar::random(&mut *rng)) }
    }

    /// The piece of this number, which makes these wires.
    pub fn piece(&self, number: usize, wires: Range<u32>) -> Piece {
        let mut rng = ChaCha8Rng::from_seed(self.seed);
        rng.set_stream(number as u64);
        let Shape { in_a, in_b, bits, .. } = self.shape;
        let mut maker = Maker {
            source: self,
            rng,
            first: wires.start,
            piece: Piece::default(),
            visible: Vec::with_capacity(PIECE),
            hidden: Spread::of(1000 - in_a),
            to_hide: 0,
            in_b: [Spread::of(in_b), Spread::of(in_b)],
            bits: Bits::default(),
            products: Products::default(),
        };
        let mut is_bit = Spread::of(bits);
        for wire in wires {
            maker.to_hide += u32::from(maker.hidden.take());
            match is_bit.take() {
                true => maker.bit(wire),
                false => maker.product(wire),
            }
        }
        maker.piece
    }
}

/// Takes some of a thousand, evenly.
struct Spread {
    share: u32,
    sum: u32,
}

impl Spread {
    fn of(share: u32) -> Self {
        Self { share, sum: 0 }
    }

    /// Whether the next one is taken.
    fn take(&mut self) -> bool {
        self.sum += self.share;
        let taken = self.sum >= 1000;
        self.sum -= if taken { 1000 } else { 0 };
        taken
    }
}

/// The bits so far.
#[derive(Default)]
struct Bits {
    count: u32,
    first: u32,
    /// The last one of its own, which B may name.
    free: u32,
    /// The last exclusive or that A may name.
    xor: Option<u32>,
}

/// The values of full width so far.
#[derive(Default)]
struct Products {
    count: u32,
    /// The last one that A may name.
    last: Option<u32>,
    /// The last one that B may name.
    in_b: Option<u32>,
}

struct Maker<'a> {
    source: &'a Source,
    rng: ChaCha8Rng,
    /// The piece's first wire.
    first: u32,
    piece: Piece,
    /// Wires that A may name, in order.
    visible: Vec<u32>,
    hidden: Spread,
    /// Wires that A must not name, and which are still to be picked.
    to_hide: u32,
    /// Of bits, and of the others.
    in_b: [Spread; 2],
    bits: Bits,
    products: Products,
}

impl Maker<'_> {
    /// A bit b of its own with (1 − b)·b = 0, or one that is the exclusive or of two others: with
    /// 2p·q = p + q − b. Only the former are in B.
    fn bit(&mut self, wire: u32) {
        let (one, count) = (Scalar::ONE, self.bits.count);
        self.bits.count += 1;
        let is_free = self.in_b[0].take();
        // Two to begin with, for the first exclusive or.
        if is_free || count < 2 {
            let bit = Scalar::from(u64::from(self.rng.next_u32() & 1));
            self.row(&[(0, one), (wire, -one)], &[(wire, one)], &[]);
            self.piece.values.push(bit);
            self.visible.push(wire);
            if count == 0 {
                self.bits.first = wire;
            }
            self.bits.free = wire;
            return;
        }
        let (p, q) = (self.bits.xor.unwrap_or(self.bits.first), self.bits.free);
        let differ = self.value(p) != self.value(q);
        self.row(&[(p, one.double())], &[(q, one)], &[(p, one), (q, one), (wire, -one)]);
        self.piece.values.push(Scalar::from(u64::from(differ)));
        if self.shows(wire) {
            self.bits.xor = Some(wire);
        }
    }

    /// The product of a sum of earlier wires, among them the last such product, and of one that B may
    /// name and a constant; less another wire, some of them.
    fn product(&mut self, wire: u32) {
        let (one, count) = (Scalar::ONE, self.products.count);
        self.products.count += 1;
        let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), vec![(wire, one)]);
        match self.products.last {
            Some(last) if count % LONG_EVERY == LONG_EVERY - 1 => {
                let recent = &self.visible[self.visible.len().saturating_sub(LONG)..];
                let powers = std::iter::successors(Some(one), |power| Some(power.double()));
                a.extend(recent.iter().copied().zip(powers));
                if !recent.contains(&last) {
                    a.push((last, one));
                }
            }
            Some(last) => {
                a.push((last, one));
                let other = self.recent();
                if other != last {
                    a.push((other, self.coefficient()));
                }
            }
            // Nothing to begin with but a constant, another one for each piece.
            None => a.push((0, Scalar::random(&mut self.rng))),
        }
        b.extend(self.products.in_b.map(|in_b| (in_b, one)));
        b.push((0, self.constant()));
        if count % 4 == 3 {
            c.push((self.recent(), one));
        }
        let value = self.dot(&a) * self.dot(&b) - self.dot(&c[1..]);
        self.row(&a, &b, &c);
        self.piece.values.push(value);
        if self.products.last.is_none() {
            self.visible.push(wire);
            self.products.last = Some(wire);
        } else if self.shows(wire) {
            self.products.last = Some(wire);
        }
        if self.in_b[1].take() {
            self.products.in_b = Some(wire);
        }
    }

    fn row(&mut self, a: &[(u32, Scalar)], b: &[(u32, Scalar)], c: &[(u32, Scalar)]) {
        self.piece.a.push_row(a.iter().copied());
        self.piece.b.push_row(b.iter().copied());
        self.piece.c.push_row(c.iter().copied());
    }

    /// Lets A name a wire, unless some are to be hidden from it.
    fn shows(&mut self, wire: u32) -> bool {
        if self.to_hide > 0 {
            self.to_hide -= 1;
            return false;
        }
        self.visible.push(wire);
        true
    }

    /// Some wire that A may name.
    fn recent(&mut self) -> u32 {
        let among = self.visible.len().min(RECENT);
        self.visible[self.visible.len() - 1 - self.rng.next_u32() as usize % among]
    }

    fn constant(&mut self) -> Scalar {
        self.source.constants[self.rng.next_u32() as usize % CONSTANTS]
    }

    /// One, every other time.
    fn coefficient(&mut self) -> Scalar {
        match self.rng.next_u32() & 1 {
            0 => Scalar::ONE,
            _ => self.constant(),
        }
    }

    fn value(&self, wire: u32) -> Scalar {
        match wire {
            0 => Scalar::ONE,
            wire => self.piece.values[(wire - self.first) as usize],
        }
    }

    fn dot(&self, terms: &[(u32, Scalar)]) -> Scalar {
        let product = |(wire, coefficient): &(u32, Scalar)| match *coefficient == Scalar::ONE {
            true => self.value(*wire),
            false => self.value(*wire) * coefficient,
        };
        terms.iter().map(product).sum()
    }
}
