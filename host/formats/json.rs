//! snarkjs' JSON: proofs, public signals and verification keys.
//!
//! Numbers are decimal strings; points are projective with z = 1 (infinity is (0, 1, 0)); a
//! quadratic extension element is [c0, c1]. What is written is what snarkjs writes, byte for byte,
//! but for the last newline.

mod pairing;
mod points;
mod proof;
mod public;
mod verification_key;

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, Fault, Source};

pub use proof::{proof_to_json, read_proof};
pub use public::{public_to_json, read_public};
pub use verification_key::{read_verification_key, verification_key_to_json};

/// The curve's name in snarkjs' files.
const CURVE: &str = "bls12381";
const PROTOCOL: &str = "groth16";

/// JSON as snarkjs formats it: one space a level.
fn to_json(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    value.serialize(&mut serializer).expect("strings and vectors serialise to memory");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// Writes JSON and a newline.
///
/// # Errors
///
/// Those of the writer.
pub fn write(json: &str, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    writeln!(out, "{json}")
}

/// Opens a file for what reads JSON here. Of a pipe that does not begin as JSON it reads no more than that.
///
/// # Errors
///
/// As of [`Source::open`].
pub fn open(path: impl AsRef<Path>) -> Result<Source, Error> {
    Source::open_beginning(path, |bytes| {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        first.is_none_or(|byte| b"{[".contains(byte))
    })
}

/// Parses a file; the error carries the offset that serde_json found.
fn parse<T: DeserializeOwned>(source: &Source) -> Result<T, Error> {
    let bytes = source.bytes();
    serde_json::from_slice(bytes).map_err(|error| {
        let line_start = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .take(error.line().saturating_sub(1))
            .map(<[u8]>::len)
            .sum::<usize>();
        let fault = Fault::Json(format!(
            "{}; is this the JSON that snarkjs writes, and in its place?",
            shortened(&error.to_string())
        ));
        Error::new(source.path(), fault).at(line_start + error.column().saturating_sub(1))
    })
}

/// A message without its middle where that is long: serde_json quotes whole strings of the file.
fn shortened(message: &str) -> String {
    const END: usize = 120;
    let chars = message.chars().count();
    if chars <= 2 * END {
        return message.to_owned();
    }
    let start: String = message.chars().take(END).collect();
    let end: String = message.chars().skip(chars - END).collect();
    format!("{start} … {end}")
}

/// The beginning of a text from a file, made fit for a terminal.
fn quote(text: &str) -> String {
    format!("{:?}", text.chars().take(24).collect::<String>())
}

/// Refuses other curves and protocols by name.
fn check_kind(path: &Path, protocol: &str, curve: &str) -> Result<(), Error> {
    if protocol != PROTOCOL {
        let fault = Fault::Protocol(quote(protocol));
        return Err(Error::new(path, fault).in_section("protocol"));
    }
    if !["bls12381", "bls12-381", "BLS12381", "BLS12-381"].contains(&curve) {
        return Err(Error::new(path, Fault::Curve(quote(curve))).in_section("curve"));
    }
    Ok(())
}
