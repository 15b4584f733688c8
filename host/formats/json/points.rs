//! Points as triples of decimal strings.

use std::path::Path;

use blst::{blst_fp, blst_fp2, blst_p1_affine, blst_p2_affine};
use blstrs::{G1Affine, G2Affine};
use num_bigint::BigUint;

use super::super::{Error, Fault};
use super::quote;
use crate::curve::{CurveGroup, G1, G2, PointFault, check_point};
use crate::field::{fp_from_integer, fp_to_integer};
use crate::formats::point::{g1_affine, g2_affine};

/// x, y, z in G1.
pub(super) type G1Json = [String; 3];
/// x, y, z in G2, each [c0, c1].
pub(super) type G2Json = [[String; 2]; 3];

/// More digits than any number below 2³⁸⁴ has: longer strings are refused before any arithmetic.
const MAX_DIGITS: usize = 116;

/// A decimal string as an integer. `None` if it is anything else, has leading zeros (a number has
/// one form) or is longer than a field element.
pub(super) fn integer(decimal: &str) -> Option<BigUint> {
    let digits = !decimal.is_empty() && decimal.bytes().all(|byte| byte.is_ascii_digit());
    let shortest = decimal == "0" || !decimal.starts_with('0');
    (digits && shortest && decimal.len() <= MAX_DIGITS)
        .then(|| decimal.parse().expect("all are digits"))
}

fn fp(decimal: &str) -> Result<blst_fp, Fault> {
    let value = integer(decimal).ok_or_else(|| {
        Fault::Json(format!(
            "{} is not a decimal number; is it as snarkjs wrote it?",
            quote(decimal)
        ))
    })?;
    fp_from_integer(&value).ok_or(Fault::Point(PointFault::NotReduced))
}

fn fp2([c0, c1]: &[String; 2]) -> Result<blst_fp2, Fault> {
    Ok(blst_fp2 { fp: [fp(c0)?, fp(c1)?] })
}

/// Whether a point is infinity, (0, 1, 0), which has no other form; else z must be 1.
fn is_infinity<T: PartialEq>([x, y, z]: &[T; 3], [zero, one]: [T; 2]) -> Result<bool, Fault> {
    if *z == one {
        return Ok(false);
    }
    match *z == zero && *x == zero && *y == one {
        true => Ok(true),
        false => Err(Fault::Json(
            "the point is neither (x, y, 1) nor (0, 1, 0); is it as snarkjs wrote it?".into(),
        )),
    }
}

/// Checks that a point is on its curve and in the subgroup.
fn checked<G: CurveGroup>(point: G::Affine) -> Result<G::Affine, Fault> {
    check_point::<G>(&point).map_err(Fault::Point)?;
    Ok(point)
}

pub(super) fn g1(path: &Path, name: &str, json: &G1Json) -> Result<G1Affine, Error> {
    let [x, y, _] = json;
    let point = || {
        if is_infinity(json, ["0", "1"].map(String::from))? {
            return Ok(G1Affine::default());
        }
        let point = blst_p1_affine { x: fp(x)?, y: fp(y)? };
        Ok(g1_affine(checked::<G1>(point)?))
    };
    point().map_err(|fault: Fault| Error::new(path, fault).in_section(name))
}

pub(super) fn g2(path: &Path, name: &str, json: &G2Json) -> Result<G2Affine, Error> {
    let [x, y, _] = json;
    let point = || {
        if is_infinity(json, [["0", "0"], ["1", "0"]].map(|z| z.map(String::from)))? {
            return Ok(G2Affine::default());
        }
        let point = blst_p2_affine { x: fp2(x)?, y: fp2(y)? };
        Ok(g2_affine(checked::<G2>(point)?))
    };
    point().map_err(|fault: Fault| Error::new(path, fault).in_section(name))
}

pub(super) fn decimal(value: &blst_fp) -> String {
    fp_to_integer(value).to_string()
}

pub(super) fn decimal2(value: &blst_fp2) -> [String; 2] {
    [decimal(&value.fp[0]), decimal(&value.fp[1])]
}

pub(super) fn g1_json(point: &G1Affine) -> G1Json {
    let raw = point.as_ref();
    if *point == G1Affine::default() {
        return ["0", "1", "0"].map(str::to_owned);
    }
    [decimal(&raw.x), decimal(&raw.y), "1".into()]
}

pub(super) fn g2_json(point: &G2Affine) -> G2Json {
    let raw = point.as_ref();
    if *point == G2Affine::default() {
        return [["0", "0"], ["1", "0"], ["0", "0"]].map(|pair| pair.map(str::to_owned));
    }
    [decimal2(&raw.x), decimal2(&raw.y), ["1".into(), "0".into()]]
}
