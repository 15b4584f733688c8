//! Workspaces, streams and seeds; and what is refused.

use warpfield::curve::{G1, G2, PointSlice};
use warpfield::gpu::Plain;
use warpfield::gpu::emulator::Call;
use warpfield::msm::gpu::{Bases, DeviceGroup, Error, Msm, Plan, Scalars, Step};
use warpfield::msm::{MsmError, ScalarSlice};

use crate::support::{
    Summer, bytes, integers, is_emulated, montgomery, naive, open, points, random, split,
};

/// Host to host.
#[test]
fn convenient() {
    fn check<G: DeviceGroup>(length: usize) {
        let (device, module) = open(1);
        let (points, scalars) = (points::<G>(length), random(length));
        let base_bytes = bytes::<G>(&points);
        let scalar_bytes: Vec<[u8; 32]> = scalars.iter().map(|s| s.to_bytes_le()).collect();
        let msm = Msm::<G>::new(&device, &module).expect("the kernels");
        let bases = PointSlice::new(&base_bytes).expect("whole points");
        let sum = msm.sum(bases, ScalarSlice::from(&scalar_bytes[..])).expect("a sum");
        assert_eq!(sum, naive::<G>(&points, &scalars));
        let error = msm.sum(bases, ScalarSlice::from(&scalar_bytes[1..])).unwrap_err();
        let (bases, scalars) = (length, length - 1);
        assert!(
            matches!(error, Error::Terms(e) if e == MsmError::LengthMismatch { bases, scalars })
        );
    }
    check::<G1>(50);
    check::<G2>(9);
}

/// One workspace for one sum after the other, of up to so many terms.
#[test]
fn workspaces_are_used_again() {
    let summer = Summer::<G1>::new(3);
    let (points, scalars) = (points::<G1>(60), random(60));
    let bases = summer.bases(&points);
    let device_scalars = summer.upload(&montgomery(&scalars));
    let plan = Plan::new(50, split::<G1>(5, 8)).expect("a plan");
    let mut workspace = summer.msm.workspace(plan).expect("memory");
    for range in [0..50, 10..20, 0..0, 7..8, 10..60] {
        let scalars_there = device_scalars.slice(range.clone());
        let mut steps = Vec::new();
        let running = summer.msm.run_observed(
            &summer.stream,
            workspace,
            &bases.slice(range.clone()),
            Scalars::Montgomery(&scalars_there),
            |step| {
                steps.push(step);
                Ok(())
            },
        );
        assert_eq!(steps, if range.is_empty() { &[][..] } else { &Step::ALL });
        let (sum, again) = running.expect("launches").wait().expect("a sum");
        assert_eq!(sum, naive::<G1>(&points[range.clone()], &scalars[range.clone()]), "{range:?}");
        workspace = again;
    }
    let result =
        summer.msm.run(&summer.stream, workspace, &bases, Scalars::Montgomery(&device_scalars));
    assert!(matches!(result, Err(Error::Room { terms: 60, room: 50 })));
}

/// Two at once, on streams of their own, for several orders of queued work and of warps.
#[test]
fn two_at_once() {
    for seed in 0..if is_emulated() { 4 } else { 20 } {
        let summer = Summer::<G1>::new(seed);
        let other = summer.device.stream().expect("a stream");
        let (points, scalars) = (points::<G1>(70), random(70));
        let bases = summer.bases(&points);
        let device_scalars = summer.upload(&integers(&scalars));
        let halves = [(0..35, &summer.stream), (30..70, &other)];
        let running = halves.clone().map(|(range, stream)| {
            let plan = Plan::new(40, split::<G1>(4, 4)).expect("a plan");
            let workspace = summer.msm.workspace(plan).expect("memory");
            let scalars = device_scalars.slice(range.clone());
            let scalars = Scalars::Integers(&scalars);
            summer.msm.run(stream, workspace, &bases.slice(range), scalars).expect("launches")
        });
        for (running, (range, _)) in running.into_iter().zip(halves) {
            let sum = running.wait().unwrap_or_else(|error| panic!("seed {seed}: {error}")).0;
            let expected = naive::<G1>(&points[range.clone()], &scalars[range]);
            assert_eq!(sum, expected, "seed {seed}");
        }
    }
}

