//! What is fuzzed: for each format its reader and what a user does next with what was read. The
//! same functions are a module of tests/corpus.rs, which runs them without a fuzzer.
//!
//! A target panics where a reader does, and where something does not hold that must: see
//! README.md. It returns whether the bytes were accepted.

mod allocation;
mod compressed;
mod parameters;
mod proof;
mod public;
mod r1cs;
mod verification_key;
mod wtns;
mod zkey;

use warpfield::formats::{Error, Source};

pub use compressed::compressed;
pub use parameters::{encode, parameters};
pub use proof::proof;
pub use public::public;
pub use r1cs::r1cs;
pub use verification_key::verification_key;
pub use wtns::wtns;
pub use zkey::zkey;

/// Reads bytes, and works with what it read.
pub type Target = fn(&[u8]) -> bool;

/// All of them, by the names of their folders in `corpus`.
pub const TARGETS: [(&str, Target); 8] = [
    ("compressed", compressed),
    ("parameters", parameters),
    ("proof", proof),
    ("public", public),
    ("r1cs", r1cs),
    ("verification_key", verification_key),
    ("wtns", wtns),
    ("zkey", zkey),
];

/// Bytes that a reader may allocate for each byte of its input. The dearest are numbers of one digit in
/// JSON: four bytes make a string and a value, in vectors that double.
const READING: usize = 48;

/// The same for all that a target does: MSMs and transforms of very few points.
const WORKING: usize = 1 << 10;

/// Bytes that may be allocated whatever the input's length: messages, and what rayon's threads make once.
const ONCE: usize = 1 << 20;

/// Characters of the longest message, less than a screen of them.
const LONGEST: usize = 500;

/// Runs a target, with a bound to what it allocates.
pub fn run(target: Target, bytes: &[u8]) -> bool {
    let (accepted, used) = allocation::peak(|| target(bytes));
    let allowed = WORKING * bytes.len() + 8 * ONCE;
    assert!(used <= allowed, "work with {} bytes took {used}", bytes.len());
    accepted
}

/// What a reader makes of the bytes. Its error must be a short line, fit for a terminal, that points into them.
fn read<T>(bytes: &[u8], reader: impl FnOnce(&Source) -> Result<T, Error>) -> Option<T> {
    let source = Source::from_bytes("file", bytes.to_vec());
    let (result, used) = allocation::peak(|| reader(&source));
    let allowed = READING * bytes.len() + ONCE;
    assert!(used <= allowed, "reading {} bytes took {used}", bytes.len());
    let error = match result {
        Ok(read) => return Some(read),
        Err(error) => error,
    };
    let line = error.to_string();
    assert!(line.starts_with("file: ") && !line.contains(char::is_control), "{line:?}");
    assert!(line.chars().count() <= LONGEST, "a message of {} bytes: {line:.100}", line.len());
    assert!(error.offset.is_none_or(|offset| offset <= bytes.len() as u64), "{line}");
    None
}
