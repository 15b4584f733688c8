//! Lengths, and how they are split.

use warpfield::curve::{G1, G2};
use warpfield::msm::gpu::{DeviceGroup, Plan};

use crate::support::{Split, check, check_one, is_emulated, points, random};

const LENGTHS: [usize; 12] = [0, 1, 2, 31, 32, 33, 191, 192, 193, 237, 512, 513];

fn lengths<G: DeviceGroup>(lengths: &[usize]) {
    for &length in lengths {
        let split = Split { bits: 5, share: 4 };
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
    for &(length, bits, share) in splits {
        check::<G>(Split { bits, share }, &points::<G>(length), &random(length));
    }
}

#[test]
fn splits_g1() {
    splits::<G1>(&[(20, 2, 0), (20, 3, 1), (33, 4, 2), (40, 6, 3), (40, 7, 3), (50, 8, 4)]);
    if !is_emulated() {
        let wide: Vec<_> = (9..=20).map(|bits| (1000, bits, bits % 7)).collect();
        splits::<G1>(&wide);
    }
}

#[test]
fn splits_g2() {
    splits::<G2>(&[(10, 3, 1), (33, 6, 3)]);
    if !is_emulated() {
        let wide: Vec<_> = (9..=20).map(|bits| (500, bits, bits % 7)).collect();
        splits::<G2>(&wide);
    }
}

#[test]
fn long() {
    if is_emulated() {
        return;
    }
    for length in [(1 << 14) - 1, 1 << 14, (1 << 14) + 1] {
        let plan = Plan::<G1>::new(length).expect("a plan");
        let split = Split { bits: plan.bits(), share: plan.share() };
        check::<G1>(split, &points::<G1>(length), &random(length));
        check::<G2>(split, &points::<G2>(length), &random(length));
    }
}

#[test]
fn plans() {
    let mut before = 0;
    for log in 0..27 {
        let plan = Plan::<G1>::new(1 << log).expect("a plan");
        assert!(plan.bits() >= before && plan.terms() == 1 << log);
        before = plan.bits();
        // Entries, sums and heads; no more than that.
        let least = 4 * plan.terms() * plan.windows() as usize + 192 * plan.buckets() as usize;
        assert!(
            (least..3 * least + (1 << 20)).contains(&plan.bytes()),
            "2^{log}: {}",
            plan.bytes()
        );
    }
    assert!(Plan::<G1>::new(1 << 28).is_ok());
    for (terms, bits) in [(1 << 29, 20), (1 << 31, 20), (usize::MAX, 20), (1, 1), (1, 21)] {
        assert!(Plan::<G2>::with(terms, bits, 3).is_err(), "{terms} {bits}");
    }
}
