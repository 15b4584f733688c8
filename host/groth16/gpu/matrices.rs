//! The matrices A and B as the kernels take them: see [`warpfield_device::groth16`].

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;
use warpfield_device::groth16::{CUT, entry};

use super::Error;
use crate::field::SCALAR_BYTES;
use crate::groth16::ProvingKey;

/// The most entries of a piece. The threads of a warp wait for the one with the longest, and each piece that
/// is not a row costs a partial sum.
const PIECE: u32 = 32;

/// Rows that are read by one thread, and share their values: of the same value in others there is one more.
const ROWS_A_PART: usize = 1 << 16;

type Value = [u8; SCALAR_BYTES];

/// A matrix.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    /// Where pieces start.
    pub starts: Vec<u32>,
    /// Some rows' each.
    pub entries: Vec<Vec<u64>>,
    /// Those that are cut.
    pub cut_rows: Vec<u32>,
    /// The first part of each, and what would be that of one more.
    pub firsts: Vec<u32>,
}

/// Both matrices of a key, A first.
#[derive(Debug)]
pub(super) struct Matrices {
    pub matrices: [Matrix; 2],
    /// In the form of the key, some rows' each.
    pub values: Vec<Vec<Value>>,
}

impl Matrices {
    pub fn of(key: &ProvingKey) -> Result<Self, Error> {
        Self::cut(key, PIECE, ROWS_A_PART)
    }

    fn cut(key: &ProvingKey, piece: u32, rows_a_part: usize) -> Result<Self, Error> {
        let rows = 1 << key.log_domain();
        let parts = (0..rows).into_par_iter().step_by(rows_a_part);
        let parts = parts.map(|first| Part::of(key, first..rows.min(first + rows_a_part)));
        let mut parts: Vec<Part> = parts.collect();
        let numbers = parts.iter_mut().scan(0, |first, part| {
            let own = *first;
            *first += part.values.len() as u32;
            Some((own, part))
        });
        numbers.collect::<Vec<_>>().into_par_iter().for_each(|(first, part)| part.number(first));

        let mut matrices = [0, 1].map(|matrix| Matrix::cut(&parts, matrix, piece));
        let mut values = vec![];
        for part in parts {
            let [a, b] = part.entries;
            matrices[0].entries.push(a);
            matrices[1].entries.push(b);
            values.push(part.values);
        }
        match matrices.iter().map(Matrix::len).max() {
            Some(entries) if entries >= CUT as usize => Err(Error::Entries(entries)),
            _ => Ok(Self { matrices, values }),
        }
    }
}

/// Some rows of both matrices.
#[derive(Debug, Default)]
struct Part {
    entries: [Vec<u64>; 2],
    /// Entries of each row.
    lengths: [Vec<u32>; 2],
    values: Vec<Value>,
}

impl Part {
    fn of(key: &ProvingKey, rows: Range<usize>) -> Self {
        let coefficients = key.rows().of_rows(key.coefficients(), rows.clone());
        let lengths = || vec![0; rows.len()];
        let mut part = Self { lengths: [lengths(), lengths()], ..Self::default() };
        let mut known: HashMap<&Value, u32> = HashMap::new();
        for coefficient in coefficients {
            let value = *known.entry(coefficient.value()).or_insert_with(|| {
                part.values.push(*coefficient.value());
                part.values.len() as u32 - 1
            });
            let matrix = usize::from(coefficient.matrix() != 0);
            part.entries[matrix].push(entry(coefficient.wire(), value));
            part.lengths[matrix][coefficient.constraint() as usize - rows.start] += 1;
        }
        part
    }

    /// Makes the numbers of its values those among the values of all.
    fn number(&mut self, first: u32) {
        self.entries.iter_mut().flatten().for_each(|own| *own += entry(0, first));
    }
}

impl Matrix {
    /// A matrix without its entries.
    fn cut(parts: &[Part], matrix: usize, piece: u32) -> Self {
        let mut cut = Self { firsts: vec![1], ..Self::default() };
        let (mut start, mut pieces) = (0u32, vec![]);
        for (row, &length) in parts.iter().flat_map(|part| &part.lengths[matrix]).enumerate() {
            // More than there may be are an error later.
            let end = start.wrapping_add(length);
            if length > piece {
                cut.starts.push(start | CUT);
                pieces.extend((start..end).step_by(piece as usize));
                pieces.push(end | CUT);
                cut.cut_rows.push(row as u32);
                cut.firsts.push(1 + pieces.len() as u32);
            } else {
                cut.starts.push(start);
            }
            start = end;
        }
        cut.starts.push(start | CUT);
        cut.starts.extend(pieces);
        cut
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.iter().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use blstrs::Scalar;
    use ff::Field as _;

    use super::*;
    use crate::circuit::{Builder, LinearCombination};
    use crate::field::scalar_from_raw;
    use crate::formats::{Source, zkey};
    use crate::groth16::{ToxicWaste, setup};
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng as _};

