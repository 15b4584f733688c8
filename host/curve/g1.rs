//! G1: y² = x³ + 4 over Fp.

use blst::{
    blst_fp, blst_p1, blst_p1_affine, blst_p1_from_affine, blst_p1_in_g1, blst_p1_to_affine,
};
use blstrs::G1Projective;
use group::Group;

use super::{AffinePoint, BaseField, CurveGroup};

/// The group of the curve over Fp.
#[derive(Clone, Copy, Debug)]
pub struct G1;

impl AffinePoint for blst_p1_affine {
    type Field = blst_fp;

    #[inline(always)]
    fn new(x: blst_fp, y: blst_fp) -> Self {
        Self { x, y }
    }

    #[inline(always)]
    fn x(&self) -> &blst_fp {
        &self.x
    }

    #[inline(always)]
    fn y(&self) -> &blst_fp {
        &self.y
    }
}

impl CurveGroup for G1 {
    type Field = blst_fp;
    type Affine = blst_p1_affine;
    type Projective = G1Projective;

    const NAME: &'static str = "G1";
    const BYTES: usize = 2 * blst_fp::BYTES;
    /// 4·R mod p
    const B: blst_fp = blst_fp {
        l: [
            0xaa27_0000_000c_fff3,
            0x53cc_0032_fc34_000a,
            0x478f_e97a_6b0a_807f,
            0xb1d3_7ebe_e6ba_24d7,
            0x8ec9_733b_bf78_ab2f,
            0x09d6_4551_3d83_de7e,
        ],
    };

    fn to_projective(point: &blst_p1_affine) -> G1Projective {
        let mut result = G1Projective::identity();
        // SAFETY: blst reads an affine point and writes a projective one.
        unsafe { blst_p1_from_affine(result.as_mut(), point) };
        result
    }

    fn to_affine(point: &G1Projective) -> blst_p1_affine {
        let mut result = blst_p1_affine::default();
        // SAFETY: blst reads a projective point and writes an affine one.
        unsafe { blst_p1_to_affine(&mut result, point.as_ref()) };
        result
    }

    fn from_jacobian(x: &blst_fp, y: &blst_fp, z: &blst_fp) -> G1Projective {
        let mut result = G1Projective::identity();
        *result.as_mut() = blst_p1 { x: *x, y: *y, z: *z };
        result
    }

    fn is_in_subgroup(point: &G1Projective) -> bool {
        // SAFETY: blst reads a projective point.
        unsafe { blst_p1_in_g1(point.as_ref()) }
    }
}
