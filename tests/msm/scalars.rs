//! Scalars at the ends of their range, and ones that make few buckets of all.

use blstrs::Scalar;
use ff::{Field as _, PrimeField as _};
use warpfield::curve::{G1, G2};
use warpfield::msm::gpu::{DeviceGroup, Scalars};
use warpfield_device::field::{Config, fr::FrConfig};
use warpfield_device::launch::{G1_THREADS, G2_THREADS, TEAM};

use crate::support::{Summer, check, check_one, is_emulated, naive, points, random, split};

pub fn edges() -> Vec<Scalar> {
    let half = Scalar::TWO_INV;
    let mut edges = vec![
        Scalar::ZERO,
        Scalar::ONE,
        Scalar::from(2),
        -Scalar::ONE,
        -Scalar::from(2),
        half - Scalar::ONE,
        half,
        -half,
    ];
    edges.extend((0..255).step_by(9).map(|bit| Scalar::from(2).pow([bit])));
    edges
}

fn ends<G: DeviceGroup>() {
    let edges = edges();
    check::<G>(split::<G>(5, 2), &points::<G>(edges.len()), &edges);
    // Each alone, so that no other makes up for it.
    for edge in &edges[..8] {
        check_one::<G>(split::<G>(5, 2), &points::<G>(1), &[*edge]);
    }
}

#[test]
fn ends_g1() {
    ends::<G1>();
}

#[test]
fn ends_g2() {
    ends::<G2>();
}

/// All equal; nearly all 0 or 1; two values; and the sum zero.
fn skewed<G: DeviceGroup>(length: usize) {
    let points = points::<G>(length);
    let random = random(length);
    let mostly = |value: Scalar| -> Vec<Scalar> {
        let at = |i: usize| if i % 100 == 7 { random[i] } else { value };
        (0..length).map(at).collect()
    };
    let two = |a: Scalar, b: Scalar| -> Vec<Scalar> {
        (0..length).map(|i| if i.is_multiple_of(3) { a } else { b }).collect()
    };
    let one = Scalar::ONE;
    for scalars in [
        mostly(Scalar::ZERO),
        mostly(one),
        vec![one; length],
        vec![random[0]; length],
        two(one, -one),
        two(random[0], random[1]),
        vec![Scalar::ZERO; length],
    ] {
        check_one::<G>(split::<G>(5, 2), &points, &scalars);
    }
}

#[test]
fn skewed_g1() {
    skewed::<G1>(if is_emulated() { 200 } else { 20_000 });
}

#[test]
fn skewed_g2() {
    skewed::<G2>(if is_emulated() { 40 } else { 5_000 });
}

/// One bucket of all threads, with numbers of them around what joining takes at a time.
#[test]
fn one_bucket() {
    for length in if is_emulated() { 1..=36 } else { 1000..=1033 } {
        let split = split::<G1>(2, 1 + length as u32 % 3);
        check_one::<G1>(split, &points::<G1>(length), &vec![Scalar::ONE; length]);
    }
    let length = if is_emulated() { 2_100 } else { 100_000 };
    check_one::<G1>(split::<G1>(2, 1), &points::<G1>(length), &vec![Scalar::ONE; length]);
}

/// Two buckets of many segments of two entries, of which the second starts about where a block's parts do,
/// in the first step of joining and in the next.
#[test]
fn two_buckets() {
    fn check<G: DeviceGroup>(block: usize) {
        for first in (block - 2..=block + 2).chain([block * block - block - 1]) {
            let (ones, twos) = (vec![Scalar::ONE; 2 * first], vec![Scalar::from(2); 4 * block + 7]);
            let scalars = [ones, twos].concat();
            check_one::<G>(split::<G>(3, 1), &points::<G>(scalars.len()), &scalars);
        }
    }
    check::<G1>((G1_THREADS / TEAM) as usize);
    check::<G2>((G2_THREADS / TEAM) as usize);
}

/// More scalars than threads that take them, and than a block partitions.
#[test]
fn many_zeros() {
    let length = if is_emulated() { 16_500 } else { 300_000 };
    let values = random(length / 400 + 1);
    let at = |i: usize| if i % 400 == 399 { values[i / 400] } else { Scalar::ZERO };
    let scalars: Vec<Scalar> = (0..length).map(at).collect();
    check_one::<G1>(split::<G1>(5, 2), &points::<G1>(length), &scalars);
}

#[test]
fn the_sum_may_be_infinity() {
    let points = points::<G1>(20);
    let [a, b] = [points[3], points[4]];
    for (points, scalars) in [
        (vec![a, a], vec![Scalar::from(5), -Scalar::from(5)]),
        (vec![a, -a], vec![Scalar::from(5); 2]),
        (vec![a, b, a + b], vec![Scalar::from(77), Scalar::from(77), -Scalar::from(77)]),
    ] {
        assert!(bool::from(group::Group::is_identity(&naive::<G1>(&points, &scalars))));
        check::<G1>(split::<G1>(5, 2), &points, &scalars);
    }
}

/// Integers of r and more.
#[test]
fn integers_count_modulo_r() {
    let order = <FrConfig as Config<8>>::MODULUS;
    let words = [order, [u32::MAX; 8], [0, 0, 0, 0, 0, 0, 0, 1 << 31]];
    let value = |words: &[u32; 8]| {
        words.iter().rev().fold(Scalar::ZERO, |value, word| {
            value * Scalar::from(1 << 32) + Scalar::from(u64::from(*word))
        })
    };
    let scalars: Vec<Scalar> = words.iter().map(value).collect();
    assert_eq!(scalars[0], Scalar::ZERO);
    let points = points::<G1>(words.len());
    let summer = Summer::<G1>::new(0);
    let memory = summer.upload(&words);
    let sum = summer.sum(split::<G1>(5, 2), &summer.bases(&points), Scalars::Integers(&memory));
    assert_eq!(sum, naive::<G1>(&points, &scalars));
}
