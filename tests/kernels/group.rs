//! The groups in blst.

use std::ops::Neg;

use blst::{blst_fp, blst_fp2};
use blstrs::{G1Affine, G1Projective, G2Projective, Scalar};
use ff::Field as _;
use group::{Curve, prime::PrimeCurve};
use proptest::prelude::*;
use warpfield_device::strategies::operands;

use crate::field::{FP, FP2, Field};
use crate::words::Words;

/// A point, as a sum of multiples of two others: a generator, and a point of order three with
/// abscissa 0, where the group has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiple {
    pub generator: i128,
    pub order_three: i8,
}

impl Multiple {
    pub const INFINITY: Self = Self { generator: 0, order_three: 0 };

    /// Of the generator.
    pub fn of(generator: i128) -> Self {
        Self { generator, order_three: 0 }
    }
}

impl Neg for Multiple {
    type Output = Self;

    fn neg(self) -> Self {
        Self { generator: -self.generator, order_three: -self.order_three }
    }
}

/// A point of blst's, and the coordinates of ours.
pub trait Group:
    PrimeCurve + group::Group<Scalar = Scalar> + Curve<AffineRepr = <Self as PrimeCurve>::Affine>
{
    /// Whether there is a point of order three with abscissa 0.
    const HAS_ORDER_THREE: bool;

    /// The field of the coordinates.
    fn field() -> &'static Field;

    /// That point of order three.
    fn order_three() -> Self;

    /// x and y, of infinity 0 and 0.
    fn coordinates(&self) -> [Words; 2];

    /// The product of coordinates.
    fn product(a: &Words, b: &Words) -> Words;

    /// The point that a multiple names.
    fn point(multiple: Multiple) -> Self {
        let magnitude = multiple.generator.unsigned_abs();
        let [low, high] = [magnitude as u64, (magnitude >> 64) as u64].map(Scalar::from);
        let point = Self::generator() * (low + high * Scalar::from(1 << 32).square());
        let point = if multiple.generator < 0 { -point } else { point };
        match multiple.order_three {
            0 => point,
            1 => point + Self::order_three(),
            _ => point - Self::order_three(),
        }
    }

    /// Often one of few points, so that sums meet.
    fn multiple() -> BoxedStrategy<Multiple> {
        let generator = prop_oneof![3 => -3i128..4, 3 => any::<i128>()];
        let order_three = if Self::HAS_ORDER_THREE { -1i8..2 } else { 0..1 };
        (generator, prop_oneof![3 => Just(0), 1 => order_three])
            .prop_map(|(generator, order_three)| Multiple { generator, order_three })
            .boxed()
    }

    /// A sum's two operands, often equal, opposite or infinite.
    fn operands() -> BoxedStrategy<(Multiple, Multiple)> {
        operands(Self::multiple(), Multiple::INFINITY).boxed()
    }
}

impl Group for G1Projective {
    const HAS_ORDER_THREE: bool = true;

    fn field() -> &'static Field {
        &FP
    }

    fn order_three() -> Self {
        G1Affine::from_raw_unchecked(0.into(), 2.into(), false).into()
    }

    fn coordinates(&self) -> [Words; 2] {
        let affine = self.to_affine();
        [words(&affine.as_ref().x), words(&affine.as_ref().y)]
    }

    fn product(a: &Words, b: &Words) -> Words {
        let mut out = blst_fp::default();
        // SAFETY: three valid pointers.
        unsafe { blst::blst_fp_mul(&mut out, &fp(&a.0), &fp(&b.0)) };
        words(&out)
    }
}

impl Group for G2Projective {
    // 4 + 4u is not a square.
    const HAS_ORDER_THREE: bool = false;

    fn field() -> &'static Field {
        &FP2
    }

    fn order_three() -> Self {
        unreachable!("not in this group")
    }

    fn coordinates(&self) -> [Words; 2] {
        let affine = self.to_affine();
        [words2(&affine.as_ref().x), words2(&affine.as_ref().y)]
    }

    fn product(a: &Words, b: &Words) -> Words {
        let mut out = blst_fp2::default();
        // SAFETY: three valid pointers.
        unsafe { blst::blst_fp2_mul(&mut out, &fp2(a), &fp2(b)) };
        words2(&out)
    }
}

fn words(value: &blst_fp) -> Words {
    Words(value.l.iter().flat_map(|l| [*l as u32, (l >> 32) as u32]).collect())
}

fn words2(value: &blst_fp2) -> Words {
    Words::concat(&[&words(&value.fp[0]), &words(&value.fp[1])])
}

fn fp(words: &[u32]) -> blst_fp {
    let limb = |i: usize| u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32;
    blst_fp { l: std::array::from_fn(limb) }
}

fn fp2(words: &Words) -> blst_fp2 {
    blst_fp2 { fp: [fp(&words.0[..12]), fp(&words.0[12..])] }
}
