//! `.r1cs`: a circuit's constraints, as circom writes them.
//!
//! Section 1: modulus, wires, public outputs, public inputs, private inputs, labels (u64),
//! constraints. Section 2: for each constraint the combinations A, B, C, each a u32 count and then
//! (u32 wire, value in ordinary form). Section 3: a u64 label a wire. Version 1.

use std::io::Write;
use std::path::Path;

use blstrs::Scalar;

use super::container::{Container, Kind, Reader, Writer, encode_modulus};
use super::{Error, Fault, Source, has_magic};
use crate::circuit::{Matrix, R1cs};
use crate::field::{SCALAR_MODULUS, modulus_bytes, scalar_from_canonical, scalar_to_canonical};

pub(crate) static R1CS: Kind = Kind {
    magic: b"r1cs",
    name: ".r1cs",
    version: 1,
    sections: &["header", "constraints", "labels", "custom gates", "custom gates in use"],
};

/// Bytes of the shortest constraint: three counts of zero.
const SHORTEST_CONSTRAINT: u64 = 12;

/// Reads and checks a circuit.
///
/// # Errors
///
/// [`Error`] if the file is malformed, is for another curve, or names wires that do not exist.
pub fn open(path: impl AsRef<Path>) -> Result<R1cs, Error> {
    read(&Source::open_beginning(path, has_magic)?)
}

/// The same for a source that is open already.
///
/// # Errors
///
/// As [`open`].
#[tracing::instrument(level = "info", name = "load_circuit", skip_all)]
pub fn read(source: &Source) -> Result<R1cs, Error> {
    let container = Container::parse(source, &R1CS)?;
    let (mut r1cs, n_constraints) = header(container.section(1)?)?;
    let mut section = container.section(2)?;
    if u64::from(n_constraints) * SHORTEST_CONSTRAINT > section.remaining() as u64 {
        let fault = Fault::Length {
            what: format!("{n_constraints} constraints, or more"),
            expected: u64::from(n_constraints) * SHORTEST_CONSTRAINT,
            found: section.remaining() as u64,
        };
        return Err(section.fault(fault));
    }
    for _ in 0..n_constraints {
        for matrix in [&mut r1cs.a, &mut r1cs.b, &mut r1cs.c] {
            combination(&mut section, r1cs.n_wires, matrix)?;
        }
    }
    section.rest(0, || format!("the end of {n_constraints} constraints"))?;
    if container.sections.iter().any(|(id, range)| *id == 5 && range.len() > 4) {
        let feature = "custom gates, which Groth16 does not have";
        return Err(container.section(5)?.fault(Fault::Unsupported(feature)));
    }
    // A label a wire: this bounds the number of wires by the file's length.
    container
        .section(3)?
        .rest(u64::from(r1cs.n_wires) * 8, || format!("{} labels of 8 bytes", r1cs.n_wires))?;
    Ok(r1cs)
}

/// The sizes, and the number of constraints.
fn header(mut section: Reader<'_>) -> Result<(R1cs, u32), Error> {
    section.modulus(&modulus_bytes(&SCALAR_MODULUS))?;
    let sizes = section.position();
    let r1cs = R1cs {
        n_wires: section.u32()?,
        n_public_outputs: section.u32()?,
        n_public_inputs: section.u32()?,
        n_private_inputs: section.u32()?,
        n_labels: section.u64()?,
        ..R1cs::default()
    };
    let n_constraints = section.u32()?;
    section.rest(0, || "the end of the header".into())?;
    // Not the private inputs: circom counts those that it has left out because nothing uses them.
    let named = 1 + u64::from(r1cs.n_public_outputs) + u64::from(r1cs.n_public_inputs);
    if named > u64::from(r1cs.n_wires) {
        let message = format!(
            "the constant, outputs and public inputs are {named} wires, but there are only {}",
            r1cs.n_wires
        );
        return Err(section.fault_at(sizes, Fault::Inconsistent(message)));
    }
    Ok((r1cs, n_constraints))
}

fn combination(section: &mut Reader<'_>, n_wires: u32, matrix: &mut Matrix) -> Result<(), Error> {
    let count = section.u32()?;
    let start = section.position();
    // Taking the bytes first bounds what a wild count can make this allocate.
    let (terms, _) = section.skip(u64::from(count) * 36)?.as_chunks::<36>();
    for (index, term) in terms.iter().enumerate() {
        let (wire, value) = term.split_first_chunk().expect("36 bytes are more than 4");
        let wire = u32::from_le_bytes(*wire);
        if wire >= n_wires {
            let fault = Fault::Range {
                what: "the wire",
                found: u64::from(wire),
                bound: u64::from(n_wires),
            };
            return Err(section.fault_at(start + 36 * index, fault));
        }
        let value = value.first_chunk().and_then(scalar_from_canonical);
        let value =
            value.ok_or_else(|| section.fault_at(start + 36 * index + 4, Fault::ScalarRange))?;
        matrix.push(wire, value);
    }
    matrix.end_row();
    Ok(())
}

/// Writes a circuit in the same format. Labels are numbered as the wires are.
///
/// # Errors
///
/// Those of the writer.
pub fn write(r1cs: &R1cs, out: impl Write) -> std::io::Result<()> {
    let mut header = encode_modulus(&SCALAR_MODULUS);
    for size in [r1cs.n_wires, r1cs.n_public_outputs, r1cs.n_public_inputs, r1cs.n_private_inputs] {
        header.extend(size.to_le_bytes());
    }
    header.extend(r1cs.n_labels.to_le_bytes());
    header.extend((r1cs.n_constraints() as u32).to_le_bytes());

    let mut constraints = Vec::new();
    for ((a, b), c) in r1cs.a.rows().zip(r1cs.b.rows()).zip(r1cs.c.rows()) {
        [a, b, c].into_iter().for_each(|row| encode_combination(row, &mut constraints));
    }
    let labels: Vec<u8> = (0..u64::from(r1cs.n_wires)).flat_map(u64::to_le_bytes).collect();

    let mut writer = Writer::new(out, &R1CS, 3)?;
    writer.section(1, &[&header])?;
    writer.section(2, &[&constraints])?;
    writer.section(3, &[&labels])
}

fn encode_combination(row: &[(u32, Scalar)], out: &mut Vec<u8>) {
    out.extend((row.len() as u32).to_le_bytes());
    for (wire, value) in row {
        out.extend(wire.to_le_bytes());
        out.extend(scalar_to_canonical(value));
    }
}
