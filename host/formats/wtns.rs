//! `.wtns`: a witness, as circom's generated programs write it.
//!
//! Section 1: u32 byte count of the modulus, the modulus, u32 number of values. Section 2: the
//! values, 32 bytes each, little-endian, ordinary form. Version 2.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::container::{Container, Kind, Writer, encode_modulus};
use super::{Error, Fault, Source, has_magic};
use crate::field::{SCALAR_BYTES, SCALAR_MODULUS, is_canonical, modulus_bytes};
use crate::groth16::Witness;

pub(crate) static WTNS: Kind =
    Kind { magic: b"wtns", name: ".wtns", version: 2, sections: &["header", "values"] };

/// Reads and checks a witness; the values stay in the mapped file.
///
/// # Errors
///
/// [`Error`] if the file is malformed, is for another curve, has a value that is not below r, or
/// does not begin with 1.
pub fn open(path: impl AsRef<Path>) -> Result<Witness, Error> {
    read(&Source::open_beginning(path, has_magic)?)
}

/// The same for a source that is open already.
///
/// # Errors
///
/// As [`open`].
#[tracing::instrument(level = "info", name = "load_witness", skip_all)]
pub fn read(source: &Source) -> Result<Witness, Error> {
    let container = Container::parse(source, &WTNS)?;
    let mut header = container.section(1)?;
    header.modulus(&modulus_bytes(&SCALAR_MODULUS))?;
    let count = header.u32()?;
    header.rest(0, || "the end of the header".into())?;

    let mut section = container.section(2)?;
    let start = section.position();
    let range = section
        .rest(u64::from(count) * SCALAR_BYTES as u64, || format!("{count} values of 32 bytes"))?;
    let (values, _) = source.bytes()[range.clone()].as_chunks::<SCALAR_BYTES>();
    let mut one = [0; SCALAR_BYTES];
    one[0] = 1;
    if values.first() != Some(&one) {
        return Err(section.fault_at(start, Fault::WitnessOne));
    }
    if let Some(bad) = values.par_iter().position_first(|value| !is_canonical(value)) {
        return Err(section.fault_at(start + bad * SCALAR_BYTES, Fault::ScalarRange));
    }
    Ok(Witness::from_shared(source.shared(), range))
}

/// Writes a witness in the same format.
///
/// # Errors
///
/// Those of the writer.
pub fn write(witness: &Witness, out: impl Write) -> std::io::Result<()> {
    let values = witness.as_bytes();
    let count = (values.len() / SCALAR_BYTES) as u32;
    let mut writer = Writer::new(out, &WTNS, 2)?;
    writer.section(1, &[&encode_modulus(&SCALAR_MODULUS), &count.to_le_bytes()])?;
    writer.section(2, &[values])
}
