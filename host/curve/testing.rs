//! Points for tests.

use blstrs::Scalar;
use ff::Field;
use group::Group;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::{AffinePoint, BaseField, CurveGroup};

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// `count` different points of the subgroup.
pub(crate) fn points<G: CurveGroup>(count: usize, seed: u64) -> Vec<G::Affine> {
    let mut rng = rng(seed);
    let mut point = G::Projective::random(&mut rng);
    let step = G::Projective::generator() * Scalar::random(&mut rng);
    let next = || {
        point += step;
        G::to_affine(&point)
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// `limbs · point` by double and add: unlike blst's, right outside the subgroup too.
pub(crate) fn multiply<G: CurveGroup>(point: &G::Projective, limbs: &[u64]) -> G::Projective {
    let mut result = G::Projective::identity();
    for bit in (0..64 * limbs.len()).rev() {
        result = result.double();
        if limbs[bit / 64] >> (bit % 64) & 1 == 1 {
            result += point;
        }
    }
    result
}

/// The points (x, y) of the curve for the first few x in Fp that have one, with `sqrt` of the
/// base field; hardly any is in the subgroup.
pub(crate) fn curve_points<G: CurveGroup>(
    sqrt: impl Fn(&G::Field) -> Option<G::Field>,
) -> impl Iterator<Item = G::Affine> {
    let mut x = G::Field::ZERO;
    std::iter::repeat_with(move || {
        x = x.add(&G::Field::ONE);
        let square = x.square().mul(&x).add(&G::B);
        sqrt(&square).map(|y| G::Affine::new(x, y))
    })
    .flatten()
}
