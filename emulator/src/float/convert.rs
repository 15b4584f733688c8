//! `cvt`: between integers and floats of every width.

use super::{F32, F64, Format, Num, Rounding, negative, saturate};
use crate::ir::Cvt;
use crate::lanes::Word;
use crate::ptx::types::Type;

/// Converts one value.
pub(crate) fn convert(c: &Cvt, bits: u64) -> u64 {
    match (format(c.from), format(c.to)) {
        (None, None) => integer(c, source(c.from, bits)),
        (None, Some(to)) => {
            let v = source(c.from, bits);
            clamp_unit(c, to.round(v < 0, v.unsigned_abs(), 0, false, c.rounding))
        }
        (Some(from), None) => to_integer(c, from, flush_in(c, bits)),
        (Some(from), Some(to)) => float(c, from, to, flush_in(c, bits)),
    }
}

fn format(ty: Type) -> Option<Format> {
    match (ty.is_float(), ty.bits) {
        (false, _) => None,
        (true, 32) => Some(F32),
        _ => Some(F64),
    }
}

fn flush_in(c: &Cvt, bits: u64) -> u64 {
    if c.ftz && c.from.bits == 32 { f32::get(bits).flush().put() } else { bits }
}

use super::Float;

/// The integer that the low bits of a register hold.
fn source(ty: Type, bits: u64) -> i128 {
    let up = 64 - ty.bits;
    if ty.is_signed() {
        i128::from((bits << up) as i64 >> up)
    } else {
        i128::from(bits << up >> up)
    }
}

fn range(ty: Type) -> (i128, i128) {
    if ty.is_signed() {
        (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1)
    } else {
        (0, (1 << ty.bits) - 1)
    }
}

/// Cuts to the type and extends to the register.
fn store(c: &Cvt, v: i128) -> u64 {
    let cut = source(c.to, v as u64) as u64;
    if c.reg_bits >= 64 { cut } else { cut & ((1 << c.reg_bits) - 1) }
}

fn integer(c: &Cvt, v: i128) -> u64 {
    let (low, high) = range(c.to);
    store(c, if c.sat { v.clamp(low, high) } else { v })
}

/// Out of range goes to the nearest bound, with or without `.sat`.
fn to_integer(c: &Cvt, from: Format, bits: u64) -> u64 {
    let (low, high) = range(c.to);
    let v = match from.unpack(bits) {
        // The manual: zero, unless 64 bits are on either side; then the top bit alone.
        Num::Nan if c.from.bits == 64 || c.to.bits == 64 => {
            let top = 1i128 << (c.to.bits - 1);
            if c.to.is_signed() { -top } else { top }
        }
        Num::Nan => 0,
        Num::Inf(true) => low,
        Num::Inf(false) => high,
        Num::Finite(n, sig, exp) => {
            // Anything beyond 2^70 is out of range already.
            match integral(n, sig, exp.min(70), c.rounding) {
                (true, m) => -(m.min(1 << 80) as i128),
                (false, m) => m.min(1 << 80) as i128,
            }
        }
    };
    store(c, v.clamp(low, high))
}

/// Sign and magnitude of the nearest integer in the direction.
fn integral(negative: bool, sig: u128, exp: i32, mode: Rounding) -> (bool, u128) {
    if exp >= 0 {
        return (negative, sig << exp);
    }
    let shift = exp.unsigned_abs();
    let (m, half, rest) = if shift > 127 {
        (0, false, sig != 0)
    } else {
        let below = sig & ((1 << shift) - 1);
        let half = 1u128 << (shift - 1);
        (sig >> shift, below & half != 0, below & (half - 1) != 0)
    };
    let up = match mode {
        Rounding::Nearest => half && (rest || m & 1 == 1),
        Rounding::Zero => false,
        Rounding::Down => negative && (half || rest),
        Rounding::Up => !negative && (half || rest),
    };
    (negative, m + u128::from(up))
}

fn float(c: &Cvt, from: Format, to: Format, bits: u64) -> u64 {
    let value = from.unpack(bits);
    let out = match value {
        Num::Nan if (from.precision, to.precision) == (24, 24) => to.nan,
        // Otherwise the payload keeps its place from the top.
        Num::Nan if to.precision == 24 => {
            let sign = if bits >> 63 == 1 { to.sign_bit() } else { 0 };
            sign | to.infinity(false) | 1 << 22 | (bits >> 29 & ((1 << 23) - 1))
        }
        Num::Nan if from.precision == 24 => {
            let fraction = bits & ((1 << 23) - 1);
            let sign = if bits >> 31 & 1 == 1 { to.sign_bit() } else { 0 };
            sign | to.infinity(false) | 1 << 51 | fraction << 29
        }
        Num::Nan => bits | 1 << 51,
        Num::Inf(n) => to.infinity(n),
        Num::Finite(n, sig, exp) if c.integral && exp < 0 => {
            let (_, m) = integral(n, sig, exp, c.rounding);
            to.round(n, m, 0, false, Rounding::Nearest)
        }
        Num::Finite(n, sig, exp) => to.round(n, sig, exp, false, c.rounding),
    };
    let out = if c.ftz && c.to.bits == 32 { f32::get(out).flush().put() } else { out };
    debug_assert!(value == Num::Nan || negative(value) == negative(to.unpack(out)));
    clamp_unit(c, out)
}

/// `.sat` of a float result.
fn clamp_unit(c: &Cvt, bits: u64) -> u64 {
    match (c.sat, c.to.bits) {
        (false, _) => bits,
        (true, 32) => saturate(f32::get(bits)).put(),
        (true, _) => saturate(f64::get(bits)).put(),
    }
}
