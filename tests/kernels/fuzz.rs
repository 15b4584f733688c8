//! Drawing batches, and shrinking those that fail to one element.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseError, TestRunner};

use crate::launch::Grid;

/// The counts at which blocks and warps are empty, full, or one off.
pub const LENGTHS: [usize; 9] = [0, 1, 2, 31, 32, 33, 255, 256, 257];

/// The most elements of a drawn batch: a few warps, the last of them with two lanes.
const MOST: usize = 66;

/// Batches that are drawn of the cheapest kernels, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 64;

/// Part of the batches that a kernel gets: one in so many.
#[derive(Clone, Copy)]
pub struct OneIn(pub u32);

/// Any small grid: too small ones make the kernel go around again.
pub fn grid() -> impl Strategy<Value = Grid> {
    (1u32..4, prop::sample::select(vec![32u32, 1, 31, 33, 64, 256]))
        .prop_map(|(blocks, threads)| Grid { blocks, threads })
}

/// Draws batches and shrinks the first that fails: to fewer elements, then each element.
pub fn batches<R: Debug>(
    source: &'static str,
    OneIn(part): OneIn,
    row: impl Strategy<Value = R>,
    check: impl Fn(Grid, &[R]) -> Result<(), TestCaseError>,
) {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    config.cases = config.cases.div_ceil(part);
    config.max_shrink_iters = 10_000;
    config.max_shrink_time = 60_000;
    config.source_file = Some(source);
    config.failure_persistence = Some(Box::new(FileFailurePersistence::WithSource("regressions")));
    let batch = prop::collection::vec(row, 0..=MOST);
    let result = TestRunner::new(config).run(&(grid(), batch), |(grid, rows)| check(grid, &rows));
    if let Err(error) = result {
        panic!("{error}");
    }
}
