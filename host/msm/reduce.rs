//! Σ k · bucketₖ.

use group::Group;
use rayon::prelude::*;

use crate::curve::{BatchAdder, CurveGroup, piece, prefetch};

/// How many points of a line ahead of its use a point is asked for.
const PREFETCH: usize = 8;

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
        || line_sums::<G>(buckets, (rows, columns), (columns, 1)),
        || line_sums::<G>(buckets, (columns, 1), (rows, columns)),
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

/// The sums of `lines` lines of `length` points: point j of line i is number i·`stride` + j·`step`.
fn line_sums<G: CurveGroup>(
    buckets: &[G::Affine],
    (lines, stride): (usize, usize),
    (length, step): (usize, usize),
) -> Vec<G::Affine> {
    let lines_per_task = (piece::<G>() / length).max(1);
    let capacity = lines_per_task * length;
    let init = || (BatchAdder::<G::Affine>::with_capacity(capacity), Vec::with_capacity(capacity));
    let tasks = (0..lines.div_ceil(lines_per_task)).into_par_iter();
    let sums = tasks.map_init(init, |(adder, points), task| {
        let lines = task * lines_per_task..lines.min((task + 1) * lines_per_task);
        let mut lengths = vec![length as u32; lines.len()];
        points.clear();
        for line in lines {
            for at in (0..length).map(|j| line * stride + j * step) {
                if let Some(later) = buckets.get(at + PREFETCH * step) {
                    prefetch(later);
                }
                points.push(buckets[at]);
            }
        }
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
