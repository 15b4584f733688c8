//! G2: y² = x³ + 4(u + 1) over Fp2.

use blst::{
    blst_fp2, blst_p2, blst_p2_affine, blst_p2_from_affine, blst_p2_in_g2, blst_p2_to_affine,
};
use blstrs::G2Projective;
use group::Group;

use super::{AffinePoint, BaseField, CurveGroup, G1};

/// The group of the curve over Fp2.
#[derive(Clone, Copy, Debug)]
pub struct G2;

impl AffinePoint for blst_p2_affine {
    type Field = blst_fp2;

    #[inline(always)]
    fn new(x: blst_fp2, y: blst_fp2) -> Self {
        Self { x, y }
    }

    #[inline(always)]
    fn x(&self) -> &blst_fp2 {
        &self.x
    }

    #[inline(always)]
    fn y(&self) -> &blst_fp2 {
        &self.y
    }
}

impl CurveGroup for G2 {
    type Field = blst_fp2;
    type Affine = blst_p2_affine;
    type Projective = G2Projective;

    const NAME: &'static str = "G2";
    const BYTES: usize = 2 * blst_fp2::BYTES;
    /// 4(u + 1): both components are G1's b.
    const B: blst_fp2 = blst_fp2 { fp: [G1::B; 2] };

    fn to_projective(point: &blst_p2_affine) -> G2Projective {
        let mut result = G2Projective::identity();
        // SAFETY: blst reads an affine point and writes a projective one.
        unsafe { blst_p2_from_affine(result.as_mut(), point) };
        result
    }

    fn to_affine(point: &G2Projective) -> blst_p2_affine {
        let mut result = blst_p2_affine::default();
        // SAFETY: blst reads a projective point and writes an affine one.
        unsafe { blst_p2_to_affine(&mut result, point.as_ref()) };
        result
    }

    fn from_jacobian(x: &blst_fp2, y: &blst_fp2, z: &blst_fp2) -> G2Projective {
        let mut result = G2Projective::identity();
        *result.as_mut() = blst_p2 { x: *x, y: *y, z: *z };
        result
    }

    fn is_in_subgroup(point: &G2Projective) -> bool {
        // SAFETY: blst reads a projective point.
        unsafe { blst_p2_in_g2(point.as_ref()) }
    }
}
