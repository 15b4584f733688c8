//! Sums of pairs with one inversion for all, in three launches: `denominators(products, prefixes, a,
//! b, count)`, an inverse of each product, and `sums(out, prefixes, inverses, a, b, count)`.

use std::marker::PhantomData;

use blstrs::{G1Projective, G2Projective};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::fuzz::{self, OneIn};
use crate::group::{Group, Multiple};
use crate::launch::{Grid, Memory, kernel};
use crate::maps::affine;
use crate::points::multiples;
use crate::words::Words;

/// The kernels, in their order.
struct Addition<G> {
    denominators: &'static str,
    inverse: &'static str,
    sums: &'static str,
    part: OneIn,
    group: PhantomData<G>,
}

/// What the sums are written to.
#[derive(Clone, Copy, Debug)]
enum Out {
    Apart,
    A,
    B,
}

type Pair = (Multiple, Multiple);

impl<G: Group> Addition<G> {
    fn check(&self, out: Out, grid: Grid, pairs: &[Pair]) -> Result<(), TestCaseError> {
        let grid = grid.clipped(self.denominators).clipped(self.sums);
        let points: Vec<_> = pairs.iter().map(|(a, b)| (G::point(*a), G::point(*b))).collect();
        let words = |point: &G| Words::concat(&point.coordinates().each_ref()).0;
        let words_a: Vec<u32> = points.iter().flat_map(|(a, _)| words(a)).collect();
        let words_b: Vec<u32> = points.iter().flat_map(|(_, b)| words(b)).collect();
        let element = G::field().words();

        let memory = Memory::new();
        let (a, b) = (memory.upload(&words_a)?, memory.upload(&words_b)?);
        let products = memory.uninitialised(grid.size() * element)?;
        let inverses = memory.uninitialised(grid.size() * element)?;
        let prefixes = memory.uninitialised(pairs.len() * element)?;
        let sums = match out {
            Out::Apart => memory.uninitialised(words_a.len())?,
            Out::A => a,
            Out::B => b,
        };
        let count = pairs.len() as u32;
        let args = [products.into(), prefixes.into(), a.into(), b.into(), count.into()];
        memory.launch(&kernel(self.denominators), grid, &args)?;
        let args = [inverses.into(), products.into(), (grid.size() as u32).into()];
        memory.launch(&kernel(self.inverse), grid, &args)?;
        let download = || -> Result<_, TestCaseError> {
            let prefixes = memory.download(prefixes, pairs.len() * element)?;
            Ok((prefixes, memory.download(inverses, grid.size() * element)?))
        };
        let before = download()?;
        let args =
            [sums.into(), prefixes.into(), inverses.into(), a.into(), b.into(), count.into()];
        memory.launch(&kernel(self.sums), grid, &args)?;

        let unchanged = matches!(out, Out::A) || memory.download(a, words_a.len())? == words_a;
        prop_assert!(unchanged, "{:?}: a is not what it was", out);
        let unchanged = matches!(out, Out::B) || memory.download(b, words_b.len())? == words_b;
        prop_assert!(unchanged, "{:?}: b is not what it was", out);
        prop_assert!(download()? == before, "the last step changes what the others wrote");
        let results = memory.download(sums, words_a.len())?;
        for (index, (a, b)) in points.iter().enumerate() {
            let result = &results[2 * element * index..][..2 * element];
            affine(&Words(result.into()), &(*a + b)).map_err(|why| {
                let ((a, b), count) = (pairs[index], pairs.len());
                TestCaseError::fail(format!(
                    "{a:?} + {b:?} at {index} of {count} ({grid:?}, {out:?}): {why}"
                ))
            })?;
        }
        Ok(())
    }

    fn expect(&self, out: Out, (blocks, threads): (u32, u32), pairs: &[Pair]) {
        let grid = Grid { blocks, threads };
        self.check(out, grid, pairs).unwrap_or_else(|error| panic!("{}: {error}", self.sums));
    }

    fn lengths(&self) {
        for count in [0, 1, 2, 31, 32, 33] {
            self.expect(Out::Apart, (1, 32), &chords(count));
        }
    }

    /// Threads with several pairs, some with one fewer than others, or with none; full blocks.
    fn shares(&self) {
        for (blocks, threads, count) in
            [(1, 1, 33), (2, 3, 20), (3, 2, 5), (2, 33, 200), (2, 256, 300)]
        {
            self.expect(Out::Apart, (blocks, threads), &chords(count));
        }
    }

    /// Every pair of the special multiples, and so every kind of a pair before every other kind.
    fn special_cases(&self) {
        for grid in [(1, 1), (1, 7), (1, 256)] {
            self.expect(Out::Apart, grid, &special::<G>());
        }
    }

    /// Batches of which no pair, or one, has a denominator.
    fn trivial_pairs(&self) {
        let g = Multiple::of(1);
        let trivial = [(g, -g), (g, Multiple::INFINITY), (Multiple::INFINITY, g)];
        for mut pairs in [trivial.to_vec(), vec![(Multiple::INFINITY, Multiple::INFINITY); 3]] {
            self.expect(Out::Apart, (1, 1), &pairs);
            for at in 0..=3 {
                pairs.insert(at, (g, g));
                self.expect(Out::Apart, (1, 1), &pairs);
                pairs.remove(at);
            }
        }
    }

    fn in_place(&self) {
        for out in [Out::A, Out::B] {
            self.expect(out, (1, 32), &special::<G>());
        }
    }

    fn drawn(&self) {
        let row = (G::operands(), prop::sample::select(vec![Out::Apart, Out::A, Out::B]));
        fuzz::batches(file!(), self.part, row, |grid, rows| {
            let out = rows.first().map_or(Out::Apart, |row| row.1);
            let pairs: Vec<_> = rows.iter().map(|row| row.0).collect();
            self.check(out, grid, &pairs)
        });
    }
}

/// Pairs of different points; different for neighbours too.
fn chords(count: usize) -> Vec<Pair> {
    (0..count as i128).map(|i| (Multiple::of(1 + i % 5), Multiple::of(7 + i % 3))).collect()
}

fn special<G: Group>() -> Vec<Pair> {
    let multiples = multiples::<G>();
    multiples.iter().flat_map(|a| multiples.iter().map(|b| (*a, *b))).collect()
}

macro_rules! additions {
    ($($test:ident: $group:ty, $part:literal, $denominators:ident, $inverse:ident, $sums:ident;)*) => {
        pub const TESTED: &[&str] = &[$(stringify!($denominators), stringify!($sums)),*];

        $(mod $test {
            use super::*;

            fn addition() -> Addition<$group> {
                Addition {
                    denominators: stringify!($denominators),
                    inverse: stringify!($inverse),
                    sums: stringify!($sums),
                    part: OneIn($part),
                    group: PhantomData,
                }
            }

            #[test]
            fn lengths() {
                addition().lengths();
            }

            #[test]
            fn shares() {
                addition().shares();
            }

            #[test]
            fn special_cases() {
                addition().special_cases();
            }

            #[test]
            fn trivial_pairs() {
                addition().trivial_pairs();
            }

            #[test]
            fn in_place() {
                addition().in_place();
            }

            #[test]
            fn drawn() {
                addition().drawn();
            }
        })*
    };
}

additions! {
    g1: G1Projective, 2, g1_batch_denominators, fp_inv, g1_batch_sums;
    g2: G2Projective, 4, g2_batch_denominators, fp2_inv, g2_batch_sums;
}
