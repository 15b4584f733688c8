//! What the generators are multiplied by: the circuit's polynomials at τ.

use blstrs::Scalar;
use ff::{BatchInverter, Field};
use rayon::prelude::*;

use super::ToxicWaste;
use crate::circuit::{Matrix, R1cs};
use crate::groth16::Error;
use crate::groth16::secret::SecretScalars;
use crate::ntt::{DomainTooLarge, MAX_LOG_SIZE, RootOfUnity};

/// Elements that one task computes: large enough to hide its start and its inversion.
const TASK: usize = 1 << 12;

/// The exponents of a key's points. Secret: τ is easily found from them.
pub(in crate::groth16) struct Exponents {
    pub(in crate::groth16) log_domain: u32,
    pub(in crate::groth16) columns: Columns,
    /// H, a scalar a row of the domain.
    pub(in crate::groth16) h: SecretScalars,
}

/// Those that are of wires, a scalar each.
pub(in crate::groth16) struct Columns {
    pub(in crate::groth16) a: SecretScalars,
    pub(in crate::groth16) b: SecretScalars,
    /// Of the constant and the public signals those of IC; of the others divided by δ.
    pub(in crate::groth16) c: SecretScalars,
}

impl Exponents {
    /// Those of a key for `circuit`. Runs on the current rayon pool.
    ///
    /// # Errors
    ///
    /// As [`setup`](super::setup()).
    #[tracing::instrument(level = "info", name = "exponents", skip_all)]
    pub(in crate::groth16) fn of(circuit: &R1cs, waste: &ToxicWaste) -> Result<Self, Error> {
        circuit.check().map_err(Error::Circuit)?;
        let [tau, _, _, delta] = waste.0;
        let log_domain = circuit.log_domain();
        if log_domain >= MAX_LOG_SIZE {
            return Err(DomainTooLarge { log_size: log_domain + 1 }.into());
        }
        let rows = lagrange_at(RootOfUnity::SNARKJS, tau, log_domain, 1, Scalar::ONE);
        let columns = Columns::of(circuit, waste, &rows);
        let delta_inverse = delta.invert().expect("the secrets are not zero");
        let h = lagrange_at(RootOfUnity::SNARKJS, tau, log_domain + 1, 2, delta_inverse);
        Ok(Self { log_domain, columns, h })
    }
}

impl Columns {
    /// Those of a circuit, with the Lagrange basis of its domain at τ.
    pub(in crate::groth16) fn of(circuit: &R1cs, waste: &ToxicWaste, rows: &[Scalar]) -> Self {
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
        let columns = c.par_iter_mut().zip(&a[..]).zip(&b[..]).with_min_len(TASK);
        columns.enumerate().for_each(|(wire, ((value, a), b))| {
            *value += beta * a + alpha * b;
            // γ is one.
            if wire > n_public {
                *value *= delta_inverse;
            }
        });
        Self { a, b, c }
    }
}

/// factor·Lᵢ(τ) for i = 0, 1, … (step 1) or i = 1, 3, … (step 2), where Lᵢ is the Lagrange basis of
/// the domain of n = 2^log_n points: Lᵢ(τ) = (τⁿ − 1)/n · ωⁱ/(τ − ωⁱ).
pub(in crate::groth16) fn lagrange_at(
    convention: RootOfUnity,
    tau: Scalar,
    log_n: u32,
    step: usize,
    factor: Scalar,
) -> SecretScalars {
    let omega = convention.of_order(log_n);
    let stride = omega.pow([step as u64]);
    let n_inverse = Scalar::from(1u64 << log_n).invert().expect("n is not zero");
    let factor = (tau.pow([1u64 << log_n]) - Scalar::ONE) * n_inverse * factor;
    let mut values = SecretScalars::zeros((1usize << log_n) / step);
    values.par_chunks_mut(TASK).enumerate().for_each_init(
        || SecretScalars::zeros(TASK),
        |scratch, (task, values)| {
            let first = omega.pow([(step * (task * TASK + 1) - 1) as u64]);
            let mut point = first;
            for value in values.iter_mut() {
                *value = tau - point;
                point *= stride;
            }
            // No value is zero: `ToxicWaste` has no τ in a domain.
            let scratch = &mut scratch[..values.len()];
            BatchInverter::invert_with_external_scratch(values, scratch);
            let mut numerator = factor * first;
            for value in values {
                *value *= numerator;
                numerator *= stride;
            }
        },
    );
    values
}

