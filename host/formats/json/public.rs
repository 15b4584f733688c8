//! `public.json`: the public signals, a list of decimal strings.

use blstrs::Scalar;
use num_bigint::BigUint;

use super::points::integer;
use super::{parse, to_json};
use crate::field::{SCALAR_BYTES, scalar_from_canonical, scalar_to_canonical};
use crate::formats::{Error, Fault, Source};

/// The text of public signals.
pub fn public_to_json(signals: &[Scalar]) -> String {
    let decimals: Vec<String> = signals
        .iter()
        .map(|signal| BigUint::from_bytes_le(&scalar_to_canonical(signal)).to_string())
        .collect();
    to_json(&decimals)
}

/// Reads public signals.
///
/// # Errors
///
/// [`Error`] if one is not a decimal string or not below r: a verifier that reduces it would accept
/// several encodings of one statement.
pub fn read_public(source: &Source) -> Result<Vec<Scalar>, Error> {
    let decimals: Vec<String> = parse(source)?;
    let signal = |(index, decimal): (usize, &String)| {
        let error = |fault| Error::new(source.path(), fault).in_section(format!("signal {index}"));
        let value = integer(decimal).ok_or_else(|| error(Fault::Json(NOT_DECIMAL.into())))?;
        scalar(&value).ok_or_else(|| error(Fault::ScalarRange))
    };
    decimals.iter().enumerate().map(signal).collect()
}

const NOT_DECIMAL: &str = "not a decimal number below the field's modulus, without leading zeros; is it as snarkjs wrote it?";

fn scalar(value: &BigUint) -> Option<Scalar> {
    let digits = value.to_bytes_le();
    let mut bytes = [0; SCALAR_BYTES];
    bytes.get_mut(..digits.len())?.copy_from_slice(&digits);
    scalar_from_canonical(&bytes)
}
