//! The quotient H: what makes a·b − c vanish on the domain.
//!
//! With D the domain of n rows and ω the primitive 2n-th root of unity, the rows give polynomials
//! a, b, c of degree below n with a·b − c = h·Z, Z = Xⁿ − 1. The key's H points are the Lagrange
//! basis of the domain of 2n at its odd points ω^(2i+1), divided by δ. a·b − c has degree below 2n
//! and is zero at the even points, which are D, so its values at the odd points are all that the
//! commitment needs; neither Z nor h itself is ever computed.

use blstrs::Scalar;
use ff::Field;
use rayon::prelude::*;

use super::coefficients::multiply;
use super::secret::{SecretScalars, bytes_of_mut};
use super::{Error, ProvingKey, Witness};
use crate::field::{SCALAR_BYTES, scalar_to_canonical};
use crate::ntt::Domain;

const TASK: usize = 1 << 12;

/// The scalars of the H points: (a·b − c)(ω^(2i+1)) for i below n, in ordinary form.
#[tracing::instrument(level = "info", name = "quotient", skip_all)]
pub(crate) fn quotient(
    key: &ProvingKey,
    domain: &Domain,
    witness: &Witness,
) -> Result<SecretScalars, Error> {
    let size = 1 << key.log_domain();
    let mut a = SecretScalars::zeros(size);
    let mut b = SecretScalars::zeros(size);
    tracing::info_span!("rows").in_scope(|| {
        multiply(key.coefficients(), key.rows(), witness.values(), &mut a, &mut b);
    });
    let mut c = SecretScalars::zeros(size);
    zip(&mut c, &a, &b, |c, a, b| *c = a * b);

    tracing::info_span!("ntt").in_scope(|| {
        [&mut a, &mut b, &mut c].into_par_iter().try_for_each(|values| domain.to_odd_coset(values))
    })?;

    zip(&mut c, &a, &b, |c, a, b| {
        let value = scalar_to_canonical(&(a * b - *c));
        *c = Scalar::ZERO;
        let (target, _) = bytes_of_mut(std::slice::from_mut(c)).as_chunks_mut::<SCALAR_BYTES>();
        target[0] = value;
    });
    Ok(c)
}

/// Calls `f` for each row of three vectors, in parallel.
fn zip(
    c: &mut [Scalar],
    a: &[Scalar],
    b: &[Scalar],
    f: impl Fn(&mut Scalar, &Scalar, &Scalar) + Sync,
) {
    c.par_chunks_mut(TASK)
        .zip(a.par_chunks(TASK))
        .zip(b.par_chunks(TASK))
        .for_each(|((c, a), b)| c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| f(c, a, b)));
}
