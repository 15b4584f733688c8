//! Field operations.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::field::{Element, FP, FP_UNREDUCED, FP2, FR, FR_UNREDUCED, Field};
use crate::fuzz::{self, LENGTHS, OneIn};
use crate::launch::{Grid, arity, elementwise};
use crate::words::Words;

/// A kernel and what it must compute.
struct Operation {
    kernel: &'static str,
    field: &'static Field,
    part: OneIn,
    expected: fn(&Field, &[Element]) -> Element,
}

impl Operation {
    fn check(&self, grid: Grid, rows: &[Vec<Words>]) -> Result<(), TestCaseError> {
        let results = elementwise(self.kernel, grid, rows, self.field.words())?;
        for (row, result) in rows.iter().zip(results) {
            let operands: Vec<_> = row.iter().map(|words| self.field.element(words)).collect();
            // Equal words: p in place of 0 would be seen.
            let expected = self.field.to_words(&(self.expected)(self.field, &operands));
            prop_assert!(
                result == expected,
                "{} of {row:?} is {result:?}, not {expected:?}",
                self.kernel
            );
        }
        Ok(())
    }

    /// Every combination of edges.
    fn edges(&self) {
        let mut rows = vec![vec![]];
        for _ in 0..arity(self.kernel) {
            let with = |row: Vec<Words>| {
                let add = move |edge| [&row[..], &[edge]].concat();
                self.field.edges().into_iter().map(add)
            };
            rows = rows.into_iter().flat_map(with).collect();
        }
        self.check(Grid::covering(rows.len()), &rows).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Elements from the end of the edges, none of whose results is the zero of fresh memory.
    fn lengths(&self) {
        let edges = self.field.edges();
        let row = |i: usize| {
            (1..=arity(self.kernel)).map(|k| edges[3 + (k + i) % 3].clone()).collect::<Vec<_>>()
        };
        for length in LENGTHS {
            let rows: Vec<_> = (0..length).map(row).collect();
            self.check(Grid::covering(length), &rows)
                .unwrap_or_else(|error| panic!("of {length}: {error}"));
        }
    }

    fn drawn(&self) {
        fuzz::batches(file!(), self.part, self.row(), |grid, rows| self.check(grid, rows));
    }

    /// Operands; two are sometimes equal or opposite.
    fn row(&self) -> impl Strategy<Value = Vec<Words>> {
        let field = self.field;
        let operands = prop::collection::vec(field.strategy(), arity(self.kernel));
        (0u32..8, operands).prop_map(move |(relation, mut row)| {
            if let [a, b] = &mut row[..] {
                match relation {
                    6 => *b = a.clone(),
                    7 => *b = field.to_words(&field.neg(&field.element(a))),
                    _ => {}
                }
            }
            row
        })
    }
}

macro_rules! operations {
    ($($kernel:ident: $field:ident, $part:literal, |$f:ident, $($operand:ident),+| $expected:expr;)*) => {
        pub const TESTED: &[&str] = &[$(stringify!($kernel)),*];

        $(mod $kernel {
            use super::*;

            fn operation() -> Operation {
                Operation {
                    kernel: stringify!($kernel),
                    field: &$field,
                    part: OneIn($part),
                    expected: |$f, operands| {
                        let [$($operand),+] = operands else { unreachable!("its arity") };
                        $expected
                    },
                }
            }

            #[test]
            fn edges() {
                operation().edges();
            }

            #[test]
            fn lengths() {
                operation().lengths();
            }

            #[test]
            fn drawn() {
                operation().drawn();
            }
        })*
    };
}

operations! {
    fr_add: FR, 1, |f, a, b| f.add(a, b);
    fr_sub: FR, 1, |f, a, b| f.sub(a, b);
    fr_neg: FR, 1, |f, a| f.neg(a);
    fr_double: FR, 1, |f, a| f.add(a, a);
    fr_mul: FR, 1, |f, a, b| f.mul(a, b);
    fr_sqr: FR, 1, |f, a| f.mul(a, a);
    fr_inv: FR, 4, |f, a| f.invert(a);
    fr_from_canonical: FR, 1, |f, a| f.montgomery(a);
    fr_to_canonical: FR_UNREDUCED, 1, |f, a| f.canonical(a);
    fp_add: FP, 1, |f, a, b| f.add(a, b);
    fp_sub: FP, 1, |f, a, b| f.sub(a, b);
    fp_neg: FP, 1, |f, a| f.neg(a);
    fp_double: FP, 1, |f, a| f.add(a, a);
    fp_mul: FP, 1, |f, a, b| f.mul(a, b);
    fp_sqr: FP, 1, |f, a| f.mul(a, a);
    fp_inv: FP, 4, |f, a| f.invert(a);
    fp_from_canonical: FP, 1, |f, a| f.montgomery(a);
    fp_to_canonical: FP_UNREDUCED, 1, |f, a| f.canonical(a);
    fp2_add: FP2, 1, |f, a, b| f.add(a, b);
    fp2_sub: FP2, 1, |f, a, b| f.sub(a, b);
    fp2_neg: FP2, 1, |f, a| f.neg(a);
    fp2_double: FP2, 1, |f, a| f.add(a, a);
    fp2_mul: FP2, 1, |f, a, b| f.mul(a, b);
    fp2_sqr: FP2, 1, |f, a| f.mul(a, a);
    fp2_inv: FP2, 4, |f, a| f.invert(a);
}
