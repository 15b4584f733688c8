//! Batch inverses: `name(out, values, prefixes, count)`.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::field::{FP, FP2, FR, Field};
use crate::fuzz::{self, OneIn};
use crate::launch::{Grid, Memory, kernel};
use crate::words::Words;

/// What the kernel writes its results to.
#[derive(Clone, Copy, Debug)]
enum Out {
    Apart,
    Values,
    Prefixes,
}

/// Which elements are zero.
#[derive(Clone, Copy, Debug)]
enum Zeros {
    None,
    Every(usize),
    One(usize),
    All,
}

fn run(
    name: &str,
    field: &Field,
    out: Out,
    grid: Grid,
    values: &[Words],
) -> Result<(), TestCaseError> {
    let memory = Memory::new();
    let words: Vec<u32> = values.iter().flat_map(|value| &value.0).copied().collect();
    let input = memory.upload(&words)?;
    let prefixes = memory.uninitialised(words.len())?;
    let output = match out {
        Out::Apart => memory.uninitialised(words.len())?,
        Out::Values => input,
        Out::Prefixes => prefixes,
    };
    let args = [output.into(), input.into(), prefixes.into(), (values.len() as u32).into()];
    memory.launch(&kernel(name), grid, &args)?;
    let results = memory.download(output, words.len())?;
    if !matches!(out, Out::Values) {
        prop_assert!(memory.download(input, words.len())? == words, "{name} changes its input");
    }
    for (index, (value, result)) in values.iter().zip(results.chunks(field.words())).enumerate() {
        let expected = field.to_words(&field.invert(&field.element(value)));
        prop_assert!(
            result == expected.0,
            "{name} of {value:?} at {index} of {} ({grid:?}, {out:?}) is {:?}, not {expected:?}",
            values.len(),
            Words(result.into())
        );
    }
    Ok(())
}

/// Different elements, of which those that the pattern says are zero.
fn values(field: &Field, zeros: Zeros, count: usize) -> Vec<Words> {
    let edges: Vec<_> = field.edges().into_iter().filter(|edge| !edge.is_zero()).collect();
    let zero = |i: usize| match zeros {
        Zeros::None => false,
        Zeros::Every(n) => i % n == n - 1,
        Zeros::One(at) => i == at % count,
        Zeros::All => true,
    };
    let value = |i: usize| match zero(i) {
        true => Words::zero(field.words()),
        false => edges[i % edges.len()].clone(),
    };
    (0..count).map(value).collect()
}

fn lengths(name: &str, field: &Field) {
    let grid = Grid { blocks: 1, threads: 32 };
    for count in [0, 1, 2, 31, 32, 33] {
        let values = values(field, Zeros::None, count);
        run(name, field, Out::Apart, grid, &values).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Threads with several elements, some with one fewer than others, or with none.
fn shares(name: &str, field: &Field) {
    for (blocks, threads, count) in [(1, 1, 33), (2, 3, 20), (3, 2, 5), (2, 33, 200)] {
        let values = values(field, Zeros::Every(5), count);
        run(name, field, Out::Apart, Grid { blocks, threads }, &values)
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

fn zeros(name: &str, field: &Field) {
    let grid = Grid { blocks: 1, threads: 3 };
    let patterns = [
        Zeros::Every(2),
        Zeros::Every(3),
        Zeros::All,
        Zeros::One(0),
        Zeros::One(5),
        Zeros::One(usize::MAX),
    ];
    for zeros in patterns {
        let values = values(field, zeros, 13);
        run(name, field, Out::Apart, grid, &values)
            .unwrap_or_else(|error| panic!("{zeros:?}: {error}"));
    }
}

fn places(name: &str, field: &Field) {
    let values = values(field, Zeros::Every(4), 13);
    for out in [Out::Values, Out::Prefixes] {
        run(name, field, out, Grid { blocks: 1, threads: 4 }, &values)
            .unwrap_or_else(|error| panic!("{error}"));
    }
}

fn drawn(name: &str, field: &'static Field) {
    let value = (0u32..4, field.strategy())
        .prop_map(|(kind, value)| if kind == 0 { Words::zero(value.0.len()) } else { value });
    fuzz::batches(file!(), OneIn(8), value, |grid, values| {
        run(name, field, Out::Apart, grid, values)
    });
}

macro_rules! batch_inverses {
    ($($kernel:ident: $field:ident;)*) => {
        pub const TESTED: &[&str] = &[$(stringify!($kernel)),*];

        $(mod $kernel {
            use super::*;

            const NAME: &str = stringify!($kernel);

            #[test]
            fn lengths() {
                super::lengths(NAME, &$field);
            }

            #[test]
            fn shares() {
                super::shares(NAME, &$field);
            }

            #[test]
            fn zeros() {
                super::zeros(NAME, &$field);
            }

            #[test]
            fn places() {
                super::places(NAME, &$field);
            }

            #[test]
            fn drawn() {
                super::drawn(NAME, &$field);
            }
        })*
    };
}

batch_inverses! {
    fr_batch_inverse: FR;
    fp_batch_inverse: FP;
    fp2_batch_inverse: FP2;
}
