//! Sums of points.

use std::marker::PhantomData;

use blstrs::{G1Projective, G2Projective};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::fuzz::{self, LENGTHS, OneIn};
use crate::group::{Group, Multiple};
use crate::launch::{Grid, elementwise};
use crate::words::Words;

/// A point's form: without denominators or with.
#[derive(Clone, Copy)]
pub enum Form {
    Affine,
    Xyzz,
}

impl Form {
    /// How many coordinates it has.
    pub fn coordinates(self) -> usize {
        match self {
            Self::Affine => 2,
            Self::Xyzz => 4,
        }
    }

    /// The words of a point, over the denominators z² and z³ if it has any.
    pub fn words<G: Group>(self, point: &G, z: &Words) -> Words {
        match self {
            Self::Affine => Words::concat(&point.coordinates().each_ref()),
            Self::Xyzz => over(point, z),
        }
    }
}

/// A kernel that adds points with denominators and points of some form.
struct Sum<G> {
    kernel: &'static str,
    second: Form,
    part: OneIn,
    group: PhantomData<G>,
}

/// Two points and their denominators' z.
type Row = (Multiple, Multiple, Words, Words);

/// The words of a point over the denominators z² and z³.
pub fn over<G: Group>(point: &G, z: &Words) -> Words {
    let [x, y] = point.coordinates();
    if point.is_identity().into() {
        // Whatever the numerators, and zero is what they often are.
        let zero = Words::zero(z.0.len());
        let numerator = if z.0[0].is_multiple_of(2) { z } else { &zero };
        return Words::concat(&[numerator, numerator, &zero, &zero]);
    }
    let zz = G::product(z, z);
    let zzz = G::product(&zz, z);
    Words::concat(&[&G::product(&x, &zz), &G::product(&y, &zzz), &zz, &zzz])
}

/// That `words` are x, y, zz and zzz of a point.
pub fn same<G: Group>(words: &Words, point: &G) -> Result<(), TestCaseError> {
    let parts: Vec<_> = words.0.chunks(G::field().words()).map(|c| Words(c.into())).collect();
    let [x, y, zz, zzz] = &parts[..] else { unreachable!("four coordinates") };
    prop_assert!(G::field().is_canonical(words), "not canonical: {:?}", parts);
    if point.is_identity().into() {
        prop_assert!(zz.is_zero() && zzz.is_zero(), "{:?}, not infinity", parts);
        return Ok(());
    }
    prop_assert!(!zz.is_zero(), "infinity: {:?}", parts);
    let cube = G::product(&G::product(zz, zz), zz);
    prop_assert!(cube == G::product(zzz, zzz), "denominators of no point: {:?}", parts);
    let [ax, ay] = point.coordinates();
    let equal = *x == G::product(&ax, zz) && *y == G::product(&ay, zzz);
    prop_assert!(equal, "{:?} is not the point {:?}", parts, [ax, ay]);
    Ok(())
}

/// Any z but 0.
pub fn denominator<G: Group>() -> impl Strategy<Value = Words> {
    let z = |words: Words| if words.is_zero() { one::<G>() } else { words };
    G::field().strategy().prop_map(z)
}

/// Some element that is not zero (1 in Montgomery form is another).
pub fn one<G: Group>() -> Words {
    let mut words = Words::zero(G::field().words());
    words.0[0] = 1;
    words
}

/// A few multiples, whose sums meet every special case.
pub fn multiples<G: Group>() -> Vec<Multiple> {
    let mut multiples: Vec<_> = (-3..4).map(Multiple::of).collect();
    if G::HAS_ORDER_THREE {
        let sums = [(0, 1), (0, -1), (1, 1), (1, -1), (-1, 1)];
        let sum = |(generator, order_three)| Multiple { generator, order_three };
        multiples.extend(sums.map(sum));
    }
    multiples
}

impl<G: Group> Sum<G> {
    fn new(kernel: &'static str, second: Form, part: u32) -> Self {
        Self { kernel, second, part: OneIn(part), group: PhantomData }
    }

    fn run(&self, grid: Grid, rows: &[Vec<Words>]) -> Result<Vec<Words>, TestCaseError> {
        elementwise(self.kernel, grid, rows, 4 * G::field().words())
    }