/// A result that moves is a race.
#[test]
fn the_same_many_times() {
    let summer = Summer::<G1>::new(5);
    let (length, times) = if is_emulated() { (20, 3) } else { (3000, 1000) };
    let (points, scalars) = (points::<G1>(length), random(length));
    let expected = naive::<G1>(&points, &scalars);
    let bases = summer.bases(&points);
    let memory = summer.upload(&montgomery(&scalars));
    let plan = Plan::new(length, split::<G1>(6, 8)).expect("a plan");
    let mut workspace = summer.msm.workspace(plan).expect("memory");
    for time in 0..times {
        let scalars = Scalars::Montgomery(&memory);
        let running = summer.msm.run(&summer.stream, workspace, &bases, scalars);
        let (sum, again) = running.expect("launches").wait().expect("a sum");
        assert_eq!(sum, expected, "{time}");
        workspace = again;
    }
}

/// Any call of the device may fail: the error comes, all memory is back, and the next sum is right.
#[test]
fn every_call_may_fail_once() {
    if !is_emulated() {
        // A GPU's calls fail as they like.
        return;
    }
    let (points, scalars) = (points::<G1>(3), random(3));
    let base_bytes = bytes::<G1>(&points);
    let scalar_bytes: Vec<[u8; 32]> = scalars.iter().map(|s| s.to_bytes_le()).collect();
    let (device, module) = open(0);
    let msm = Msm::<G1>::new(&device, &module).expect("the kernels");
    let sum = || {
        let bases = PointSlice::new(&base_bytes).expect("whole points");
        msm.sum(bases, ScalarSlice::from(&scalar_bytes[..]))
    };
    let emulated = device.as_emulated().expect("an emulated one");
    let free = emulated.free_memory();
    for (call, least) in [(Call::Alloc, 4), (Call::Copy, 5), (Call::Launch, 8)] {
        let before = emulated.calls(call);
        assert_eq!(sum().expect("a sum"), naive::<G1>(&points, &scalars));
        let count = emulated.calls(call) - before;
        assert!(count >= least, "{count} calls");
        for k in 0..count {
            emulated.fail_at(call, emulated.calls(call) + k);
            assert!(sum().is_err(), "{call} {k}");
            assert_eq!(emulated.free_memory(), free, "{call} {k}");
        }
    }
    assert_eq!(sum().expect("a sum"), naive::<G1>(&points, &scalars));
}

#[test]
fn refused() {
    let summer = Summer::<G1>::new(0);
    let bases = summer.bases(&points::<G1>(2));
    let words = summer.upload(&[0u32; 8 + 24 + 2]);
    fn at<T: Plain>(
        words: &warpfield::gpu::DeviceSlice<u32>,
        from: usize,
        len: usize,
    ) -> warpfield::gpu::DeviceSlice<T> {
        words.slice(from..from + len).cast().expect("whole values")
    }
    let aligned = at(&words, 0, 8);
    let workspace = || {
        let plan = Plan::new(2, split::<G1>(4, 8)).expect("a plan");
        summer.msm.workspace(plan).expect("memory")
    };
    let run = |bases: &Bases<G1>, scalars: Scalars<'_>| {
        summer.msm.run(&summer.stream, workspace(), bases, scalars).map(|_| ()).unwrap_err()
    };
    let misaligned = at(&words, 2, 8);
    let error = run(&bases.slice(..1), Scalars::Integers(&misaligned));
    assert!(matches!(error, Error::Misaligned(_)), "{error}");
    let error = run(&bases, Scalars::Integers(&aligned));
    assert!(matches!(error, Error::Terms(MsmError::LengthMismatch { bases: 2, scalars: 1 })));
    assert!(matches!(Bases::<G1>::new(at(&words, 2, 24)), Err(Error::Misaligned(_))));
}
