//! Many affine additions that share one inversion (Montgomery's trick): 5M + 1S each.

use super::{AffinePoint, BaseField};

/// What becomes of a pair of points.
#[derive(Clone, Copy)]
enum Kind {
    /// Different x: the chord.
    Add,
    /// The same point twice: the tangent.
    Double,
    /// The first is infinity.
    Second,
    /// The second is infinity.
    First,
    /// A point and its inverse.
    Cancel,
}

/// A pair's share of the common inversion.
struct Pair<F> {
    /// x₂ − x₁, or 2y for a doubling; unused where `kind` needs no division.
    denominator: F,
    /// The product of the denominators that were collected before this one.
    product_before: F,
    kind: Kind,
}

/// Sums up segments of consecutive points by a tree of pairwise additions, one inversion a level.
///
/// Holds only scratch memory; an adder can be used for any number of sums.
pub(crate) struct BatchAdder<A: AffinePoint> {
    pairs: Vec<Pair<A::Field>>,
}

impl<A: AffinePoint> BatchAdder<A> {
    /// An adder with room for segments of `points` points in all; it grows when given more.
    pub(crate) fn with_capacity(points: usize) -> Self {
        Self { pairs: Vec::with_capacity(points / 2) }
    }

    /// Replaces each segment by its sum. The segments are `lengths[0]` points, then `lengths[1]`,
    /// and so on, one behind the other in `points`; afterwards `points` starts with the sum of
    /// each segment that is not empty, in order, and `lengths` is 1 for those and 0 for the rest.
    pub(crate) fn sum_segments(&mut self, points: &mut [A], lengths: &mut [u32]) {
        let mut total: usize = lengths.iter().map(|&length| length as usize).sum();
        while lengths.iter().any(|&length| length > 1) {
            let inverse = self.collect(&points[..total], lengths).inverse();
            total = self.combine(inverse, points, lengths);
        }
    }

    /// Pairs neighbours, last pair first, so that [`combine`](Self::combine) meets them in order.
    /// Gives the product of all denominators.
    fn collect(&mut self, points: &[A], lengths: &[u32]) -> A::Field {
        self.pairs.clear();
        let mut product = A::Field::ONE;
        let mut end = points.len();
        for &length in lengths.iter().rev() {
            let start = end - length as usize;
            for pair in points[start..end].as_chunks::<2>().0.iter().rev() {
                let (kind, denominator) = classify(&pair[0], &pair[1]);
                let product_before = product;
                if matches!(kind, Kind::Add | Kind::Double) {
                    product = product.mul(&denominator);
                }
                self.pairs.push(Pair { denominator, product_before, kind });
            }
            end = start;
        }
        product
    }

    /// Adds the collected pairs in place and moves odd points up to them; gives the number of
    /// points that are left. A result lands at or before its operands, all of which are read.
    fn combine(&mut self, inverse: A::Field, points: &mut [A], lengths: &mut [u32]) -> usize {
        let mut inverse = inverse;
        let (mut from, mut to) = (0, 0);
        for length in lengths {
            for _ in 0..*length / 2 {
                let pair = self.pairs.pop().expect("one was collected for every two points");
                let (first, second) = (points[from], points[from + 1]);
                from += 2;
                points[to] = match pair.kind {
                    Kind::Add => {
                        let share = inverse.mul(&pair.product_before);
                        inverse = inverse.mul(&pair.denominator);
                        let slope = second.y().sub(first.y()).mul(&share);
                        third_point(&first, second.x(), &slope)
                    }
                    Kind::Double => {
                        let share = inverse.mul(&pair.product_before);
                        inverse = inverse.mul(&pair.denominator);
                        let square = first.x().square();
                        let slope = square.double().add(&square).mul(&share);
                        third_point(&first, first.x(), &slope)
                    }
                    Kind::First => first,
                    Kind::Second => second,
                    Kind::Cancel => A::default(),
                };
                to += 1;
            }
            if *length % 2 == 1 {
                points[to] = points[from];
                from += 1;
                to += 1;
            }
            *length = length.div_ceil(2);
        }
        to
    }
}

#[inline(always)]
fn classify<A: AffinePoint>(first: &A, second: &A) -> (Kind, A::Field) {
    let difference = second.x().sub(first.x());
    if first.is_infinity() {
        (Kind::Second, difference)
    } else if second.is_infinity() {
        (Kind::First, difference)
    } else if !difference.is_zero() {
        (Kind::Add, difference)
    } else if first.y() == second.y() && !first.y().is_zero() {
        (Kind::Double, first.y().double())
    } else {
        (Kind::Cancel, difference)
    }
}

/// The sum of `first` and a point with `other_x`, on the line of this slope:
/// x₃ = λ² − x₁ − x₂, y₃ = λ(x₁ − x₃) − y₁.
#[inline(always)]
fn third_point<A: AffinePoint>(first: &A, other_x: &A::Field, slope: &A::Field) -> A {
    let x = slope.square().sub(first.x()).sub(other_x);
    let y = first.x().sub(&x).mul(slope).sub(first.y());
    A::new(x, y)
}
