//! The matrices A and B of a key, and their products with a witness.

use std::ops::Range;

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use crate::field::{SCALAR_BYTES, is_canonical, scalar_from_raw};

/// Bytes of one coefficient in a key: matrix, constraint and wire as u32, then the value.
pub const COEFFICIENT_BYTES: usize = 12 + SCALAR_BYTES;

/// Coefficients that one task checks.
const COEFFICIENTS_A_TASK: usize = 1 << 12;

/// Rows that one task computes: large enough to hide its start, small enough to balance.
const ROWS_A_TASK: usize = 1 << 10;

/// One coefficient, as the key holds it.
#[derive(Clone, Copy)]
pub(crate) struct Coefficient<'a>(&'a [u8; COEFFICIENT_BYTES]);

impl<'a> Coefficient<'a> {
    fn word(self, index: usize) -> u32 {
        u32::from_le_bytes(self.0.as_chunks().0[index])
    }

    /// 0 for A, 1 for B.
    pub(crate) fn matrix(self) -> u32 {
        self.word(0)
    }

    pub(crate) fn constraint(self) -> u32 {
        self.word(1)
    }

    pub(crate) fn wire(self) -> u32 {
        self.word(2)
    }

    /// The value times R², little-endian.
    pub(crate) fn value(self) -> &'a [u8; SCALAR_BYTES] {
        self.0.last_chunk().expect("a coefficient is longer than its value")
    }
}

/// The coefficients of a key in the file's order.
#[derive(Clone, Copy)]
pub(crate) struct Coefficients<'a>(&'a [[u8; COEFFICIENT_BYTES]]);

impl<'a> Coefficients<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(self, index: usize) -> Coefficient<'a> {
        Coefficient(&self.0[index])
    }

    #[cfg(test)]
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = Coefficient<'a>> {
        self.0.iter().map(Coefficient)
    }

    /// The first one that does not fit a key of so many rows and wires, and why.
    pub(crate) fn first_fault(self, domain: u64, wires: u64) -> Option<(usize, CoefficientFault)> {
        let fault = |(index, bytes)| {
            let coefficient = Coefficient(bytes);
            let words = [
                ("the matrix", coefficient.matrix(), 2),
                ("the constraint", coefficient.constraint(), domain),
                ("the wire", coefficient.wire(), wires),
            ];
            let high = words.into_iter().enumerate().find_map(|(word, (what, found, bound))| {
                let found = u64::from(found);
                (found >= bound).then_some(CoefficientFault::Range { word, what, found, bound })
            });
            let fault = high.or_else(|| {
                (!is_canonical(coefficient.value())).then_some(CoefficientFault::Value)
            });
            fault.map(|fault| (index, fault))
        };
        self.0.par_iter().enumerate().with_min_len(COEFFICIENTS_A_TASK).find_map_first(fault)
    }
}

/// What is wrong with a coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoefficientFault {
    /// One of its three words is not below its bound.
    Range {
        /// Which: from 0.
        word: usize,
        /// Its name.
        what: &'static str,
        /// What it is.
        found: u64,
        /// What it must be below.
        bound: u64,
    },
    /// The value is not below r.
    Value,
}

/// The order in which coefficients come row by row. snarkjs writes them so; a file that does not
/// costs four bytes a coefficient.
pub(crate) enum RowOrder {
    InFile,
    Sorted(Vec<u32>),
}

impl RowOrder {
    pub(crate) fn of(coefficients: Coefficients<'_>) -> Self {
        let row = |bytes| Coefficient(bytes).constraint();
        let pairs = coefficients.0.par_windows(2).with_min_len(COEFFICIENTS_A_TASK);
        if pairs.all(|pair| row(&pair[0]) <= row(&pair[1])) {
            return Self::InFile;
        }
        let mut order: Vec<u32> = (0..coefficients.len() as u32).collect();
        order.sort_by_key(|&index| coefficients.get(index as usize).constraint());
        Self::Sorted(order)
    }

