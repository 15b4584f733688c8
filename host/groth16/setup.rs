//! A key made by a single party, who could forge proofs with what it draws: for tests, benchmarks
//! and demonstrations only. A key for use comes from a ceremony.

use blst::blst_fr;
use blstrs::{G1Affine, G2Affine, Scalar};
use ff::{BatchInvert, Field};
use group::Curve;
use group::prime::PrimeCurveAffine;
use rand_core::{CryptoRng, RngCore};
use zeroize::Zeroize;

use super::coefficients::COEFFICIENT_BYTES;
use super::secret::{SecretScalars, bytes_of_mut, canonical_bytes, random_scalar};
use super::{Error, VerifyingKey};
use crate::circuit::{Matrix, R1cs};
use crate::curve::{CurveGroup, G1, G2, write_points};
use crate::msm::{ScalarSlice, mul_many};
use crate::ntt::{DomainTooLarge, MAX_LOG_SIZE, RootOfUnity};

/// The secrets of a setup. Whoever knows them can prove anything. Zeroed on drop.
pub struct ToxicWaste(pub(super) [Scalar; 4]);

impl ToxicWaste {
    /// Fresh secrets from `rng`, none of them zero.
    ///
    /// # Errors
    ///
    /// [`Error::Random`] if `rng` fails.
    pub fn random(rng: &mut (impl RngCore + CryptoRng)) -> Result<Self, Error> {
        let mut waste = Self([Scalar::ZERO; 4]);
        for secret in &mut waste.0 {
            *secret = random_scalar(rng)?;
        }
        // With τ in a domain all points of the key would be infinity, and everything verify.
        while waste.0[0].pow([1 << MAX_LOG_SIZE]) == Scalar::ONE {
            waste.0[0] = random_scalar(rng)?;
        }
        Ok(waste)
    }
}

impl Drop for ToxicWaste {
    fn drop(&mut self) {
        bytes_of_mut(&mut self.0).zeroize();
    }
}

/// The parts of a fresh key, which
/// [`formats::zkey::write`](crate::formats::zkey::write) makes a file of. Vectors of points and
/// coefficients are in that file's layout.
pub struct KeyParts {
    /// Wires of the circuit, the constant 1 counted.
    pub n_wires: u32,
    /// The domain has 2 to this rows.
    pub log_domain: u32,
    /// α, β, γ, δ and IC.
    pub vk: VerifyingKey,
    /// β in G1.
    pub beta_g1: G1Affine,
    /// δ in G1.
    pub delta_g1: G1Affine,
    /// The matrices A and B, 44 bytes a coefficient.
    pub coefficients: Vec<u8>,
    /// A, a point of G1 a wire.
    pub a: Vec<u8>,
    /// B, a point of G1 a wire.
    pub b1: Vec<u8>,
    /// B, a point of G2 a wire.
    pub b2: Vec<u8>,
    /// C, a point of G1 a private wire.
    pub c: Vec<u8>,
    /// H, a point of G1 a row of the domain.
    pub h: Vec<u8>,
}

/// Makes a key for `circuit`.
///
/// # Errors
///
/// [`Error::Circuit`] if `circuit` names wires that it does not have, [`Error::DomainTooLarge`]
/// beyond 2³¹ rows.
#[tracing::instrument(level = "info", skip_all)]
pub fn setup(circuit: &R1cs, waste: &ToxicWaste) -> Result<KeyParts, Error> {
    circuit.check().map_err(Error::Circuit)?;
    let [tau, alpha, beta, delta] = waste.0;
    let log_domain = circuit.log_domain();
    if log_domain >= MAX_LOG_SIZE {
        return Err(DomainTooLarge { log_size: log_domain + 1 }.into());
    }
    let delta_inverse = delta.invert().expect("the secrets are not zero");
    let n_public = circuit.n_public() as usize;

    let rows = lagrange_at(RootOfUnity::SNARKJS, tau, log_domain, 1, Scalar::ONE);
    let Columns { a, b, c } = Columns::of(circuit, waste, &rows);
    let h = lagrange_at(RootOfUnity::SNARKJS, tau, log_domain + 1, 2, delta_inverse);

    let (g1, g2) = (G1Affine::generator(), G2Affine::generator());
    let in_g1 = |scalars: &[Scalar]| multiples::<G1>(g1.as_ref(), scalars);
    Ok(KeyParts {
        n_wires: circuit.n_wires,
        log_domain,
        vk: VerifyingKey {
            alpha_g1: (g1 * alpha).to_affine(),
            beta_g2: (g2 * beta).to_affine(),
            gamma_g2: g2,
            delta_g2: (g2 * delta).to_affine(),
            ic: c[..=n_public].iter().map(|value| (g1 * value).to_affine()).collect(),
        },
        beta_g1: (g1 * beta).to_affine(),
        delta_g1: (g1 * delta).to_affine(),
        coefficients: encode_coefficients(circuit),
        a: in_g1(&a),
        b1: in_g1(&b),
        b2: multiples::<G2>(g2.as_ref(), &b),
        c: in_g1(&c[n_public + 1..]),
        h: in_g1(&h),
    })
}

