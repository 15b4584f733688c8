//! `.zkey`: a proving key, as `snarkjs groth16 setup` writes it.
//!
//! Sections: 1 protocol (u32, 1 for Groth16); 2 header (n8q, q, n8r, r, wires, public signals,
//! domain size, then α₁ β₁ β₂ γ₂ δ₁ δ₂); 3 IC; 4 coefficients; 5 A; 6 B₁; 7 B₂; 8 C; 9 H; 10
//! contributions, which a prover does not need. Points are affine in Montgomery form, (0, 0) is
//! infinity; a coefficient carries R². Version 1.

mod check;
mod header;
mod write;

use std::ops::Range;
use std::path::Path;

use rand_core::{OsRng, RngCore};

use super::container::{Container, Kind, Reader};
use super::{Error, Fault, Source, has_magic};
use crate::curve::{CurveGroup, G1, G2, PointError};
use crate::groth16::{
    COEFFICIENT_BYTES, CoefficientFault, Coefficients, KeyLayout, KeyPoints, ProvingKey,
    VerifyingKey,
};

use check::Remembered;
pub use check::sidecar_path;
use header::Header;
pub use write::write;

pub(crate) static ZKEY: Kind = Kind {
    magic: b"zkey",
    name: ".zkey",
    version: 1,
    sections: &[
        "protocol",
        "header",
        "IC",
        "coefficients",
        "A",
        "B1",
        "B2",
        "C",
        "H",
        "contributions",
    ],
};

/// How far a key is trusted to hold points of the right subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Check the subgroup of all points, once: a sidecar file beside the key remembers, by the
    /// key's hash, that it passed.
    CheckOnce,
    /// Check the subgroup of all points and neither read nor write a sidecar.
    CheckAlways,
    /// Do not check the subgroups of A, B, C and H. Curve equations are checked all the same. A key
    /// made to deceive could then make proofs that reveal parts of a witness.
    Trusted,
}

/// Opens a key: every count, coefficient and point is checked, as far as `trust` asks.
///
/// # Errors
///
/// [`Error`] with the section and offset of the first fault.
pub fn open(path: impl AsRef<Path>, trust: Trust) -> Result<ProvingKey, Error> {
    read(&Source::open_beginning(path, has_magic)?, trust)
}

/// The same for a source that is open already. A source without a file has no sidecar.
///
/// # Errors
///
/// As [`open`].
#[tracing::instrument(level = "info", name = "load_key", skip_all)]
pub fn read(source: &Source, trust: Trust) -> Result<ProvingKey, Error> {
    let key = parse(source)?;
    key.check_on_curve().map_err(|fault| point_error(source, &key, fault))?;
    let check = || {
        // A key must not be able to foresee what it is checked with.
        let mut seed = [0; 32];
        OsRng
            .try_fill_bytes(&mut seed)
            .map_err(|error| Error::io(source.path(), std::io::Error::other(error)))?;
        key.check_subgroups(seed).map_err(|fault| point_error(source, &key, fault))
    };
    match trust {
        Trust::Trusted => {}
        Trust::CheckAlways => check()?,
        Trust::CheckOnce if source.is_file() => {
            let remembered = Remembered::of(source);
            if !remembered.has_passed() {
                check()?;
                remembered.set_passed();
            }
        }
        Trust::CheckOnce => check()?,
    }
    Ok(key)
}

/// Reads only what verifies, which takes no longer for a large key.
///
/// # Errors
///
/// [`Error`] if the header or section 3 is damaged or a point of them is not in its group.
pub fn read_verifying_key(source: &Source) -> Result<VerifyingKey, Error> {
    let container = Container::parse(source, &ZKEY)?;
    let header = Header::read(&container)?;
    verifying_key(&container, &header)
}

fn verifying_key(container: &Container<'_>, header: &Header) -> Result<VerifyingKey, Error> {
    let ic = points(container, 3, u64::from(header.n_public) + 1, G1::BYTES)?;
    Ok(header.verifying_key(header::ic_points(container.source, ic)?))
}

/// Locates everything and checks counts, lengths and coefficients, but no points beyond the
/// header's.
fn parse(source: &Source) -> Result<ProvingKey, Error> {
    let container = Container::parse(source, &ZKEY)?;
    let header = Header::read(&container)?;
    let wires = u64::from(header.n_wires);
    let public = u64::from(header.n_public) + 1;
    let domain = 1u64 << header.log_domain;

    let points = |id, count, size| points(&container, id, count, size);
    let vk = verifying_key(&container, &header)?;
    let layout = KeyLayout {
        coefficients: coefficients(container.section(4)?, &header, source)?,
        a: points(5, wires, G1::BYTES)?,
        b1: points(6, wires, G1::BYTES)?,
        b2: points(7, wires, G2::BYTES)?,
        c: points(8, wires - public, G1::BYTES)?,
        h: points(9, domain, G1::BYTES)?,
    };
    Ok(ProvingKey::new(
        source.shared(),
        layout,
        header.log_domain,
        vk,
        [header.beta_g1, header.delta_g1],
    ))
}

/// A section of `count` points of `size` bytes each.
fn points(
    container: &Container<'_>,
    id: u32,
    count: u64,
    size: usize,
) -> Result<Range<usize>, Error> {
    let mut section = container.section(id)?;
    section.rest(count * size as u64, || format!("{count} points of {size} bytes"))
}

/// Section 4: u32 count, then the coefficients.
fn coefficients(
    mut section: Reader<'_>,
    header: &Header,
    source: &Source,
) -> Result<Range<usize>, Error> {
    let count = section.u32()?;
    let range = section.rest(u64::from(count) * COEFFICIENT_BYTES as u64, || {
        format!("{count} coefficients of {COEFFICIENT_BYTES} bytes")
    })?;
    let coefficients = Coefficients::new(&source.bytes()[range.clone()]);
    let first = coefficients.first_fault(1 << header.log_domain, header.n_wires.into());
    match first.map(|(index, fault)| (range.start + index * COEFFICIENT_BYTES, fault)) {
        None => Ok(range),
        Some((offset, CoefficientFault::Range { word, what, found, bound })) => {
            Err(section.fault_at(offset + 4 * word, Fault::Range { what, found, bound }))
        }
        Some((offset, CoefficientFault::Value)) => {
            Err(section.fault_at(offset + 12, Fault::ScalarRange))
        }
    }
}

fn point_error(
    source: &Source,
    key: &ProvingKey,
    (points, error): (KeyPoints, PointError),
) -> Error {
    use KeyPoints as P;
    let id = match points {
        P::A => 5,
        P::B1 => 6,
        P::B2 => 7,
        P::C => 8,
        P::H => 9,
    };
    Error::new(source.path(), error.fault)
        .in_section(format_args!("{}, point {}", ZKEY.section_name(id), error.index))
        .at(key.point_offset(points, error.index))
}
