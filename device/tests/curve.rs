//! Sums of points against blstrs.

use std::fmt::Debug;

use blstrs::{G1Projective, G2Projective, Scalar};
use ff::Field as _;
use group::{Curve, Group, prime::PrimeCurve};
use proptest::prelude::*;
use warpfield_device::curve::{Affine, G1Affine, G2Affine, Xyzz};
use warpfield_device::field::{Field, Fp, Fp2, Fr};
use warpfield_device::strategies::{denominator, operands};

/// A group whose points both sides know.
trait Side:
    PrimeCurve + Group<Scalar = Scalar> + Curve<AffineRepr = <Self as PrimeCurve>::Affine>
{
    type Coordinate: Field + Debug + Arbitrary + 'static;

    /// The same bytes, read as ours.
    fn ours(point: &Self) -> Affine<Self::Coordinate>;
}

impl Side for G1Projective {
    type Coordinate = Fp;

    fn ours(point: &Self) -> G1Affine {
        let affine: blst::blst_p1_affine = *point.to_affine().as_ref();
        // SAFETY: both are two coordinates of twelve limbs.
        unsafe { core::mem::transmute::<blst::blst_p1_affine, G1Affine>(affine) }
    }
}

impl Side for G2Projective {
    type Coordinate = Fp2;

    fn ours(point: &Self) -> G2Affine {
        let affine: blst::blst_p2_affine = *point.to_affine().as_ref();
        // SAFETY: both are two coordinates of two times twelve limbs.
        unsafe { core::mem::transmute::<blst::blst_p2_affine, G2Affine>(affine) }
    }
}

/// The point over the denominator z.
fn over<F: Field>(point: &Affine<F>, z: F) -> Xyzz<F> {
    if point.is_infinity() {
        // Whatever the numerators.
        return Xyzz { x: z, y: z, zz: F::ZERO, zzz: F::ZERO };
    }
    let zz = z.square();
    let zzz = zz * z;
    Xyzz { x: point.x * zz, y: point.y * zzz, zz, zzz }
}

/// Every operation on one pair of points.
fn check<G: Side>(
    a: &G,
    b: &G,
    (za, zb): (G::Coordinate, G::Coordinate),
) -> Result<(), TestCaseError> {
    let (x, y) = (G::ours(a), G::ours(b));
    let (xs, ys) = (over(&x, za), over(&y, zb));
    prop_assert_eq!(x.is_infinity(), bool::from(a.is_identity()));
    prop_assert_eq!(xs.to_affine(), x);
    prop_assert_eq!(Xyzz::from(x), xs);
    prop_assert_eq!(xs.add_affine(&y).to_affine(), G::ours(&(*a + b)));
    prop_assert_eq!(xs.add(&ys).to_affine(), G::ours(&(*a + b)));
    prop_assert_eq!(xs.add(&-ys).to_affine(), G::ours(&(*a - b)));
    prop_assert_eq!(xs.add_affine(&-y).to_affine(), G::ours(&(*a - b)));
    prop_assert_eq!(xs.double().to_affine(), G::ours(&a.double()));
    prop_assert_eq!(xs == ys, a == b);
    Ok(())
}

/// Multiples of the generator whose sums meet every special case.
fn special<G: Side>() -> Vec<G> {
    let g = G::generator();
    vec![G::identity(), g, -g, g.double(), -g.double(), g.double() + g, g * -Scalar::from(3)]
}

fn check_special<G: Side>() {
    let z = G::Coordinate::ONE;
    for a in special::<G>() {
        for b in special::<G>() {
            check(&a, &b, (z.double(), z.double() + z))
                .unwrap_or_else(|error| panic!("{a:?}, {b:?}: {error}"));
        }
    }
}

#[test]
fn special_cases_in_g1() {
    check_special::<G1Projective>();
}

#[test]
fn special_cases_in_g2() {
    check_special::<G2Projective>();
}

#[test]
fn the_same_point_many_times() {
    let g = G1Projective::ours(&G1Projective::generator());
    let sum = (0..100).fold(Xyzz::INFINITY, |sum, _| sum.add_affine(&g));
    let expected = G1Projective::generator() * Scalar::from(100);
    assert_eq!(sum.to_affine(), G1Projective::ours(&expected));
}

#[test]
fn layouts_are_blst_s() {
    assert_eq!(size_of::<G1Affine>(), size_of::<blst::blst_p1_affine>());
    assert_eq!(align_of::<G1Affine>(), align_of::<blst::blst_p1_affine>());
    assert_eq!(size_of::<G2Affine>(), size_of::<blst::blst_p2_affine>());
    assert_eq!(align_of::<G2Affine>(), align_of::<blst::blst_p2_affine>());
    // The names of the fields of both sides differ, so one is used here.
    assert_eq!(size_of::<Fr>(), size_of_val(&Scalar::ONE));
}

/// A scalar that shrinks to 0, often one of few so that points meet.
fn scalar() -> impl Strategy<Value = Scalar> + Clone {
    prop_oneof![
        2 => (0u64..4).prop_map(Scalar::from),
        1 => (1u64..4).prop_map(|k| -Scalar::from(k)),
        3 => any::<[u64; 2]>().prop_map(|[a, b]| Scalar::from(a) * Scalar::from(b)),
    ]
}

fn denominators<F: Field + Arbitrary + 'static>() -> impl Strategy<Value = (F, F)> {
    (denominator(), denominator())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_in_g1((a, b) in operands(scalar(), Scalar::ZERO), z in denominators()) {
        let g = G1Projective::generator();
        check(&(g * a), &(g * b), z)?;
    }

    #[test]
    fn sums_in_g2((a, b) in operands(scalar(), Scalar::ZERO), z in denominators()) {
        let g = G2Projective::generator();
        check(&(g * a), &(g * b), z)?;
    }
}
