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
