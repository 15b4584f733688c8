//! The chains that rates are measured with: `name(values, rounds)`, one element a thread.

use blstrs::{G1Projective, G2Projective};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::field::{Element, FP, FP2, FR, Field};
use crate::fuzz::{self, OneIn};
use crate::group::{Group, Multiple};
use crate::launch::{Grid, Memory, kernel};
use crate::points::{one, over, same};
use crate::words::Words;

/// The grid of exactly so many threads: these kernels have no bound.
pub fn exact(count: usize) -> Grid {
    match count {
        0 => Grid { blocks: 1, threads: 1 },
        count if count.is_multiple_of(2) => Grid { blocks: 2, threads: count as u32 / 2 },
        count => Grid { blocks: 1, threads: count as u32 },
    }
}

fn check(
    name: &str,
    field: &Field,
    step: fn(&Field, &Element, &Element) -> Element,
    values: &[Words],
) -> Result<(), TestCaseError> {
    if values.is_empty() {
        return Ok(());
    }
    for rounds in [0, 1, 5] {
        let memory = Memory::new();
        let words: Vec<u32> = values.iter().flat_map(|value| &value.0).copied().collect();
        let pointer = memory.upload(&words)?;
        let args = [pointer.into(), rounds.into()];
        memory.launch(&kernel(name), exact(values.len()), &args)?;
        let results = memory.download(pointer, words.len())?;
        for (value, result) in values.iter().zip(results.chunks(field.words())) {
            let first = field.element(value);
            let last = (0..rounds).fold(first.clone(), |value, _| step(field, &value, &first));
            prop_assert!(
                Words(result.into()) == field.to_words(&last),
                "{name} from {value:?}, {rounds} rounds: {:?}",
                Words(result.into())
            );
        }
    }
    Ok(())
}

macro_rules! rates {
    ($($kernel:ident: $field:ident, |$f:ident, $value:ident, $first:ident| $step:expr;)*) => {
        pub const TESTED: &[&str] =
            &["g1_add_affine_rate", "g2_add_affine_rate", $(stringify!($kernel)),*];

        $(#[test]
        fn $kernel() {
            fuzz::batches(file!(), OneIn(8), $field.strategy(), |_, values| {
                check(stringify!($kernel), &$field, |$f, $value, $first| $step, values)
            });
        })*
    };
}

rates! {
    fr_add_rate: FR, |f, a, b| f.add(a, b);
    fr_sub_rate: FR, |f, a, b| f.sub(a, b);
    fr_mul_rate: FR, |f, a, b| f.mul(a, b);
    fp_add_rate: FP, |f, a, b| f.add(a, b);
    fp_sub_rate: FP, |f, a, b| f.sub(a, b);
    fp_mul_rate: FP, |f, a, b| f.mul(a, b);
    fp_sqr_rate: FP, |f, a, _b| f.mul(a, a);
    fp2_mul_rate: FP2, |f, a, b| f.mul(a, b);
}

/// Each thread's sum of every grid's size-th point, around and around.
fn check_sums<G: Group>(name: &str) {
    // Equal and opposite neighbours, infinity, and sums that are infinite after an odd number of
    // additions and after an even one.
    let multiples = [1, 1, -2, 2, 0, -2, 5, -7];
    let points = multiples.map(|k| G::point(Multiple::of(k)));
    let words: Vec<u32> =
        points.iter().flat_map(|point| Words::concat(&point.coordinates().each_ref()).0).collect();
    let zero = over(&G::identity(), &one::<G>());
    for (size, rounds) in [(1, 0), (1, 20), (33, 9), (64, 3)] {
        let memory = Memory::new();
        let sums = memory.upload(&vec![&zero.0[..]; size].concat()).expect("memory");
        let table = memory.upload(&words).expect("memory");
        let args = [sums.into(), table.into(), 7u32.into(), (rounds as u32).into()];
        memory.launch(&kernel(name), exact(size), &args).expect("no fault");
        let results = memory.download(sums, size * zero.0.len()).expect("a copy");
        for (index, result) in results.chunks(zero.0.len()).enumerate() {
            let expected: G = (0..rounds).map(|round| points[(index + round * size) % 8]).sum();
            same(&Words(result.into()), &expected).expect("the sum");
        }
    }
}

#[test]
fn g1_add_affine_rate() {
    check_sums::<G1Projective>("g1_add_affine_rate");
}

#[test]
fn g2_add_affine_rate() {
    check_sums::<G2Projective>("g2_add_affine_rate");
}
