//! Σ k · bucketₖ.

use group::Group;
use rayon::prelude::*;

use crate::curve::{BatchAdder, CurveGroup};

/// Rows or columns that one task adds up.
const LINES: usize = 32;

/// Σ (k + 1) · buckets\[k\]; the number of buckets is a power of two.
///
/// With k = i·m + j the sum is m · Σ i·rowᵢ + Σ (j + 1)·columnⱼ. The rows' and columns' own sums
/// take two batched affine additions a bucket, where a running sum takes two projective ones of
/// about three times their cost; that is left for about √k rows and columns.
pub(super) fn weighted_sum<G: CurveGroup>(buckets: &[G::Affine]) -> G::Projective {
    let log_columns = buckets.len().ilog2() / 2;
    let columns = 1 << log_columns;
    let rows = buckets.len() / columns;
    let (row_sums, column_sums) = rayon::join(
        || line_sums::<G>(rows, columns, |row, column| buckets[row * columns + column]),
        || line_sums::<G>(columns, rows, |column, row| buckets[row * columns + column]),
    );
    let (mut by_row, by_column) = rayon::join(
        // Row i weighs i, so the first one is left out.
        || running_sum::<G>(&row_sums[1..]),
        || running_sum::<G>(&column_sums),
    );
    for _ in 0..log_columns {
        by_row = by_row.double();
    }
    by_row + by_column
}

/// The sums of `lines` lines of `length` points.
fn line_sums<G: CurveGroup>(
    lines: usize,
    length: usize,
    point: impl Fn(usize, usize) -> G::Affine + Sync,
) -> Vec<G::Affine> {
    let tasks = (0..lines.div_ceil(LINES)).into_par_iter();
    let init = || (BatchAdder::<G::Affine>::with_capacity(LINES * length), Vec::new());
    let sums = tasks.map_init(init, |(adder, points), task| {
        let lines = task * LINES..lines.min((task + 1) * LINES);
        let mut lengths = vec![length as u32; lines.len()];
        points.clear();
        points.extend(
            lines
                .flat_map(|line| (0..length).map(move |at| (line, at)))
                .map(|(line, at)| point(line, at)),
        );
        adder.sum_segments(points, &mut lengths);
        points[..lengths.len()].to_vec()
    });
    sums.flatten_iter().collect()
}

/// Σ (k + 1) · points\[k\], by adding up the sums of all tails.
fn running_sum<G: CurveGroup>(points: &[G::Affine]) -> G::Projective {
    let mut tail = G::Projective::identity();
    let mut total = G::Projective::identity();
    for point in points.iter().rev() {
        tail += G::to_projective(point);
        total += tail;
    }
    total
}
