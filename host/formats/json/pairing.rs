//! e(α, β) as snarkjs writes it into a verification key.

use blst::{blst_fp6, blst_fp12};
use blstrs::{G1Affine, G2Affine};

use super::points::decimal2;

/// Fp12 over Fp6 over Fp2.
pub(super) type GtJson = [[[String; 2]; 3]; 2];

pub(super) fn pairing_json(p: &G1Affine, q: &G2Affine) -> GtJson {
    let mut value = blst_fp12::default();
    let mut result = blst_fp12::default();
    // SAFETY: all pointers are to live values of the functions' types; both points are in their
    // groups.
    unsafe {
        blst::blst_miller_loop(&mut value, q.as_ref(), p.as_ref());
        blst::blst_final_exp(&mut result, &value);
    }
    let fp6 = |value: &blst_fp6| [0, 1, 2].map(|i| decimal2(&value.fp2[i]));
    [0, 1].map(|i| fp6(&result.fp6[i]))
}
