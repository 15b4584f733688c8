//! Points between blst's types, which the files share, and blstrs'.

use blst::{blst_p1_affine, blst_p2_affine};
use blstrs::{G1Affine, G2Affine};

pub(super) fn g1_affine(raw: blst_p1_affine) -> G1Affine {
    let mut point = G1Affine::default();
    *point.as_mut() = raw;
    point
}

pub(super) fn g2_affine(raw: blst_p2_affine) -> G2Affine {
    let mut point = G2Affine::default();
    *point.as_mut() = raw;
    point
}