/// The exponents of a key's points, a scalar a wire each. Secret: τ is easily found from them.
pub(super) struct Columns {
    pub a: SecretScalars,
    pub b: SecretScalars,
    /// Of the constant and the public signals those of IC; of the others divided by δ.
    pub c: SecretScalars,
}

impl Columns {
    /// Those of a circuit, with the Lagrange basis of its domain at τ.
    pub fn of(circuit: &R1cs, waste: &ToxicWaste, rows: &[Scalar]) -> Self {
        let [_, alpha, beta, delta] = waste.0;
        let delta_inverse = delta.invert().expect("the secrets are not zero");
        let n_wires = circuit.n_wires as usize;
        let n_public = circuit.n_public() as usize;
        let mut a = columns_at(&circuit.a, n_wires, rows);
        // A row of A for the constant and each public signal makes their columns independent.
        for (signal, value) in a.iter_mut().enumerate().take(n_public + 1) {
            *value += rows[circuit.n_constraints() + signal];
        }
        let b = columns_at(&circuit.b, n_wires, rows);
        let mut c = columns_at(&circuit.c, n_wires, rows);
        for (wire, value) in c.iter_mut().enumerate() {
            *value += beta * a[wire] + alpha * b[wire];
            // γ is one.
            if wire > n_public {
                *value *= delta_inverse;
            }
        }
        Self { a, b, c }
    }
}

/// base·scalar for each scalar, in the layout of a key.
pub(super) fn multiples<G: CurveGroup>(base: &G::Affine, scalars: &[Scalar]) -> Vec<u8> {
    let scalars = canonical_bytes(scalars);
    let scalars = ScalarSlice::new(&scalars).expect("32 bytes a scalar");
    write_points::<G>(&mul_many::<G>(base, scalars))
}

/// factor·Lᵢ(τ) for i = 0, 1, … (step 1) or i = 1, 3, … (step 2), where Lᵢ is the Lagrange basis of
/// the domain of n = 2^log_n points: Lᵢ(τ) = (τⁿ − 1)/n · ωⁱ/(τ − ωⁱ).
pub(super) fn lagrange_at(
    convention: RootOfUnity,
    tau: Scalar,
    log_n: u32,
    step: usize,
    factor: Scalar,
) -> SecretScalars {
    let omega = convention.of_order(log_n);
    let count = (1usize << log_n) / step;
    let stride = omega.pow([step as u64]);
    let mut point = if step == 1 { Scalar::ONE } else { omega };
    let mut points = SecretScalars::zeros(count);
    let mut values = SecretScalars::zeros(count);
    for (slot, value) in points.iter_mut().zip(values.iter_mut()) {
        *slot = point;
        *value = tau - point;
        point *= stride;
    }
    // No value is zero: `ToxicWaste` has no τ in a domain.
    values.iter_mut().batch_invert();
    let n_inverse = Scalar::from(1u64 << log_n).invert().expect("n is not zero");
    let factor = (tau.pow([1u64 << log_n]) - Scalar::ONE) * n_inverse * factor;
    for (value, point) in values.iter_mut().zip(points.iter()) {
        *value *= factor * point;
    }
    values
}

/// For each wire the polynomial of its column at τ: Σ coefficient·Lᵣₒᵥᵥ(τ).
fn columns_at(matrix: &Matrix, n_wires: usize, lagrange: &[Scalar]) -> SecretScalars {
    let mut columns = SecretScalars::zeros(n_wires);
    for (row, at_tau) in matrix.rows().zip(lagrange) {
        for (wire, coefficient) in row {
            columns[*wire as usize] += coefficient * at_tau;
        }
    }
    columns
}

/// A and B with the public rows, in the order of constraints, each value times R².
fn encode_coefficients(circuit: &R1cs) -> Vec<u8> {
    let public_rows = circuit.n_public() as usize + 1;
    let count = circuit.a.n_terms() + circuit.b.n_terms() + public_rows;
    let mut out = Vec::with_capacity(count * COEFFICIENT_BYTES);
    let r = r_of_montgomery();
    let mut push = |matrix: u32, row: usize, wire: u32, value: &Scalar| {
        out.extend(matrix.to_le_bytes());
        out.extend((row as u32).to_le_bytes());
        out.extend(wire.to_le_bytes());
        // In memory a scalar is value·R; times R once more is the R² of the format.
        let raw: blst_fr = (value * r).into();
        out.extend(raw.l.iter().flat_map(|limb| limb.to_le_bytes()));
    };
    for (row, (a, b)) in circuit.a.rows().zip(circuit.b.rows()).enumerate() {
        a.iter().for_each(|(wire, value)| push(0, row, *wire, value));
        b.iter().for_each(|(wire, value)| push(1, row, *wire, value));
    }
    for signal in 0..public_rows {
        push(0, circuit.n_constraints() + signal, signal as u32, &Scalar::ONE);
    }
    out
}

/// R = 2²⁵⁶ mod r, as a scalar.
fn r_of_montgomery() -> Scalar {
    Scalar::from(2).pow([256])
}
