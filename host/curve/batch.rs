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

/// Sums up segments of consecutive points by a tree of pairwise additions, one inversion a level.
///
/// Holds only scratch memory; an adder can be used for any number of sums.
pub(crate) struct BatchAdder<A: AffinePoint> {
    kinds: Vec<Kind>,
    /// x₂ − x₁ for each pair, or 2y for a doubling; unused where a kind needs no division.
    denominators: Vec<A::Field>,
    /// The product of the denominators before a pair's own; then that of all.
    products: Vec<A::Field>,
}

impl<A: AffinePoint> BatchAdder<A> {
    /// An adder with room for segments of `points` points in all; it grows when given more.
    pub(crate) fn with_capacity(points: usize) -> Self {
        let mut adder = Self { kinds: Vec::new(), denominators: Vec::new(), products: Vec::new() };
        adder.reserve(points / 2);
        adder
    }

    fn reserve(&mut self, pairs: usize) {
        if self.kinds.len() < pairs {
            self.kinds.resize(pairs, Kind::Cancel);
            self.denominators.resize(pairs, A::Field::ZERO);
            self.products.resize(pairs + 1, A::Field::ONE);
        }
    }

    /// Replaces each segment by its sum. The segments are `lengths[0]` points, then `lengths[1]`,
    /// and so on, one behind the other in `points`; afterwards `points` starts with the sum of
    /// each segment that is not empty, in order, and `lengths` is 1 for those and 0 for the rest.
    pub(crate) fn sum_segments(&mut self, points: &mut [A], lengths: &mut [u32]) {
        let mut total: usize = lengths.iter().map(|&length| length as usize).sum();
        loop {
            let pairs = lengths.iter().map(|&length| length as usize / 2).sum();
            if pairs == 0 {
                break;
            }
            self.reserve(pairs);
            self.collect(&points[..total], lengths, pairs);
            total = self.combine(points, lengths, pairs);
        }
    }

    /// Fills in the scratch memory for all pairs of neighbours. The last pair is number 0, so that
    /// [`combine`](Self::combine), which starts from the product of all, meets them in order.
    fn collect(&mut self, points: &[A], lengths: &[u32], pairs: usize) {
        let kinds = self.kinds[..pairs].iter_mut();
        let mut slots = kinds.zip(&mut self.denominators[..pairs]);
        let [first, products @ ..] = &mut self.products[..] else { return };
        *first = A::Field::ONE;
        let (mut product, mut products) = (first, products.iter_mut());
        let mut end = points.len();
        for &length in lengths.iter().rev() {
            let start = end - length as usize;
            for pair in points[start..end].as_chunks::<2>().0.iter().rev() {
                let (Some((kind, denominator)), Some(next)) = (slots.next(), products.next())
                else {
                    return;
                };
                (*kind, *denominator) = classify(&pair[0], &pair[1]);
                match kind {
                    Kind::Add | Kind::Double => next.set_mul(product, denominator),
                    _ => *next = *product,
                }
                product = next;
            }
            end = start;
        }
    }

    /// Adds the collected pairs in place and moves odd points up to them; gives the number of
    /// points that are left. A result lands at or before its operands, all of which are read.
    fn combine(&mut self, points: &mut [A], lengths: &mut [u32], pairs: usize) -> usize {
        let mut inverse = self.products[pairs].inverse();
        // 1 / (this pair's denominator).
        let mut share = A::Field::ZERO;
        let kinds = self.kinds[..pairs].iter().rev();
        let scratch = self.denominators[..pairs].iter().zip(&self.products[..pairs]).rev();
        let mut pairs = kinds.zip(scratch);
        let (mut from, mut to) = (0, 0);
        for length in lengths {
            for (kind, (denominator, product_before)) in pairs.by_ref().take(*length as usize / 2) {
                let (first, second) = (&points[from], &points[from + 1]);
                let sum = match kind {
                    Kind::Add => {
                        let mut slope = second.y().sub(first.y());
                        share.set_mul(&inverse, product_before);
                        inverse.mul_assign(denominator);
                        slope.mul_assign(&share);
                        third_point(first, second.x(), &slope)
                    }
                    Kind::Double => {
                        let square = first.x().square();
                        let mut slope = square.double().add(&square);
                        share.set_mul(&inverse, product_before);
                        inverse.mul_assign(denominator);
                        slope.mul_assign(&share);
                        third_point(first, first.x(), &slope)
                    }
                    Kind::First => *first,
                    Kind::Second => *second,
                    Kind::Cancel => A::default(),
                };
                points[to] = sum;
                from += 2;
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
    let mut square = A::Field::ZERO;
    square.set_square(slope);
    let x = square.sub(first.x()).sub(other_x);
    let mut y = first.x().sub(&x);
    y.mul_assign(slope);
    A::new(x, y.sub(first.y()))
}
