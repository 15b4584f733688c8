//! The two groups of BLS12-381 as the prover uses them: affine points in a file's own bytes,
//! sums by batched affine additions, and the checks a point from a file has to pass.
//!
//! Field arithmetic is blst's. Its representation is also that of the files: an affine point is
//! x then y, each in Montgomery form with R = 2^384 as little-endian limbs (Fp2: c0 then c1), and
//! (0, 0), which is on neither curve, stands for infinity.

mod batch;
mod buckets;
mod check;
mod field;
mod fp;
mod fp2;
mod g1;
mod g2;
mod slice;
mod subgroup;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use check::{PointError, PointFault, check_on_curve, check_point};
pub use field::BaseField;
pub use g1::G1;
pub use g2::G2;
pub use slice::{PointSlice, UnevenLength, write_points};
pub use subgroup::{SUBGROUP_ERROR_BITS, check_in_subgroup};

pub(crate) use batch::BatchAdder;
pub(crate) use buckets::{Digit, bucket_sums, piece, signed_sum, sum};
pub(crate) use slice::prefetch;

use std::fmt::Debug;

use blstrs::Scalar;
use group::Group;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::G1 {}
    impl Sealed for super::G2 {}
    impl Sealed for blst::blst_fp {}
    impl Sealed for blst::blst_fp2 {}
    impl Sealed for blst::blst_p1_affine {}
    impl Sealed for blst::blst_p2_affine {}
}

/// A point of [`CurveGroup`] in affine coordinates; (0, 0) is infinity.
pub trait AffinePoint:
    sealed::Sealed + Copy + Default + Debug + PartialEq + Send + Sync + 'static
{
    /// The field of the coordinates.
    type Field: BaseField;

    /// The point (x, y), unchecked.
    fn new(x: Self::Field, y: Self::Field) -> Self;
    /// The first coordinate.
    fn x(&self) -> &Self::Field;
    /// The second coordinate.
    fn y(&self) -> &Self::Field;

    /// Whether this is infinity. The y of a point of the curve is never 0 (both group orders are
    /// odd), so that it alone nearly always decides.
    #[inline]
    fn is_infinity(&self) -> bool {
        self.y().is_zero() && self.x().is_zero()
    }

    /// The point if `negative` is false, its inverse if true.
    #[inline]
    fn negate_if(&self, negative: bool) -> Self {
        Self::new(*self.x(), self.y().negate_if(negative))
    }
}

/// [`G1`] or [`G2`]: y² = x³ + b over Fp or Fp2.
///
/// The types are blst's (affine) and blstrs' (projective), so that a result needs no conversion
/// before it meets a pairing or an encoder.
pub trait CurveGroup: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// The field of the coordinates.
    type Field: BaseField;
    /// A point in affine coordinates, as files hold it.
    type Affine: AffinePoint<Field = Self::Field>;
    /// A point as the rest of the prover adds it up.
    type Projective: Group<Scalar = Scalar>;

    /// "G1" or "G2", for messages.
    const NAME: &'static str;
    /// Bytes of an affine point: 96 or 192.
    const BYTES: usize;
    /// The coefficient b of the curve's equation.
    const B: Self::Field;

    /// The same point in projective coordinates.
    fn to_projective(point: &Self::Affine) -> Self::Projective;
    /// The same point in affine coordinates; costs an inversion.
    fn to_affine(point: &Self::Projective) -> Self::Affine;
    /// The point (x/z², y/z³), or infinity if z is 0.
    fn from_jacobian(x: &Self::Field, y: &Self::Field, z: &Self::Field) -> Self::Projective;
    /// Whether a point of the curve is in the subgroup of order r (blst's endomorphism test).
    fn is_in_subgroup(point: &Self::Projective) -> bool;
}