    fn check(&self, grid: Grid, rows: &[Row]) -> Result<(), TestCaseError> {
        let points: Vec<_> = rows.iter().map(|row| (G::point(row.0), G::point(row.1))).collect();
        let words =
            |((a, b), row): (&(G, G), &Row)| vec![over(a, &row.2), self.second.words(b, &row.3)];
        let words: Vec<_> = points.iter().zip(rows).map(words).collect();
        let sums = self.run(grid, &words)?;
        for ((sum, (a, b)), row) in sums.iter().zip(&points).zip(rows) {
            same(sum, &(*a + b)).map_err(|why| {
                TestCaseError::fail(format!(
                    "{} of {:?} and {:?}: {why}",
                    self.kernel, row.0, row.1
                ))
            })?;
        }
        Ok(())
    }

    /// Every pair of the special multiples.
    fn special_cases(&self) {
        let multiples = multiples::<G>();
        let edges = G::field().edges();
        let z = |i: usize| edges[1 + i % 5].clone();
        let pairs = multiples.iter().flat_map(|a| multiples.iter().map(move |b| (*a, *b)));
        let rows: Vec<_> = pairs.enumerate().map(|(i, (a, b))| (a, b, z(i), z(i + 1))).collect();
        self.check(Grid::covering(rows.len()), &rows).unwrap_or_else(|error| panic!("{error}"));
    }

    fn lengths(&self) {
        // Different for two neighbours, and never infinity, which fresh memory looks like.
        let row =
            |i: usize| (Multiple::of(1 + i as i128 % 3), Multiple::of(2), one::<G>(), one::<G>());
        for length in LENGTHS {
            let rows: Vec<_> = (0..length).map(row).collect();
            self.check(Grid::covering(length), &rows)
                .unwrap_or_else(|error| panic!("of {length}: {error}"));
        }
    }

    /// Sums that go on as the first operand of the next.
    fn the_same_point_many_times(&self) {
        let points: Vec<G> = [1, -2, i128::MAX, 0].map(|k| G::point(Multiple::of(k))).into();
        let mut sums: Vec<_> = points.iter().map(|_| over(&G::identity(), &one::<G>())).collect();
        let mut expected = vec![G::identity(); points.len()];
        for _ in 0..12 {
            let rows = sums.into_iter().zip(&points);
            let rows: Vec<_> =
                rows.map(|(sum, p)| vec![sum, self.second.words(p, &one::<G>())]).collect();
            sums = self.run(Grid::covering(rows.len()), &rows).expect("no fault");
            for ((sum, point), expected) in sums.iter().zip(&points).zip(&mut expected) {
                *expected += point;
                same(sum, expected).unwrap_or_else(|error| panic!("{}: {error}", self.kernel));
            }
        }
    }

    fn drawn(&self) {
        let row = (G::operands(), denominator::<G>(), denominator::<G>())
            .prop_map(|((a, b), za, zb)| (a, b, za, zb));
        fuzz::batches(file!(), self.part, row, |grid, rows| self.check(grid, rows));
    }
}

macro_rules! sums {
    ($($kernel:ident: $group:ty, $second:ident, $part:literal;)*) => {
        pub const TESTED: &[&str] = &[$(stringify!($kernel)),*];

        $(mod $kernel {
            use super::*;

            fn sum() -> Sum<$group> {
                Sum::new(stringify!($kernel), Form::$second, $part)
            }

            #[test]
            fn special_cases() {
                sum().special_cases();
            }

            #[test]
            fn lengths() {
                sum().lengths();
            }

            #[test]
            fn the_same_point_many_times() {
                sum().the_same_point_many_times();
            }

            #[test]
            fn drawn() {
                sum().drawn();
            }
        })*
    };
}

sums! {
    g1_add_affine: G1Projective, Affine, 2;
    g1_add_affine_shared: G1Projective, Affine, 2;
    g1_add: G1Projective, Xyzz, 2;
    g1_add_shared: G1Projective, Xyzz, 2;
    g1_add_team: G1Projective, Xyzz, 2;
    g2_add_affine: G2Projective, Affine, 4;
    g2_add_affine_shared: G2Projective, Affine, 4;
    g2_add: G2Projective, Xyzz, 4;
    g2_add_shared: G2Projective, Xyzz, 4;
    g2_add_team: G2Projective, Xyzz, 4;
}
