//! Lengths, and how they are split.

use warpfield::curve::{G1, G2};
use warpfield::msm::gpu::{DeviceGroup, Plan, Split};

use crate::support::{check, check_one, is_emulated, points, random, split};

const LENGTHS: [usize; 12] = [0, 1, 2, 31, 32, 33, 191, 192, 193, 237, 512, 513];

fn lengths<G: DeviceGroup>(lengths: &[usize]) {
    for &length in lengths {
        let split = split::<G>(5, 4);
        check_one::<G>(split, &points::<G>(length), &random(length));
    }
}

#[test]
fn lengths_g1() {
    lengths::<G1>(&LENGTHS);
}

#[test]
fn lengths_g2() {
    lengths::<G2>(if is_emulated() { &LENGTHS[..7] } else { &LENGTHS });
}

fn splits<G: DeviceGroup>(splits: &[(usize, u32, u32)]) {
    for &(length, bits, log_segment) in splits {
        check::<G>(split::<G>(bits, log_segment), &points::<G>(length), &random(length));
    }
}

#[test]
fn splits_g1() {
    splits::<G1>(&[(20, 2, 1), (20, 3, 2), (33, 4, 5), (40, 6, 1), (40, 7, 3), (50, 8, 4)]);
    if !is_emulated() {
        let wide: Vec<_> = (9..=24).map(|bits| (1000, bits, bits / 4)).collect();
        splits::<G1>(&wide);
    }
}

#[test]
fn splits_g2() {
    splits::<G2>(&[(10, 3, 1), (33, 6, 2)]);
    if !is_emulated() {
        let wide: Vec<_> = (9..=24).map(|bits| (500, bits, bits / 4)).collect();
        splits::<G2>(&wide);
    }
}

#[test]
fn long() {
    if is_emulated() {
        return;
    }
    for length in [(1 << 14) - 1, 1 << 14, (1 << 14) + 1] {
        let (g1, g2) = (Split::of::<G1>(length, 500), Split::of::<G2>(length, 0));
        check::<G1>(g1, &points::<G1>(length), &random(length));
        check::<G2>(g2, &points::<G2>(length), &random(length));
    }
}

/// Segments of all lengths, from several to a bucket to none that is full.
#[test]
fn segments() {
    for log_segment in 1..=10 {
        check_one::<G1>(split::<G1>(2, log_segment), &points::<G1>(30), &random(30));
    }
    for log_segment in [1, 3, 5] {
        check_one::<G2>(split::<G2>(3, log_segment), &points::<G2>(10), &random(10));
    }
}

#[test]
fn plans() {
    let mut before = 0;
    for log in 0..27 {
        let plan = Plan::<G1>::new(1 << log, Split::of::<G1>(1 << log, 660)).expect("a plan");
        let bits = plan.split().bits;
        assert!(bits >= before && plan.terms() == 1 << log);
        before = bits;
        // Entries and sums, and twice that for all the rest but halvings.
        let least = 4 * plan.terms() * plan.windows() as usize + 192 * plan.buckets() as usize;
        let bytes = plan.bytes();
        let most = 3 * least + if plan.split().halving.is_some() { 2 << 30 } else { 1 << 20 };
        assert!((least..most).contains(&bytes), "2^{log}: {bytes}");
    }
    assert!(Plan::<G1>::new(1 << 28, Split::of::<G1>(1 << 28, 660)).is_ok());
    for (terms, bits) in [(1 << 29, 20), (1 << 31, 20), (usize::MAX, 20), (1, 1), (1, 25)] {
        assert!(Plan::<G2>::new(terms, split::<G2>(bits, 3)).is_err(), "{terms} {bits}");
    }
}
