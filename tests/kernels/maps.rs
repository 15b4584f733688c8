//! Operations on one point: negation, doubling, and between the forms.

use std::marker::PhantomData;

use blstrs::{G1Projective, G2Projective};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::fuzz::{self, LENGTHS, OneIn};
use crate::group::{Group, Multiple};
use crate::launch::{Grid, elementwise};
use crate::points::{Form, denominator, multiples, one, same};
use crate::words::Words;

/// A kernel of one operand.
struct Map<G> {
    kernel: &'static str,
    from: Form,
    to: Form,
    expected: fn(&G) -> G,
    part: OneIn,
    group: PhantomData<G>,
}

/// A point, and its denominators' z.
type Row = (Multiple, Words);

impl<G: Group> Map<G> {
    fn check(&self, grid: Grid, rows: &[Row]) -> Result<(), TestCaseError> {
        let points: Vec<G> = rows.iter().map(|row| G::point(row.0)).collect();
        let words =
            points.iter().zip(rows).map(|(point, row)| vec![self.from.words(point, &row.1)]);
        let words: Vec<_> = words.collect();
        let results =
            elementwise(self.kernel, grid, &words, self.to.coordinates() * G::field().words())?;
        for ((result, point), row) in results.iter().zip(&points).zip(rows) {
            let expected = (self.expected)(point);
            let equal = match self.to {
                Form::Xyzz => same(result, &expected),
                Form::Affine => affine(result, &expected),
            };
            equal
                .map_err(|why| TestCaseError::fail(format!("{} of {row:?}: {why}", self.kernel)))?;
        }
        Ok(())
    }

    fn special_cases(&self) {
        let z = |i: usize| G::field().edges()[1 + i % 5].clone();
        let rows: Vec<_> =
            multiples::<G>().into_iter().enumerate().map(|(i, point)| (point, z(i))).collect();
        self.check(Grid::covering(rows.len()), &rows).unwrap_or_else(|error| panic!("{error}"));
    }

    fn lengths(&self) {
        // Different for two neighbours, and never infinity, which fresh memory looks like.
        let row = |i: usize| (Multiple::of(1 + i as i128 % 3), one::<G>());
        for length in LENGTHS {
            let rows: Vec<_> = (0..length).map(row).collect();
            self.check(Grid::covering(length), &rows)
                .unwrap_or_else(|error| panic!("of {length}: {error}"));
        }
    }

    fn drawn(&self) {
        let row = (G::multiple(), denominator::<G>());
        fuzz::batches(file!(), self.part, row, |grid, rows| self.check(grid, rows));
    }
}

/// That `words` are the coordinates of a point: equal words, as there is one form of each.
pub fn affine<G: Group>(words: &Words, point: &G) -> Result<(), TestCaseError> {
    let expected = Words::concat(&point.coordinates().each_ref());
    prop_assert!(*words == expected, "{:?}, not {:?}", words, expected);
    Ok(())
}

macro_rules! maps {
    ($($kernel:ident: $group:ty, $from:ident -> $to:ident, $part:literal, |$point:ident| $expected:expr;)*) => {
        pub const TESTED: &[&str] = &[$(stringify!($kernel)),*];

        $(mod $kernel {
            use super::*;

            fn map() -> Map<$group> {
                Map {
                    kernel: stringify!($kernel),
                    from: Form::$from,
                    to: Form::$to,
                    expected: |$point| $expected,
                    part: OneIn($part),
                    group: PhantomData,
                }
            }

            #[test]
            fn special_cases() {
                map().special_cases();
            }

            #[test]
            fn lengths() {
                map().lengths();
            }

            #[test]
            fn drawn() {
                map().drawn();
            }
        })*
    };
}

maps! {
    g1_neg: G1Projective, Xyzz -> Xyzz, 4, |point| -point;
    g1_neg_affine: G1Projective, Affine -> Affine, 4, |point| -point;
    g1_from_affine: G1Projective, Affine -> Xyzz, 4, |point| *point;
    g1_to_affine: G1Projective, Xyzz -> Affine, 8, |point| *point;
    g1_double: G1Projective, Xyzz -> Xyzz, 4, |point| point + point;
    g2_neg: G2Projective, Xyzz -> Xyzz, 8, |point| -point;
    g2_neg_affine: G2Projective, Affine -> Affine, 8, |point| -point;
    g2_from_affine: G2Projective, Affine -> Xyzz, 8, |point| *point;
    g2_to_affine: G2Projective, Xyzz -> Affine, 8, |point| *point;
    g2_double: G2Projective, Xyzz -> Xyzz, 8, |point| point + point;
}
