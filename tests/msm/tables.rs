//! Bases with tables.

use blstrs::Scalar;
use ff::Field as _;
use group::Group as _;
use warpfield::curve::{G1, G2};
use warpfield::gpu::emulator::{Call, Config};
use warpfield::msm::gpu::{Bases, DeviceGroup, Error, Plan, Scalars, Split, Tables};

use crate::support::{
    self, Summer, bytes, emulated, is_emulated, montgomery, naive, points, random,
};

fn split<G: DeviceGroup>(tables: Tables) -> Split {
    Split { copies: tables.copies, bin: 20, ..support::split::<G>(tables.bits, 2) }
}

fn with_infinity<G: DeviceGroup>(length: usize) -> Vec<G::Projective> {
    let mut points = points::<G>(length);
    points.iter_mut().skip(3).step_by(7).for_each(|point| *point = G::Projective::identity());
    points
}

/// Every `step`-th point of every copy against doublings by blst; more points than threads.
fn contents<G: DeviceGroup>(length: usize, step: usize, tables: Tables) {
    contents_on(&Summer::<G>::new(0), length, step, tables);
}

fn contents_on<G: DeviceGroup>(summer: &Summer<G>, length: usize, step: usize, tables: Tables) {
    let points = with_infinity::<G>(length);
    let bases = summer.bases(&points);
    let mut expected: Vec<_> = points.into_iter().step_by(step).collect();
    let made = summer.msm.with_tables(&summer.stream, &bases, tables).expect("tables");
    assert_eq!(made.tables(), tables);
    assert_eq!(made.bytes(), length * G::BYTES * tables.copies as usize);
    for copy in 0..tables.copies {
        let mut found = vec![0u8; length * G::BYTES];
        let memory = made.copy(copy).cast().expect("bytes");
        summer.stream.download(&memory, &mut found).expect("a copy");
        let found: Vec<_> = found.chunks(G::BYTES).step_by(step).flatten().copied().collect();
        assert!(found == bytes::<G>(&expected), "{tables:?}, copy {copy}");
        for _ in 0..tables.bits * tables.groups() {
            expected.iter_mut().for_each(|point| *point = point.double());
        }
    }
}

#[test]
fn contents_g1() {
    contents::<G1>(150, 1, Tables { bits: 7, copies: 19 });
    contents::<G1>(1, 1, Tables { bits: 24, copies: 11 });
    if !is_emulated() {
        contents::<G1>(1_000_003, 997, Tables { bits: 24, copies: 2 });
    }
}

/// More bases than are doubled at a time, where a multiprocessor holds one block.
#[test]
fn contents_in_parts() {
    let mut config = Config::default();
    config.shared_limit = 44 << 10;
    contents_on(&Summer::<G1>::on(emulated(config)), 1030, 1, Tables { bits: 2, copies: 2 });
}

#[test]
fn contents_g2() {
    contents::<G2>(70, 1, Tables { bits: 11, copies: 4 });
    if !is_emulated() {
        contents::<G2>(500_003, 997, Tables { bits: 22, copies: 3 });
    }
}

/// The sum of bases with such tables.
fn sum<G: DeviceGroup>(tables: Tables, points: &[G::Projective], scalars: &[Scalar]) {
    let summer = Summer::<G>::new(scalars.len() as u64);
    let bases = summer.bases(points);
    let bases = summer.msm.with_tables(&summer.stream, &bases, tables).expect("tables");
    let memory = summer.upload(&montgomery(scalars));
    let sum = summer.sum(split::<G>(tables), &bases, Scalars::Montgomery(&memory));
    assert_eq!(sum, naive::<G>(points, scalars), "{} terms, {tables:?}", scalars.len());
}

/// One copy, a copy for each window, and what is between, with groups that are and are not as many as
/// the others.
const SHAPES: [(u32, u32); 7] = [(4, 1), (4, 2), (5, 7), (6, 43), (7, 3), (8, 16), (9, 29)];

#[test]
fn sums_g1() {
    for (bits, copies) in SHAPES {
        sum::<G1>(Tables { bits, copies }, &with_infinity::<G1>(20), &random(20));
    }
}

#[test]
fn sums_g2() {
    for (bits, copies) in [(5, 51), (6, 4)] {
        sum::<G2>(Tables { bits, copies }, &with_infinity::<G2>(9), &random(9));
    }
}

/// All entries in few buckets, and none.
#[test]
fn skewed() {
    let length = if is_emulated() { 60 } else { 20_000 };
    let (points, random) = (with_infinity::<G1>(length), random(2));
    // Has the digit 1 in every window.
    let ones = (0..255).step_by(5).map(|bit| Scalar::from(2).pow([bit])).sum::<Scalar>();
    let two = (0..length).map(|i| random[i % 2]).collect();
    for scalars in [
        vec![Scalar::ZERO; length],
        vec![Scalar::ONE; length],
        vec![-Scalar::ONE; length],
        vec![ones; length],
        vec![random[0]; length],
        two,
    ] {
        sum::<G1>(Tables { bits: 5, copies: 51 }, &points, &scalars);
    }
}

/// What fits, which no more memory makes slower, and which is one copy where there is none.
#[test]
fn budgets() {
    for log in 0..27 {
        let terms = 1 << log;
        let bases = terms * 96;
        let within = |budget| Tables::within::<G1>(terms, budget);
        for budget in [0, bases, 2 * bases - 1] {
            assert_eq!(within(budget).copies, 1, "2^{log}");
        }
        for copies in 2..40 {
            let tables = within(copies * bases);
            assert!((1..=copies).contains(&(tables.copies as usize)), "2^{log}: {tables:?}");
            assert!(Plan::<G1>::new(terms, Split::with::<G1>(terms, tables, 528)).is_ok());
        }
        let all = within(usize::MAX);
        assert_eq!(all.groups(), 1, "2^{log}: {all:?}");
    }
    // More than indices tell apart.
    assert!(Tables::within::<G1>(1 << 28, usize::MAX).copies < 8);
    assert_eq!(Tables::within::<G2>(1 << 31, usize::MAX).copies, 1);
    assert!(Tables::within::<G2>(0, usize::MAX).copies > 1);
}

