//! The checks of points that come from a file, and the field operations that are not blst's.

use blst::{blst_fp, blst_fp_sqrt, blst_fp2, blst_fp2_sqrt};
use group::Group;
use num_bigint::BigUint;

use super::{testing::*, *};

/// The cofactors, from the curve's specification (draft-irtf-cfrg-pairing-friendly-curves, 4.2.1).
const COFACTOR_1: &str = "396c8c005555e1568c00aaab0000aaab";
const COFACTOR_2: &str = "5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa628f1cb4\
                          d9e82ef21537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5";
const MODULUS: &str = "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153\
                       ffffb9feffffffffaaab";
const ORDER: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";

fn number(hex: &str) -> BigUint {
    BigUint::parse_bytes(hex.as_bytes(), 16).unwrap()
}

fn sqrt_1(square: &blst_fp) -> Option<blst_fp> {
    let mut root = blst_fp::ZERO;
    // SAFETY: blst reads one element and writes one.
    unsafe { blst_fp_sqrt(&mut root, square) }.then_some(root)
}

fn sqrt_2(square: &blst_fp2) -> Option<blst_fp2> {
    let mut root = blst_fp2::ZERO;
    // SAFETY: blst reads one element and writes one.
    unsafe { blst_fp2_sqrt(&mut root, square) }.then_some(root)
}

/// A point of order `prime`, which divides the cofactor.
fn point_of_order<G: CurveGroup>(
    prime: u32,
    cofactor: &str,
    curve: impl Iterator<Item = G::Affine>,
) -> G::Affine {
    let mut rest = number(cofactor);
    while (&rest % prime).bits() == 0 {
        rest /= prime;
    }
    let factor = (rest * number(ORDER)).to_u64_digits();
    for start in curve {
        let mut point = multiply::<G>(&G::to_projective(&start), &factor);
        if bool::from(point.is_identity()) {
            continue;
        }
        loop {
            let next = multiply::<G>(&point, &[u64::from(prime)]);
            if next.is_identity().into() {
                return G::to_affine(&point);
            }
            point = next;
        }
    }
    unreachable!("some point of the curve has this order")
}

fn verdict<G: CurveGroup>(points: &[G::Affine]) -> Option<usize> {
    let bytes = write_points::<G>(points);
    let points = PointSlice::<G>::new(&bytes).unwrap();
    check_on_curve(points).unwrap();
    check_in_subgroup(points, [7; 32]).err().map(|error| error.index)
}

fn check_subgroup<G: CurveGroup>(bad: &G::Affine) {
    for count in [1, 2, 60, 700, 3000] {
        let good = points::<G>(count, 1);
        assert_eq!(verdict::<G>(&good), None);
        for at in [0, count / 2, count - 1] {
            let mut points = good.clone();
            points[at] = *bad;
            assert_eq!(verdict::<G>(&points), Some(at), "one of {count}");
            // In sum nothing is wrong with these.
            points[count - 1] = bad.negate_if(true);
            assert_eq!(verdict::<G>(&points), Some(at.min(count - 1)));
        }
        let mut shifted = good.clone();
        shifted[count / 2] =
            G::to_affine(&(G::to_projective(&good[count / 2]) + G::to_projective(bad)));
        assert_eq!(verdict::<G>(&shifted), Some(count / 2));
        assert_eq!(verdict::<G>(&vec![*bad; count]), Some(0));
        assert_eq!(verdict::<G>(&vec![G::Affine::default(); count]), None);
    }
}

#[test]
fn small_orders_are_outside_the_subgroup() {
    for prime in [3, 11, 10177] {
        check_subgroup::<G1>(&point_of_order::<G1>(prime, COFACTOR_1, curve_points::<G1>(sqrt_1)));
    }
    for prime in [13, 23] {
        check_subgroup::<G2>(&point_of_order::<G2>(prime, COFACTOR_2, curve_points::<G2>(sqrt_2)));
    }
}

