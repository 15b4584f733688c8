//! A key's parts, once its long vectors of points are made.

use blst::blst_fr;
use blstrs::{G1Affine, G2Affine, Scalar};
use ff::Field;
use group::Curve;
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

use super::{Exponents, KeyParts, ToxicWaste};
use crate::circuit::R1cs;
use crate::field::SCALAR_BYTES;
use crate::groth16::VerifyingKey;
use crate::groth16::coefficients::COEFFICIENT_BYTES;

/// Rows that one task encodes.
const TASK: usize = 1 << 12;

/// The long vectors of a key, each in the layout of its file.
pub(in crate::groth16) struct Vectors {
    pub(in crate::groth16) a: Vec<u8>,
    pub(in crate::groth16) b1: Vec<u8>,
    pub(in crate::groth16) b2: Vec<u8>,
    /// Of private wires alone.
    pub(in crate::groth16) c: Vec<u8>,
    pub(in crate::groth16) h: Vec<u8>,
}

/// The key of which these are the exponents and the vectors.
pub(in crate::groth16) fn assemble(
    circuit: &R1cs,
    waste: &ToxicWaste,
    exponents: &Exponents,
    vectors: Vectors,
) -> KeyParts {
    let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
    let [_, alpha, beta, delta] = waste.0;
    let ic = &exponents.columns.c[..=circuit.n_public() as usize];
    KeyParts {
        n_wires: circuit.n_wires,
        log_domain: exponents.log_domain,
        vk: VerifyingKey {
            alpha_g1: (g1 * alpha).to_affine(),
            beta_g2: (g2 * beta).to_affine(),
            gamma_g2: g2,
            delta_g2: (g2 * delta).to_affine(),
            ic: ic.par_iter().map(|value| (g1 * value).to_affine()).collect(),
        },
        beta_g1: (g1 * beta).to_affine(),
        delta_g1: (g1 * delta).to_affine(),
        coefficients: encode_coefficients(circuit),
        a: vectors.a,
        b1: vectors.b1,
        b2: vectors.b2,
        c: vectors.c,
        h: vectors.h,
    }
}

/// A and B with the public rows, in the order of constraints, each value times R².
fn encode_coefficients(circuit: &R1cs) -> Vec<u8> {
    let (a, b) = (&circuit.a, &circuit.b);
    let (rows, public_rows) = (circuit.n_constraints(), circuit.n_public() as usize + 1);
    let count = a.n_terms() + b.n_terms() + public_rows;
    let mut out = vec![0; count * COEFFICIENT_BYTES];

    let (mut rest, _) = out.as_chunks_mut();
    let mut tasks = Vec::with_capacity(rows.div_ceil(TASK));
    for first in (0..rows).step_by(TASK) {
        let range = first..rows.min(first + TASK);
        let terms = a.terms_of(range.clone()).len() + b.terms_of(range.clone()).len();
        let of_task;
        (of_task, rest) = rest.split_at_mut(terms);
        tasks.push((range, of_task));
    }
    let encoder = Encoder::new();
    tasks.into_par_iter().for_each(|(range, out)| {
        let mut out = out.iter_mut();
        for row in range {
            let terms = a.row(row).iter().map(|term| (0, term));
            let terms = terms.chain(b.row(row).iter().map(|term| (1, term)));
            for ((matrix, (wire, value)), out) in terms.zip(&mut out) {
                encoder.encode(out, matrix, row, *wire, value);
            }
        }
    });
    for (signal, out) in rest.iter_mut().enumerate() {
        encoder.encode(out, 0, rows + signal, signal as u32, &Scalar::ONE);
    }
    out
}

/// Writes coefficients.
struct Encoder {
    /// R = 2²⁵⁶ mod r, as a scalar.
    r: Scalar,
    /// One times R².
    one: [u8; SCALAR_BYTES],
}

impl Encoder {
    fn new() -> Self {
        let r = Scalar::from(2).pow([256]);
        Self { r, one: raw(&r) }
    }

    fn encode(
        &self,
        out: &mut [u8; COEFFICIENT_BYTES],
        matrix: u32,
        row: usize,
        wire: u32,
        value: &Scalar,
    ) {
        let (words, bytes) = out.split_at_mut(12);
        for (out, word) in words.as_chunks_mut().0.iter_mut().zip([matrix, row as u32, wire]) {
            *out = word.to_le_bytes();
        }
        // In memory a scalar is value·R; times R once more is the R² of the format.
        bytes.copy_from_slice(&match *value == Scalar::ONE {
            true => self.one,
            false => raw(&(value * self.r)),
        });
    }
}

/// The bytes of a scalar in memory.
fn raw(value: &Scalar) -> [u8; SCALAR_BYTES] {
    let limbs = blst_fr::from(*value).l.map(u64::to_le_bytes);
    std::array::from_fn(|i| limbs[i / 8][i % 8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{WitnessValues, synthetic};
    use crate::field::scalar_from_raw;
    use crate::groth16::Coefficients;
    use rand_core::SeedableRng;

    /// Row by row, A before B, the public rows last; of more rows than one task encodes, and of none.
    #[test]
    fn coefficients_are_in_order() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let r_inverse = Scalar::from(2).pow([256]).invert().unwrap();
        for (constraints, public) in [(0, 0), (1, 2), (TASK, 0), (2 * TASK + 5, 3)] {
            let (circuit, _) = synthetic(constraints, public, WitnessValues::FullWidth, &mut rng);
            let mut expected = Vec::new();
            for row in 0..constraints {
                for (matrix, terms) in [(0, circuit.a.row(row)), (1, circuit.b.row(row))] {
                    expected.extend(terms.iter().map(|(wire, value)| (matrix, row, *wire, *value)));
                }
            }
            let signals = 0..=public;
            expected.extend(signals.map(|i| (0, constraints + i, i as u32, Scalar::ONE)));
            let bytes = encode_coefficients(&circuit);
            let found: Vec<_> = Coefficients::new(&bytes)
                .iter()
                .map(|c| {
                    // Read as Montgomery form, R² times the value is R times it.
                    let value = scalar_from_raw(c.value()) * r_inverse;
                    (c.matrix(), c.constraint() as usize, c.wire(), value)
                })
                .collect();
            assert!(found == expected, "{constraints} constraints");
        }
    }
}
