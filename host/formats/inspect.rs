//! What a file is and what is in it, without checking its points or values.

use super::container::{Container, Kind, curve_name};
use super::r1cs::R1CS;
use super::wtns::WTNS;
use super::zkey::ZKEY;
use super::{Error, Fault, Source};
use crate::circuit::log_domain;

/// A description of a `.zkey`, `.wtns` or `.r1cs`.
#[derive(Clone, Debug)]
pub struct Report {
    /// The format.
    pub format: &'static str,
    /// Name and value of everything that the headers tell.
    pub facts: Vec<(&'static str, String)>,
    /// The sections in the file's order.
    pub sections: Vec<Section>,
}

/// A section of a file.
#[derive(Clone, Debug)]
pub struct Section {
    /// Number and name.
    pub name: String,
    /// Where its content begins, in bytes from the start of the file.
    pub offset: usize,
    /// Bytes of its content.
    pub bytes: usize,
}

/// Whether bytes begin as a `.zkey`, `.wtns` or `.r1cs` does: for [`Source::open_beginning`].
#[must_use]
pub fn has_magic(bytes: &[u8]) -> bool {
    [&ZKEY, &WTNS, &R1CS].iter().any(|kind| bytes.starts_with(kind.magic))
}

/// Describes a file by its headers. Other curves are described, too.
///
/// # Errors
///
/// [`Error`] if it is none of the three formats or its headers are damaged.
pub fn inspect(source: &Source) -> Result<Report, Error> {
    let kinds: [(&'static Kind, Facts); 3] = [(&ZKEY, zkey), (&WTNS, wtns), (&R1CS, r1cs)];
    let found = &source.bytes()[..source.bytes().len().min(4)];
    let Some((kind, facts)) = kinds.into_iter().find(|(kind, _)| found == kind.magic) else {
        let found = String::from_utf8_lossy(found).into_owned();
        let fault = Fault::Magic { expected: ".zkey, .wtns or .r1cs", found };
        return Err(Error::new(source.path(), fault));
    };
    let container = Container::parse(source, kind)?;
    let mut all = vec![("bytes", source.bytes().len().to_string())];
    all.extend(facts(&container)?);
    // Another proving system's sections have other names.
    let named = !all.iter().any(|(name, value)| *name == "protocol" && value != GROTH16);
    let sections = container.sections.iter().map(|(id, range)| Section {
        name: if named { kind.section_name(*id) } else { format!("section {id}") },
        offset: range.start,
        bytes: range.len(),
    });
    Ok(Report { format: kind.name, facts: all, sections: sections.collect() })
}

const GROTH16: &str = "Groth16";

type Facts = fn(&Container<'_>) -> Result<Vec<(&'static str, String)>, Error>;

fn zkey(container: &Container<'_>) -> Result<Vec<(&'static str, String)>, Error> {
    let protocol = match container.section(1)?.u32()? {
        1 => GROTH16.into(),
        2 => "PLONK".into(),
        10 => "FFLONK".into(),
        other => format!("unknown ({other})"),
    };
    if protocol != GROTH16 {
        return Ok(vec![("protocol", protocol)]);
    }
    let mut header = container.section(2)?;
    let curve = curve_name(header.any_modulus()?);
    header.any_modulus()?;
    let [wires, public, domain] = [header.u32()?, header.u32()?, header.u32()?];
    let coefficients = container.section(4)?.u32()?;
    let proof = crate::groth16::proof_memory_bytes(domain.into());
    let mapped = container.source.bytes().len() as u64 + 32 * u64::from(wires);
    Ok(vec![
        ("protocol", protocol),
        ("curve", curve),
        ("wires", wires.to_string()),
        ("public signals", public.to_string()),
        ("domain", domain_text(domain.into())),
        ("coefficients of A and B", coefficients.to_string()),
        ("memory for a proof", format!("{} + {} mapped", mebibytes(proof), mebibytes(mapped))),
    ])
}

fn wtns(container: &Container<'_>) -> Result<Vec<(&'static str, String)>, Error> {
    let mut header = container.section(1)?;
    let curve = curve_name(header.any_modulus()?);
    Ok(vec![("curve", curve), ("values", header.u32()?.to_string())])
}

fn r1cs(container: &Container<'_>) -> Result<Vec<(&'static str, String)>, Error> {
    let mut header = container.section(1)?;
    let curve = curve_name(header.any_modulus()?);
    let [wires, outputs, inputs, private] =
        [header.u32()?, header.u32()?, header.u32()?, header.u32()?];
    let labels = header.u64()?;
    let constraints = header.u32()?;
    let public = u64::from(outputs) + u64::from(inputs);
    let domain = 1 << log_domain(constraints.into(), public);
    let key = key_bytes(wires.into(), public, domain);
    let proof = crate::groth16::proof_memory_bytes(domain);
    Ok(vec![
        ("curve", curve),
        ("constraints", constraints.to_string()),
        ("wires", wires.to_string()),
        ("public outputs", outputs.to_string()),
        ("public inputs", inputs.to_string()),
        ("private inputs", private.to_string()),
        ("labels", labels.to_string()),
        ("domain", domain_text(domain)),
        ("points of a key", mebibytes(key)),
        ("memory for a proof", format!("{} + the key", mebibytes(proof))),
    ])
}

/// A, B1, C of 96 bytes and B2 of 192 a wire, IC and H; coefficients come on top.
fn key_bytes(wires: u64, public: u64, domain: u64) -> u64 {
    wires * (96 + 96 + 192) + wires.saturating_sub(public + 1) * 96 + (public + 1 + domain) * 96
}

fn domain_text(domain: u64) -> String {
    match domain.is_power_of_two() {
        true => format!("{domain} (2^{})", domain.trailing_zeros()),
        false => format!("{domain} (damaged: not a power of two)"),
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