/// For each wire the polynomial of its column at τ: Σ coefficient·Lᵣₒᵥᵥ(τ).
///
/// Each thread has a range of the wires, and goes through all terms for those that are of them: a
/// term that is passed over costs next to nothing beside a product.
fn columns_at(matrix: &Matrix, n_wires: usize, lagrange: &[Scalar]) -> SecretScalars {
    let mut columns = SecretScalars::zeros(n_wires);
    let range = n_wires.div_ceil(rayon::current_num_threads());
    columns.par_chunks_mut(range).enumerate().for_each(|(at, columns)| {
        let first = at * range;
        for (row, at_tau) in matrix.rows().zip(lagrange) {
            for (wire, coefficient) in row {
                let index = (*wire as usize).wrapping_sub(first);
                let Some(column) = columns.get_mut(index) else { continue };
                // Most coefficients of real circuits are one.
                match *coefficient == Scalar::ONE {
                    true => *column += at_tau,
                    false => *column += coefficient * at_tau,
                }
            }
        }
    });
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{WitnessValues, synthetic};
    use rand_core::SeedableRng;

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// Lᵢ(τ) = Π over j ≠ i of (τ − ωʲ)/(ωⁱ − ωʲ).
    fn lagrange_by_definition(tau: Scalar, log_n: u32, i: usize) -> Scalar {
        let omega = RootOfUnity::SNARKJS.of_order(log_n);
        let point = |j: usize| omega.pow([j as u64]);
        let others = (0..1usize << log_n).filter(|j| *j != i);
        others.map(|j| (tau - point(j)) * (point(i) - point(j)).invert().unwrap()).product()
    }

    #[test]
    fn lagrange_values_are_those_of_the_definition() {
        let (tau, factor) = (Scalar::from(0x1234_5678_9abc), Scalar::from(77));
        for log_n in [1, 2, 5] {
            let all = lagrange_at(RootOfUnity::SNARKJS, tau, log_n, 1, factor);
            assert_eq!(all.len(), 1 << log_n);
            for (i, value) in all.iter().enumerate() {
                assert_eq!(*value, factor * lagrange_by_definition(tau, log_n, i), "{log_n}, {i}");
            }
            let odd = lagrange_at(RootOfUnity::SNARKJS, tau, log_n, 2, factor);
            assert!(odd.iter().eq(all.iter().skip(1).step_by(2)), "{log_n}");
        }
    }

    /// More values than one task computes: they are a partition of one, and interpolate X.
    #[test]
    fn lagrange_values_of_many_tasks() {
        let (tau, log_n) = (Scalar::from(3).pow([1000]), TASK.ilog2() + 2);
        let omega = RootOfUnity::SNARKJS.of_order(log_n);
        let all = lagrange_at(RootOfUnity::SNARKJS, tau, log_n, 1, Scalar::ONE);
        assert_eq!(all.iter().sum::<Scalar>(), Scalar::ONE);
        let (mut sum, mut point) = (Scalar::ZERO, Scalar::ONE);
        for value in all.iter() {
            sum += value * point;
            point *= omega;
        }
        assert_eq!(sum, tau);
        let odd = lagrange_at(RootOfUnity::SNARKJS, tau, log_n, 2, Scalar::ONE);
        assert!(odd.iter().eq(all.iter().skip(1).step_by(2)));
    }

    /// Column by column, for any number of threads, more of them than wires included.
    #[test]
    fn columns_are_sums_over_rows() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(3);
        let (circuit, _) = synthetic(20, 3, WitnessValues::Boolean, &mut rng);
        let lagrange: Vec<_> = (0..20).map(|_| Scalar::random(&mut rng)).collect();
        for matrix in [&circuit.a, &circuit.b, &circuit.c] {
            let n_wires = circuit.n_wires as usize;
            let column = |wire: usize| -> Scalar {
                let terms = matrix.rows().zip(&lagrange).flat_map(|(row, at_tau)| {
                    row.iter().map(move |(at, value)| (*at as usize, value * at_tau))
                });
                terms.filter(|(at, _)| *at == wire).map(|(_, product)| product).sum()
            };
            let expected: Vec<_> = (0..n_wires).map(column).collect();
            for threads in [1, 2, 3, 7, 40] {
                let found = pool(threads).install(|| columns_at(matrix, n_wires, &lagrange));
                assert_eq!(found[..], expected, "{threads} threads");
            }
        }
    }
}
