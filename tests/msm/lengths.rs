//! Lengths, and how they are split.

use warpfield::curve::{G1, G2};
use warpfield::msm::gpu::{DeviceGroup, Plan, Split};

use crate::support::{check, check_one, is_emulated, points, random, split};

const LENGTHS: [usize; 12] = [0, 1, 2, 31, 32, 33, 191, 192, 193, 237, 512, 513];

fn lengths<G: DeviceGroup>(lengths: &[usize]) {
    for &length in lengths {
        let split = split(5, 16);
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
    for &(length, bits, least) in splits {
        check::<G>(split(bits, least), &points::<G>(length), &random(length));
    }
}

#[test]
fn splits_g1() {
    splits::<G1>(&[(20, 2, 1), (20, 3, 2), (33, 4, 5), (40, 6, 8), (40, 7, 9), (50, 8, 16)]);
    if !is_emulated() {
        let wide: Vec<_> = (9..=24).map(|bits| (1000, bits, bits)).collect();
        splits::<G1>(&wide);
    }
}

#[test]
fn splits_g2() {
    splits::<G2>(&[(10, 3, 2), (33, 6, 7)]);
    if !is_emulated() {
        let wide: Vec<_> = (9..=24).map(|bits| (500, bits, bits)).collect();
        splits::<G2>(&wide);
    }
}

#[test]
fn long() {
    if is_emulated() {
        return;
    }
    for length in [(1 << 14) - 1, 1 << 14, (1 << 14) + 1] {
        let split = Split::of(length, 1 << 16);
        check::<G1>(split, &points::<G1>(length), &random(length));
        check::<G2>(split, &points::<G2>(length), &random(length));
    }
}

/// Few threads, however many entries there are.
#[test]
fn few_threads() {
    for threads in [1, 2, 3, 31, 33, 100] {
        let split = Split { bits: 6, copies: 1, threads, least: 2, bin: 16 };
        check_one::<G1>(split, &points::<G1>(30), &random(30));
    }
    check_one::<G2>(
        Split { bits: 6, copies: 1, threads: 20, least: 1, bin: 3 },
        &points::<G2>(10),
        &random(10),
    );
}

#[test]
fn plans() {
    let mut before = 0;
    for log in 0..27 {
        let plan = Plan::<G1>::new(1 << log, Split::of(1 << log, 84_480)).expect("a plan");
        let bits = plan.split().bits;
        assert!(bits >= before && plan.terms() == 1 << log);
        before = bits;
        // Entries, sums and heads; no more than that.
        let least = 4 * plan.terms() * plan.windows() as usize + 192 * plan.buckets() as usize;
        let bytes = plan.bytes();
        assert!((least..3 * least + (1 << 20)).contains(&bytes), "2^{log}: {bytes}");
    }
    assert!(Plan::<G1>::new(1 << 28, Split::of(1 << 28, 84_480)).is_ok());
    for (terms, bits) in [(1 << 29, 20), (1 << 31, 20), (usize::MAX, 20), (1, 1), (1, 25)] {
        assert!(Plan::<G2>::new(terms, split(bits, 8)).is_err(), "{terms} {bits}");
    }
}