    /// The coefficients of some rows, row by row.
    pub(crate) fn of_rows<'a>(
        &self,
        coefficients: Coefficients<'a>,
        rows: Range<usize>,
    ) -> impl ExactSizeIterator<Item = Coefficient<'a>> {
        let first = |row| self.first_at(coefficients, row);
        (first(rows.start)..first(rows.end)).map(move |at| self.get(coefficients, at))
    }

    fn get<'a>(&self, coefficients: Coefficients<'a>, position: usize) -> Coefficient<'a> {
        match self {
            Self::InFile => coefficients.get(position),
            Self::Sorted(order) => coefficients.get(order[position] as usize),
        }
    }

    /// The position of the first coefficient at or after row `row`.
    fn first_at(&self, coefficients: Coefficients<'_>, row: usize) -> usize {
        let (mut low, mut high) = (0, coefficients.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if (self.get(coefficients, middle).constraint() as usize) < row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// a = A·w and b = B·w, both over the whole domain, Montgomery form; rows without coefficients stay
/// as they are (zero).
///
/// A coefficient is stored as value·R² and the witness in ordinary form, so one Montgomery
/// multiplication, which divides by R, gives the product in Montgomery form.
pub(crate) fn multiply(
    coefficients: Coefficients<'_>,
    order: &RowOrder,
    witness: &[[u8; SCALAR_BYTES]],
    a: &mut [Scalar],
    b: &mut [Scalar],
) {
    a.par_chunks_mut(ROWS_A_TASK).zip(b.par_chunks_mut(ROWS_A_TASK)).enumerate().for_each(
        |(task, (a, b))| {
            let first = task * ROWS_A_TASK;
            for entry in order.of_rows(coefficients, first..first + a.len()) {
                let value = &witness[entry.wire() as usize];
                let row = entry.constraint() as usize - first;
                let target = if entry.matrix() == 0 { &mut a[row] } else { &mut b[row] };
                *target += product(entry.value(), value);
            }
        },
    );
}

fn product(coefficient: &[u8; SCALAR_BYTES], value: &[u8; SCALAR_BYTES]) -> Scalar {
    // Most values of real witnesses are zero.
    if *value == [0; SCALAR_BYTES] {
        return Scalar::ZERO;
    }
    scalar_from_raw(coefficient) * scalar_from_raw(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients of A, of wire 0 and value 0, in these rows.
    fn in_rows(rows: impl IntoIterator<Item = u32>) -> Vec<u8> {
        let coefficient = |row: u32| {
            let mut bytes = [0; COEFFICIENT_BYTES];
            bytes[4..8].copy_from_slice(&row.to_le_bytes());
            bytes
        };
        rows.into_iter().flat_map(coefficient).collect()
    }

    #[test]
    fn the_order_of_a_file_is_kept_where_it_is_by_row() {
        let many = 3 * COEFFICIENTS_A_TASK as u32 + 1;
        let sorted: [Vec<u32>; 5] =
            [vec![], vec![7], vec![0, 0, 1, 5], (0..many).collect(), vec![3; many as usize]];
        for rows in sorted {
            let order = RowOrder::of(Coefficients::new(&in_rows(rows)));
            assert!(matches!(order, RowOrder::InFile));
        }
        // Two neighbours the other way round, wherever they are.
        for at in [0, 1, 5, COEFFICIENTS_A_TASK - 1, COEFFICIENTS_A_TASK, many as usize - 2] {
            let mut rows: Vec<_> = (0..many).collect();
            rows.swap(at, at + 1);
            let mut expected: Vec<_> = (0..many).collect();
            expected.swap(at, at + 1);
            match RowOrder::of(Coefficients::new(&in_rows(rows))) {
                RowOrder::Sorted(order) => assert!(order == expected, "{at}"),
                RowOrder::InFile => panic!("{at}"),
            }
        }
    }

    #[test]
    fn the_first_fault_is_found() {
        let good = in_rows(0..2 * COEFFICIENTS_A_TASK as u32);
        let (domain, wires) = (2 * COEFFICIENTS_A_TASK as u64, 1);
        let fault = |bytes: &[u8]| Coefficients::new(bytes).first_fault(domain, wires);
        assert_eq!(fault(&good), None);
        for index in [0, 1, COEFFICIENTS_A_TASK, 2 * COEFFICIENTS_A_TASK - 1] {
            let mut bad = good.clone();
            bad[index * COEFFICIENT_BYTES + 12..][..SCALAR_BYTES].fill(0xff);
            assert_eq!(fault(&bad), Some((index, CoefficientFault::Value)));
            // Those behind it do not matter, and of one coefficient the first word does.
            bad[index * COEFFICIENT_BYTES + 8..].fill(1);
            let range =
                CoefficientFault::Range { word: 2, what: "the wire", found: 0x101_0101, bound: 1 };
            assert_eq!(fault(&bad), Some((index, range)));
        }
    }
}