#[test]
fn other_points_of_the_curve_are_outside_the_subgroup() {
    check_subgroup::<G1>(&curve_points::<G1>(sqrt_1).next().unwrap());
    check_subgroup::<G2>(&curve_points::<G2>(sqrt_2).next().unwrap());
    assert_eq!(verdict::<G1>(&[]), None);
}

fn check_faults<G: CurveGroup>() {
    let good = points::<G>(600, 2);
    for at in [0, 300, 599] {
        let mut bytes = write_points::<G>(&good);
        let y = at * G::BYTES + G::Field::BYTES;
        bytes[y] ^= 1;
        let off = PointError { index: at, fault: PointFault::NotOnCurve };
        assert_eq!(check_on_curve(PointSlice::<G>::new(&bytes).unwrap()), Err(off));
        // Infinity is allowed, half of it is not.
        bytes[at * G::BYTES..][..G::BYTES].fill(0);
        assert_eq!(check_on_curve(PointSlice::<G>::new(&bytes).unwrap()), Ok(()));
        bytes[at * G::BYTES] = 1;
        assert_eq!(check_on_curve(PointSlice::<G>::new(&bytes).unwrap()), Err(off));
    }
    // Adding p changes the limbs and not the value; each component of each coordinate counts.
    for component in 0..G::BYTES / 48 {
        let mut bytes = write_points::<G>(&good);
        let limbs = &mut bytes[17 * G::BYTES + component * 48..][..48];
        let sum = BigUint::from_bytes_le(limbs) + number(MODULUS);
        limbs.copy_from_slice(&sum.to_bytes_le());
        let fault = PointError { index: 17, fault: PointFault::NotReduced };
        assert_eq!(check_on_curve(PointSlice::<G>::new(&bytes).unwrap()), Err(fault));
    }
}

#[test]
fn faults_are_found_at_their_index() {
    check_faults::<G1>();
    check_faults::<G2>();
}

/// Elements near 0, p/2, p and the limbs' ends, by their limbs.
fn edges() -> Vec<BigUint> {
    let p = number(MODULUS);
    let mut edges: Vec<BigUint> =
        (0..6).map(|limb| (BigUint::from(1u8) << (64 * limb)) - 1u8).collect();
    edges.extend((0..381).step_by(19).map(|bit| (BigUint::from(1u8) << bit) % &p));
    for small in 0..3u8 {
        edges.extend([BigUint::from(small), &p - 1u8 - small, &p / 2u8 + small]);
    }
    edges
}

fn element(limbs: &BigUint) -> blst_fp {
    let mut bytes = limbs.to_bytes_le();
    bytes.resize(48, 0);
    blst_fp::from_limb_bytes(&bytes)
}

#[test]
fn sums_of_limbs_equal_those_of_integers() {
    let p = number(MODULUS);
    for a in edges() {
        let minus = (&p - &a) % &p;
        assert_eq!(element(&a).negate_if(true), element(&minus));
        assert_eq!(element(&a).negate_if(false), element(&a));
        assert!(element(&a).is_reduced());
        assert!(!element(&(&a + &p)).is_reduced());
        for b in edges() {
            assert_eq!(element(&a).add(&element(&b)), element(&((&a + &b) % &p)));
            assert_eq!(element(&a).sub(&element(&b)), element(&((&a + &p - &b) % &p)));
        }
    }
}

#[test]
fn one_is_neutral_and_bytes_come_back() {
    let point = points::<G2>(1, 3)[0];
    assert_eq!(point.x().mul(&blst_fp2::ONE), *point.x());
    assert_eq!(point.x().mul(&point.x().inverse()), blst_fp2::ONE);
    let bytes = [&[0; 5][..], &write_points::<G2>(&[point])].concat();
    let slice = PointSlice::<G2>::new(&bytes[5..]).unwrap();
    assert_eq!((slice.len(), slice.get(0)), (1, point));
    let (left, right) = slice.split_at(1);
    assert_eq!((left.len(), right.is_empty()), (1, true));
}
