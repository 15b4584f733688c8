//! Sums of operands in others' memory, on others' streams.

use warpfield::curve::{G1, G2};
use warpfield::gpu::emulator::Call;
use warpfield::gpu::{DeviceSlice, Stream};
use warpfield::msm::gpu::{Bases, DeviceGroup, Plan, Scalars};
use warpfield_device::curve::Affine;

use crate::support::{Summer, bytes, integers, naive, points, random, split};

const TERMS: usize = 40;

/// Others write the scalars before, and overwrite them behind, in the order of their stream.
fn check<G: DeviceGroup>(seed: u64) {
    let summer = Summer::<G>::new(seed);
    let (theirs, arena) =
        (summer.device.stream().expect("a stream"), bytes::<G>(&points::<G>(TERMS)));
    let arena = summer.upload(&arena);
    let scalars = random(TERMS);
    let (source, place) = (summer.upload(&integers(&scalars)), summer.upload(&[[0u32; 8]; TERMS]));
    let plan = Plan::new(TERMS, split::<G>(4, 8)).expect("a plan");
    let workspace = summer.msm.workspace(plan).expect("memory");
    let allocations = || summer.device.as_emulated().map(|device| device.calls(Call::Alloc));

    let (device, skipped) = (&summer.device, size_of::<Affine<G::Coordinate>>());
    // SAFETY: the stream and the memory outlive the handles.
    let (stream, bases, operands) = unsafe {
        let points = arena.address() + skipped as u64;
        (
            Stream::from_raw(device, theirs.as_raw()),
            DeviceSlice::from_raw_parts(device, points, TERMS - 1),
            DeviceSlice::from_raw_parts(device, place.address(), TERMS - 1),
        )
    };
    let bases = Bases::new(bases).expect("aligned points");
    theirs.copy(&place, &source).expect("a copy");
    let before = allocations();
    let running = summer.msm.run(&stream, workspace, &bases, Scalars::Integers(&operands));
    assert_eq!(allocations(), before);
    theirs.fill(&place, 0xff).expect("a fill");
    let (sum, _) = running.expect("launches").wait().expect("a sum");
    assert_eq!(sum, naive::<G>(&points::<G>(TERMS)[1..], &scalars[..TERMS - 1]));
}

#[test]
fn in_the_order_of_the_stream() {
    for seed in 0..4 {
        check::<G1>(seed);
    }
    check::<G2>(0);
}