    /// Rows of 0 to 9 entries, with values that come again and others that do not.
    fn key() -> ProvingKey {
        let mut builder = Builder::default();
        let wires: Vec<_> = (0..10).map(|i| builder.public_input(Scalar::from(i + 1))).collect();
        for row in 0..20usize {
            let sum = |length: usize| {
                let term = |i: usize| {
                    let value = if i.is_multiple_of(2) { 3 } else { 100 * row + i };
                    LinearCombination::from(wires[(row + i) % 10]) * Scalar::from(value as u64)
                };
                (0..length).map(term).fold(LinearCombination::default(), |sum, term| sum + term)
            };
            builder.multiply(sum(row * 7 % 10), sum(row * 3 % 10));
        }
        let waste = ToxicWaste::random(&mut ChaCha20Rng::seed_from_u64(1)).unwrap();
        let mut bytes = vec![];
        zkey::write(&setup(&builder.finish().0, &waste).unwrap(), &mut bytes).unwrap();
        zkey::read(&Source::from_bytes("key", bytes), zkey::Trust::Trusted).unwrap()
    }

    /// Rows times the wires' values 1, 2, …, as the kernels make them.
    fn products(matrix: &Matrix, values: &[Value], rows: usize) -> Vec<Scalar> {
        let entries = matrix.entries.concat();
        let product = |entry: &u64| {
            let wire = Scalar::from((entry & 0xffff_ffff) + 1);
            scalar_from_raw(&values[(entry >> 32) as usize]) * wire
        };
        let piece = |at: usize| -> Option<Scalar> {
            let (start, end) = (matrix.starts[at], matrix.starts[at + 1] & !CUT);
            let entries = || &entries[start as usize..end as usize];
            (start & CUT == 0).then(|| entries().iter().map(product).sum())
        };
        let mut products: Vec<_> = (0..rows).map(piece).collect();
        for (i, row) in matrix.cut_rows.iter().enumerate() {
            let parts = matrix.firsts[i] as usize..matrix.firsts[i + 1] as usize - 1;
            let sum = parts.map(|part| piece(rows + part).expect("a part")).sum();
            assert_eq!(products[*row as usize].replace(sum), None, "row {row}");
        }
        products.into_iter().map(|product| product.expect("a product of each row")).collect()
    }

    #[test]
    fn rows_in_pieces_and_parts() {
        let key = key();
        let rows = 1 << key.log_domain();
        let mut expected = [vec![Scalar::ZERO; rows], vec![Scalar::ZERO; rows]];
        for coefficient in key.coefficients().iter() {
            let wire = Scalar::from(u64::from(coefficient.wire()) + 1);
            let product = scalar_from_raw(coefficient.value()) * wire;
            let matrix = coefficient.matrix() as usize;
            expected[matrix][coefficient.constraint() as usize] += product;
        }
        for piece in [1, 2, 3, 9, 32] {
            for rows_a_part in [1, 3, 8, rows, rows + 1] {
                let cut = Matrices::cut(&key, piece, rows_a_part).unwrap();
                let values = cut.values.concat();
                for (matrix, expected) in cut.matrices.iter().zip(&expected) {
                    assert_eq!(products(matrix, &values, rows), *expected);
                    let longest = matrix.starts.windows(2).map(|pair| {
                        if pair[0] & CUT == 0 { (pair[1] & !CUT) - pair[0] } else { 0 }
                    });
                    assert!(longest.max() <= Some(piece), "{piece}");
                    assert_eq!(matrix.cut_rows.is_empty(), piece >= 9);
                }
                // In one part there is each value once.
                if rows_a_part >= rows {
                    let mut distinct = values.clone();
                    distinct.sort_unstable();
                    distinct.dedup();
                    assert_eq!(distinct.len(), values.len());
                }
            }
        }
    }
}
