//! Circuits of a given shape, as large as those that people prove.

mod piece;

use blstrs::Scalar;
use ff::Field;
use rand_core::RngCore;
use rayon::prelude::*;

use super::{Matrix, R1cs};
use piece::{Piece, Source};

/// Private wires of a piece, which names no wires of another one: what a thread makes at a time.
const PIECE: usize = 1 << 14;

/// Pieces that are made before they are put together.
const BATCH: usize = 64;

/// What a circuit is like, for a prover: how many rows it has, which wires are in them, and how many values
/// of its witness cost nothing.
///
/// Shares are of a thousand private wires. They are kept to about two wires in each sixteen thousand, and
/// in tiny circuits as far as that goes.
///
/// ```
/// use warpfield::circuit::Shape;
///
/// let shape = Shape::porep32(1.0 / 8192.0);
/// let (circuit, witness) = shape.circuit(&mut rand_core::OsRng);
/// assert_eq!((circuit.n_constraints(), circuit.n_public()), (15903, 328));
/// assert_eq!(circuit.log_domain(), 14);
/// assert_eq!(circuit.first_unsatisfied(&witness), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Constraints.
    pub constraints: usize,
    /// Public inputs, the constant not counted.
    pub public_inputs: usize,
    /// Wires that are neither public nor the constant: no more than constraints.
    pub private_wires: usize,
    /// Private wires of a thousand that the matrix A names: its density.
    pub in_a: u32,
    /// Private wires of a thousand that the matrix B names.
    pub in_b: u32,
    /// Private wires of a thousand whose value is 0 or 1, half each.
    pub bits: u32,
}

impl Shape {
    /// That of a partition of Filecoin's proof of replication for a sector of 32 GiB, of which there are
    /// ten, times `scale`: 1 for a domain of 2²⁷ rows, 1/8 for one of 2²⁴. There are 328 public inputs
    /// whatever the scale.
    ///
    /// Three fifths of the private values are taken to be 0 or 1; [`bits`](Self::bits) says otherwise.
    ///
    /// # Panics
    ///
    /// `scale` is not between 0 and 1.
    #[must_use]
    pub fn porep32(scale: f64) -> Self {
        assert!((0.0..=1.0).contains(&scale), "a scale of {scale}");
        let scaled = |count: f64| (count * scale).round() as usize;
        Self {
            constraints: scaled(130_278_869.0),
            public_inputs: 328,
            private_wires: scaled(130_169_893.0),
            in_a: 997,
            in_b: 254,
            bits: 600,
        }
    }

