//! Sections 1 and 2 of a `.zkey`: the protocol, the sizes, and the points that stand alone.

use std::ops::Range;

use blstrs::{G1Affine, G2Affine};

use super::super::container::{Container, Reader};
use super::super::point::{g1_affine, g2_affine};
use super::super::{Error, Fault, Source};
use super::ZKEY;
use crate::curve::{CurveGroup, G1, G2, PointSlice, check_point};
use crate::field::{FP_MODULUS, SCALAR_MODULUS, modulus_bytes};
use crate::groth16::VerifyingKey;

/// What stands in the header of a key.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// Wires of the circuit, the constant 1 counted.
    pub n_wires: u32,
    /// Public signals, the constant 1 not counted.
    pub n_public: u32,
    /// The domain has 2 to this rows.
    pub log_domain: u32,
    /// α in G1.
    pub alpha_g1: G1Affine,
    /// β in G1.
    pub beta_g1: G1Affine,
    /// β in G2.
    pub beta_g2: G2Affine,
    /// γ in G2.
    pub gamma_g2: G2Affine,
    /// δ in G1.
    pub delta_g1: G1Affine,
    /// δ in G2.
    pub delta_g2: G2Affine,
}

impl Header {
    /// Reads and checks it; the points are checked to be in their groups and not infinity.
    pub(super) fn read(container: &Container<'_>) -> Result<Self, Error> {
        let mut protocol = container.section(1)?;
        match protocol.u32()? {
            1 => protocol.rest(0, || "the end of the protocol".into()).map(drop)?,
            2 => return Err(protocol.fault(Fault::Protocol("PLONK".into()))),
            10 => return Err(protocol.fault(Fault::Protocol("FFLONK".into()))),
            other => return Err(protocol.fault(Fault::Protocol(format!("protocol {other}")))),
        }
        let mut section = container.section(2)?;
        section.modulus(&modulus_bytes(&FP_MODULUS))?;
        section.modulus(&modulus_bytes(&SCALAR_MODULUS))?;
        let sizes = section.position();
        let [n_wires, n_public, domain] = [section.u32()?, section.u32()?, section.u32()?];
        let inconsistent = |message| section.fault_at(sizes, Fault::Inconsistent(message));
        if n_public >= n_wires {
            let message = format!("{n_public} public signals and the constant in {n_wires} wires");
            return Err(inconsistent(message));
        }
        // An MSM numbers its points with 31 bits.
        if n_wires >= 1 << 31 || domain >= 1 << 31 {
            let message = format!("{n_wires} wires and {domain} rows, where 2^31 are too many");
            return Err(inconsistent(message));
        }
        if !domain.is_power_of_two() {
            return Err(inconsistent(format!("the domain size {domain} is not a power of two")));
        }
        if domain <= n_public {
            // Each public signal and the constant have a row of their own.
            let message = format!("{n_public} public signals do not fit a domain of {domain}");
            return Err(inconsistent(message));
        }
        let header = Self {
            n_wires,
            n_public,
            log_domain: domain.trailing_zeros(),
            alpha_g1: g1(&mut section, "α in G1")?,
            beta_g1: g1(&mut section, "β in G1")?,
            beta_g2: g2(&mut section, "β in G2")?,
            gamma_g2: g2(&mut section, "γ in G2")?,
            delta_g1: g1(&mut section, "δ in G1")?,
            delta_g2: g2(&mut section, "δ in G2")?,
        };
        section.rest(0, || "the end of the header".into())?;
        Ok(header)
    }

    pub(super) fn verifying_key(&self, ic: Vec<G1Affine>) -> VerifyingKey {
        VerifyingKey {
            alpha_g1: self.alpha_g1,
            beta_g2: self.beta_g2,
            gamma_g2: self.gamma_g2,
            delta_g2: self.delta_g2,
            ic,
        }
    }
}

/// IC, each point checked whole: there are few, and they are all that a verifier goes by.
pub(super) fn ic_points(source: &Source, range: Range<usize>) -> Result<Vec<G1Affine>, Error> {
    let points = PointSlice::<G1>::new(&source.bytes()[range.clone()])
        .expect("the range is a whole number of points");
    let point = |(index, point)| {
        check_point::<G1>(&point).map_err(|fault| {
            Error::new(source.path(), fault)
                .in_section(format_args!("{}, point {index}", ZKEY.section_name(3)))
                .at(range.start + index * G1::BYTES)
        })?;
        Ok(g1_affine(point))
    };
    points.iter().enumerate().map(point).collect()
}

fn g1(section: &mut Reader<'_>, name: &str) -> Result<G1Affine, Error> {
    Ok(g1_affine(point::<G1>(section, name)?))
}

fn g2(section: &mut Reader<'_>, name: &str) -> Result<G2Affine, Error> {
    Ok(g2_affine(point::<G2>(section, name)?))
}

/// The next point of the header.
fn point<G: CurveGroup>(section: &mut Reader<'_>, name: &str) -> Result<G::Affine, Error> {
    let offset = section.position();
    section.describe(name);
    let bytes = section.skip(G::BYTES as u64)?;
    let point = PointSlice::<G>::new(bytes).expect("the length is one point's").get(0);
    if bytes.iter().all(|byte| *byte == 0) {
        let fault = Fault::Inconsistent("the point is infinity".into());
        return Err(section.fault_at(offset, fault));
    }
    check_point::<G>(&point).map_err(|fault| section.fault_at(offset, fault.into()))?;
    Ok(point)
}
