//! A key in memory, without a file.

use std::sync::Arc;

use super::{Part, Parts, ProvingKey};
use crate::curve::{CurveGroup, G1, G2};
use crate::groth16::coefficients::{COEFFICIENT_BYTES, CoefficientFault, Coefficients};
use crate::groth16::{Error, KeyParts};

impl KeyParts {
    /// The key that a file of these parts would give, in the parts' own memory.
    ///
    /// All lengths and coefficients are checked. Points are not: those of a setup are what they are
    /// meant to be, and others make proofs that do not verify. A key from elsewhere is read as a file
    /// ([`formats::zkey`](crate::formats::zkey)).
    ///
    /// # Errors
    ///
    /// [`Error::KeyParts`].
    pub fn into_key(self) -> Result<ProvingKey, Error> {
        self.check().map_err(Error::KeyParts)?;
        let parts = Parts {
            coefficients: part(self.coefficients),
            a: part(self.a),
            b1: part(self.b1),
            b2: part(self.b2),
            c: part(self.c),
            h: part(self.h),
        };
        let all = [&parts.coefficients, &parts.a, &parts.b1, &parts.b2, &parts.c, &parts.h];
        let size_bytes = all.iter().map(|part| part.range.len()).sum();
        let points = [self.beta_g1, self.delta_g1];
        Ok(ProvingKey::of_parts(parts, size_bytes, self.log_domain, self.vk, points))
    }

    fn check(&self) -> Result<(), String> {
        let (wires, log_domain) = (self.n_wires as usize, self.log_domain);
        // An MSM numbers its points with 31 bits.
        if wires >= 1 << 31 || log_domain >= 31 {
            return Err(format!("{wires} wires and 2^{log_domain} rows, where 2^31 are too many"));
        }
        let (domain, public) = (1 << log_domain, self.vk.ic.len());
        if public == 0 || public > wires.min(domain) {
            return Err(format!(
                "{public} points for the constant and public signals, in {wires} wires and {domain} rows"
            ));
        }
        for (name, bytes, points, size) in [
            ("A", &self.a, wires, G1::BYTES),
            ("B1", &self.b1, wires, G1::BYTES),
            ("B2", &self.b2, wires, G2::BYTES),
            ("C", &self.c, wires - public, G1::BYTES),
            ("H", &self.h, domain, G1::BYTES),
        ] {
            if bytes.len() != points * size {
                let found = bytes.len();
                return Err(format!("{name} has {found} bytes, not {points} points of {size}"));
            }
        }
        let found = self.coefficients.len();
        if !found.is_multiple_of(COEFFICIENT_BYTES) || found / COEFFICIENT_BYTES > u32::MAX as usize
        {
            return Err(format!("{found} bytes are no coefficients of {COEFFICIENT_BYTES}"));
        }
        let coefficients = Coefficients::new(&self.coefficients);
        match coefficients.first_fault(domain as u64, wires as u64) {
            None => Ok(()),
            Some((index, CoefficientFault::Range { what, found, bound, .. })) => {
                Err(format!("coefficient {index}: {what} is {found}, not below {bound}"))
            }
            Some((index, CoefficientFault::Value)) => {
                Err(format!("coefficient {index}: the value is not below r"))
            }
        }
    }
}

/// All of some bytes.
fn part(bytes: Vec<u8>) -> Part {
    Part { range: 0..bytes.len(), bytes: Arc::new(bytes) }
}