    /// Some circuit like that and a witness that satisfies it; for the same numbers of `rng` the same one.
    ///
    /// Each private wire has a constraint that makes it of earlier ones: bits, exclusive ors of bits, and
    /// products of sums. Those that are left give public inputs their values, as far as they go.
    /// Runs on the current rayon pool.
    ///
    /// # Panics
    ///
    /// There are more private wires than constraints, 2³² wires or more, or more than a thousand of a
    /// thousand.
    pub fn circuit(&self, rng: &mut impl RngCore) -> (R1cs, Vec<Scalar>) {
        assert!(self.private_wires <= self.constraints, "a wire without a constraint: {self:?}");
        assert!([self.in_a, self.in_b, self.bits].iter().all(|share| *share <= 1000), "{self:?}");
        let first = 1 + self.public_inputs;
        let n_wires = u32::try_from(first + self.private_wires).expect("fewer than 2^32 wires");

        let source = Source::new(*self, rng);
        let mut values = Vec::with_capacity(n_wires as usize);
        values.push(Scalar::ONE);
        values.extend((0..self.public_inputs).map(|_| Scalar::random(&mut *rng)));
        let [mut a, mut b, mut c] = [const { Matrix::EMPTY }; 3];
        let pieces = self.private_wires.div_ceil(PIECE);
        for batch in (0..pieces).step_by(BATCH) {
            let made: Vec<Piece> = (batch..pieces.min(batch + BATCH))
                .into_par_iter()
                .map(|piece| {
                    let at = piece * PIECE;
                    let wires = at..self.private_wires.min(at + PIECE);
                    source.piece(piece, (first + wires.start) as u32..(first + wires.end) as u32)
                })
                .collect();
            let append = |to: &mut Matrix, rows: fn(&Piece) -> &Matrix| {
                made.iter().for_each(|piece| to.append(rows(piece)));
            };
            rayon::join(
                || rayon::join(|| append(&mut a, |p| &p.a), || append(&mut b, |p| &p.b)),
                || append(&mut c, |p| &p.c),
            );
            made.iter().for_each(|piece| values.extend_from_slice(&piece.values));
        }
        for row in 0..self.constraints - self.private_wires {
            // The first wire of some piece, times one: a public input, or the same once more.
            let wire = if pieces == 0 { 0 } else { first + row % pieces * PIECE };
            let product = if row < self.public_inputs { 1 + row } else { wire };
            values[product] = values[wire];
            a.push_row([(wire as u32, Scalar::ONE)]);
            b.push_row([(0, Scalar::ONE)]);
            c.push_row([(product as u32, Scalar::ONE)]);
        }
        let r1cs = R1cs {
            n_wires,
            n_public_inputs: self.public_inputs as u32,
            n_labels: n_wires.into(),
            a,
            b,
            c,
            ..R1cs::default()
        };
        (r1cs, values)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::circuit::log_domain;
    use rand_core::SeedableRng;

    fn rng(seed: u64) -> rand_chacha::ChaCha8Rng {
        rand_chacha::ChaCha8Rng::seed_from_u64(seed)
    }

    /// Private wires that a matrix names.
    fn named(shape: &Shape, matrix: &Matrix) -> usize {
        let first = 1 + shape.public_inputs as u32;
        let wires = matrix.rows().flatten().map(|(wire, _)| *wire);
        wires.filter(|wire| *wire >= first).collect::<HashSet<_>>().len()
    }

    fn bits(shape: &Shape, values: &[Scalar], bit: Scalar) -> usize {
        values[1 + shape.public_inputs..].iter().filter(|value| **value == bit).count()
    }

    /// Makes one and checks all that must hold for any.
    fn check(shape: &Shape, seed: u64) -> (R1cs, Vec<Scalar>) {
        let (r1cs, values) = shape.circuit(&mut rng(seed));
        assert_eq!(r1cs.check(), Ok(()), "{shape:?}");
        assert_eq!(r1cs.first_unsatisfied(&values), None, "{shape:?}");
        assert_eq!(r1cs.n_constraints(), shape.constraints);
        assert_eq!(r1cs.n_public() as usize, shape.public_inputs);
        assert_eq!(r1cs.n_wires as usize, 1 + shape.public_inputs + shape.private_wires);
        assert_eq!(r1cs.n_wires as usize, values.len());
        for matrix in [&r1cs.a, &r1cs.b, &r1cs.c] {
            for row in matrix.rows() {
                let wires: HashSet<_> = row.iter().map(|(wire, _)| wire).collect();
                assert_eq!(wires.len(), row.len(), "a wire twice in {row:?}");
                assert!(row.iter().all(|(_, coefficient)| *coefficient != Scalar::ZERO));
            }
        }
        (r1cs, values)
    }

    fn near(found: usize, expected: f64, slack: f64, what: &str) {
        assert!((found as f64 - expected).abs() <= slack, "{what}: {found}, not {expected}");
    }

    /// Several pieces, the last of them a part.
    #[test]
    fn shares_are_as_asked() {
        let porep = Shape::porep32(1.0 / 3000.0);
        for shape in [
            porep,
            Shape { bits: 0, ..porep },
            Shape { bits: 1000, in_b: 500, ..porep },
            Shape { in_a: 1000, in_b: 1000, bits: 300, ..porep },
            Shape { in_a: 600, in_b: 100, bits: 900, ..porep },
        ] {
            let (r1cs, values) = check(&shape, 1);
            let of_thousand = |share: u32| f64::from(share) * shape.private_wires as f64 / 1000.0;
            let pieces = shape.private_wires.div_ceil(PIECE) as f64;
            near(named(&shape, &r1cs.a), of_thousand(shape.in_a), 4.0 * pieces, "A");
            near(named(&shape, &r1cs.b), of_thousand(shape.in_b), 4.0 * pieces, "B");
            let [zeros, ones] = [Scalar::ZERO, Scalar::ONE].map(|bit| bits(&shape, &values, bit));
            near(zeros + ones, of_thousand(shape.bits), pieces, "bits");
            near(zeros, of_thousand(shape.bits) / 2.0, 1000.0, "zeros");
            let private = &values[1 + shape.public_inputs..];
            let full: HashSet<_> = private.iter().map(Scalar::to_bytes_le).collect();
            near(full.len(), of_thousand(1000 - shape.bits), 10.0, "different values");
        }
    }

    #[test]
    fn the_filecoin_circuit_at_some_scales() {
        for (scale, log) in [(1.0, 27), (0.125, 24), (1.0 / 32.0, 22), (1.0 / 128.0, 20)] {
            let shape = Shape::porep32(scale);
            assert_eq!(log_domain(shape.constraints as u64, shape.public_inputs as u64), log);
        }
        assert_eq!(Shape::porep32(1.0).constraints, 130_278_869);
        assert_eq!(Shape::porep32(1.0).private_wires, 130_169_893);
        assert_eq!(Shape::porep32(0.0).constraints, 0);
    }

    #[test]
    fn tiny_circuits() {
        for bits in [0, 500, 1000] {
            for (in_a, in_b) in [(1000, 1000), (1000, 0), (0, 0), (500, 254)] {
                for (constraints, private_wires) in [(0, 0), (1, 0), (1, 1), (5, 4), (33, 30)] {
                    for public_inputs in [0, 1, 3, 7] {
                        let shape =
                            Shape { constraints, public_inputs, private_wires, in_a, in_b, bits };
                        check(&shape, 2);
                    }
                }
            }
        }
    }

    /// Public inputs are values of private wires.
    #[test]
    fn public_inputs_are_constrained() {
        let shape = Shape { constraints: 100, private_wires: 90, ..Shape::porep32(0.0) };
        let shape = Shape { public_inputs: 7, ..shape };
        let (r1cs, mut values) = check(&shape, 3);
        for public in 1..=7 {
            values[public] += Scalar::ONE;
            assert_eq!(r1cs.first_unsatisfied(&values), Some(90 + public - 1));
            values[public] -= Scalar::ONE;
        }
    }

    /// Most values are determined by others.
    #[test]
    fn a_changed_wire_is_noticed() {
        let shape = Shape::porep32(1.0 / 200_000.0);
        let (r1cs, mut values) = check(&shape, 4);
        for wire in 1 + shape.public_inputs..values.len() {
            values[wire] += Scalar::from(3);
            assert!(r1cs.first_unsatisfied(&values).is_some(), "wire {wire}");
            values[wire] -= Scalar::from(3);
        }
    }

    #[test]
    fn the_same_for_any_number_of_threads() {
        let shape = Shape::porep32(1.0 / 3000.0);
        let make = |seed| shape.circuit(&mut rng(seed));
        let expected = make(5);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| make(5)) == expected, "{threads} threads");
        }
        assert!(make(6) != expected);
    }
}