#[test]
fn by_budget() {
    let summer = Summer::<G1>::new(2);
    let (points, scalars) = (points::<G1>(25), random(25));
    let bases = summer.bases(&points);
    let memory = summer.upload(&montgomery(&scalars));
    for copies in [0, 1, 2, 7, 1000] {
        let fixed = summer.msm.fixed_bases(&summer.stream, &bases, copies * bases.bytes());
        let fixed = fixed.expect("tables");
        assert!(fixed.bytes() <= copies.max(1) * bases.bytes());
        let plan = summer.msm.plan_for(&fixed).expect("a plan");
        let workspace = summer.msm.workspace(plan).expect("memory");
        let scalars_there = Scalars::Montgomery(&memory);
        let running = summer.msm.run(&summer.stream, workspace, &fixed, scalars_there);
        let (sum, _) = running.expect("launches").wait().expect("a sum");
        assert_eq!(sum, naive::<G1>(&points, &scalars), "{copies}");
    }
}

/// Slices, on two streams at once; and the bases alone.
#[test]
fn parts() {
    let tables = Tables { bits: 6, copies: 5 };
    for seed in 0..if is_emulated() { 2 } else { 20 } {
        let summer = Summer::<G1>::new(seed);
        let other = summer.device.stream().expect("a stream");
        let (points, scalars) = (points::<G1>(50), random(50));
        let bases = summer.bases(&points);
        let bases = summer.msm.with_tables(&summer.stream, &bases, tables).expect("tables");
        let memory = summer.upload(&montgomery(&scalars));
        let plain = Split { copies: 1, ..split::<G1>(tables) };
        let parts = [
            (10..40, &summer.stream, split::<G1>(tables)),
            (0..25, &other, split::<G1>(tables)),
            // Six groups of 9 bits are as wide as nine of 6.
            (49..50, &summer.stream, Split { bits: 9, ..split::<G1>(tables) }),
            (33..50, &other, plain),
            (50..50, &other, split::<G1>(tables)),
        ];
        let running = parts.clone().map(|(range, stream, split)| {
            let plan = Plan::new(30, split).expect("a plan");
            let workspace = summer.msm.workspace(plan).expect("memory");
            let scalars = memory.slice(range.clone());
            let scalars = Scalars::Montgomery(&scalars);
            summer.msm.run(stream, workspace, &bases.slice(range), scalars).expect("launches")
        });
        for (running, (range, ..)) in running.into_iter().zip(parts) {
            let sum = running.wait().unwrap_or_else(|error| panic!("seed {seed}: {error}")).0;
            let expected = naive::<G1>(&points[range.clone()], &scalars[range.clone()]);
            assert_eq!(sum, expected, "seed {seed}, {range:?}");
        }
    }
}

#[test]
fn refused() {
    let summer = Summer::<G1>::new(0);
    let bases = summer.bases(&points::<G1>(3));
    let make = |bits, copies| {
        summer.msm.with_tables(&summer.stream, &bases, Tables { bits, copies }).map(|b| b.tables())
    };
    assert!(matches!(make(25, 2), Err(Error::Bits(25))));
    assert!(matches!(make(4, 0), Err(Error::Copies(_))));
    assert!(matches!(make(4, 65), Err(Error::Copies(_))));
    assert!(Plan::<G1>::new(3, split::<G1>(Tables { bits: 4, copies: 65 })).is_err());

    let memory = summer.upload(&montgomery(&random(3)));
    let run = |bases: &Bases<G1>, tables| {
        let plan = Plan::new(3, split::<G1>(tables)).expect("a plan");
        let workspace = summer.msm.workspace(plan).expect("memory");
        let scalars = Scalars::Montgomery(&memory);
        summer.msm.run(&summer.stream, workspace, bases, scalars).map(|_| ())
    };
    let two = Tables { bits: 8, copies: 2 };
    let fixed = summer.msm.with_tables(&summer.stream, &bases, two).expect("tables");
    for (bases, wanted) in [
        (&bases, two),
        (&fixed, Tables { copies: 3, ..two }),
        (&fixed, Tables { copies: 16, ..two }),
        (&fixed, Tables { bits: 7, ..two }),
    ] {
        let result = run(bases, wanted);
        assert!(matches!(result, Err(Error::Tables { .. })), "{wanted:?}");
    }
}

/// Any call may fail: the error comes, and all memory is back.
#[test]
fn every_call_may_fail() {
    if !is_emulated() {
        // A GPU's calls fail as they like.
        return;
    }
    let summer = Summer::<G1>::new(0);
    let bases = summer.bases(&points::<G1>(2));
    let make = || summer.msm.with_tables(&summer.stream, &bases, Tables { bits: 24, copies: 3 });
    let device = summer.device.as_emulated().expect("an emulated one");
    let free = device.free_memory();
    for (call, count) in [(Call::Alloc, 2), (Call::Copy, 1), (Call::Launch, 2)] {
        let before = device.calls(call);
        drop(make().expect("tables"));
        assert_eq!(device.calls(call) - before, count, "{call}");
        for k in 0..count {
            device.fail_at(call, device.calls(call) + k);
            assert!(make().is_err(), "{call} {k}");
            summer.stream.synchronize().expect("no fault");
            assert_eq!(device.free_memory(), free, "{call} {k}");
        }
    }
}
