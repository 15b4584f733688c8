//! Writes the parts of a key as a `.zkey` file.

use std::io::{self, Write};

use blst::{blst_p1_affine, blst_p2_affine};

use super::super::container::{Writer, encode_modulus};
use super::ZKEY;
use crate::field::{FP_MODULUS, SCALAR_MODULUS};
use crate::groth16::{COEFFICIENT_BYTES, KeyParts};

/// Bytes of section 10 when nobody has contributed: a hash of the circuit (left zero: `snarkjs zkey
/// verify` has no ceremony to check) and the count 0.
const NO_CONTRIBUTIONS: [u8; 64 + 4] = [0; 68];

/// Writes a key that snarkjs, too, can prove with.
///
/// # Errors
///
/// Those of the writer.
pub fn write(parts: &KeyParts, out: impl Write) -> io::Result<()> {
    let mut header = encode_modulus(&FP_MODULUS);
    header.extend(encode_modulus(&SCALAR_MODULUS));
    for size in [parts.n_wires, parts.vk.n_public() as u32, 1 << parts.log_domain] {
        header.extend(size.to_le_bytes());
    }
    let vk = &parts.vk;
    push_g1(&mut header, vk.alpha_g1.as_ref());
    push_g1(&mut header, parts.beta_g1.as_ref());
    push_g2(&mut header, vk.beta_g2.as_ref());
    push_g2(&mut header, vk.gamma_g2.as_ref());
    push_g1(&mut header, parts.delta_g1.as_ref());
    push_g2(&mut header, vk.delta_g2.as_ref());
    let mut ic = Vec::new();
    vk.ic.iter().for_each(|point| push_g1(&mut ic, point.as_ref()));
    let count = (parts.coefficients.len() / COEFFICIENT_BYTES) as u32;

    let mut writer = Writer::new(out, &ZKEY, 10)?;
    writer.section(1, &[&1u32.to_le_bytes()])?;
    writer.section(2, &[&header])?;
    writer.section(3, &[&ic])?;
    writer.section(4, &[&count.to_le_bytes(), &parts.coefficients])?;
    writer.section(5, &[&parts.a])?;
    writer.section(6, &[&parts.b1])?;
    writer.section(7, &[&parts.b2])?;
    writer.section(8, &[&parts.c])?;
    writer.section(9, &[&parts.h])?;
    writer.section(10, &[&NO_CONTRIBUTIONS])
}

fn push_g1(out: &mut Vec<u8>, point: &blst_p1_affine) {
    for coordinate in [&point.x, &point.y] {
        out.extend(coordinate.l.iter().flat_map(|limb| limb.to_le_bytes()));
    }
}

fn push_g2(out: &mut Vec<u8>, point: &blst_p2_affine) {
    for coordinate in point.x.fp.iter().chain(&point.y.fp) {
        out.extend(coordinate.l.iter().flat_map(|limb| limb.to_le_bytes()));
    }
}
