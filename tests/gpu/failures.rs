//! Calls that fail at the k-th time, for every k.

use warpfield::gpu::emulator::Call;
use warpfield::gpu::{Device, Error, Kind};

use crate::kernels::{increment, module};
use crate::support::{is_emulated, open, words};

const COUNT: usize = 100;

/// Some of everything.
fn run(device: &Device) -> Result<Vec<u32>, Error> {
    let kernel = module(device).kernel("increment")?;
    let stream = device.stream()?;
    let (a, b) = (device.alloc(COUNT)?, device.alloc(COUNT)?);
    let mut input = device.alloc_pinned(COUNT)?;
    input.copy_from_slice(&words(1, COUNT));
    let input = stream.upload_pinned(&a, input, ..)?;
    increment(&stream, &kernel, &a)?;
    stream.copy(&b, &a)?;
    stream.fill(&a, 0)?;
    increment(&stream, &kernel, &b)?;
    let output = stream.download_pinned(&b, device.alloc_pinned(COUNT)?, ..)?;
    input.wait()?;
    let output = output.wait()?;
    let mut again = vec![0; COUNT];
    stream.download(&b, &mut again)?;
    assert_eq!(*output, again);
    Ok(again)
}

#[test]
fn every_call_may_fail_once() {
    if !is_emulated() {
        // A GPU's calls fail as they like.
        return;
    }
    let calls = |call| {
        let device = open(0);
        run(&device).expect("a run");
        device.as_emulated().expect("an emulated one").calls(call)
    };
    for call in [Call::Alloc, Call::Copy, Call::Launch] {
        let count = calls(call);
        assert!(count >= 2);
        for k in 0..count {
            for seed in 0..8 {
                let device = open(seed);
                let emulated = device.as_emulated().expect("an emulated one");
                let before = emulated.free_memory();
                emulated.fail_at(call, k);
                let error = run(&device).expect_err("it was to fail");
                assert_eq!(error.kind(), Kind::Other, "{error}");
                assert!(error.to_string().contains(&format!("{call} number {k}")), "{error}");
                assert_eq!(emulated.free_memory(), before, "{call} number {k}");
                // It costs what was tried, and nothing else.
                assert_eq!(run(&device).expect("a run"), words(3, COUNT));
                assert_eq!(emulated.free_memory(), before);
            }
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_unavailable() {
    let error = Device::cuda(4711).expect_err("so many there are not");
    assert_eq!(error.kind(), Kind::Unavailable, "{error}");
    assert!(error.remedy().is_some(), "{error}");
    match Device::list() {
        Ok(devices) => {
            assert!(devices.iter().zip(0..).all(|(info, index)| info.index == index));
            assert!(devices.len() < 4711);
        }
        Err(error) => assert_eq!(error.kind(), Kind::Unavailable, "{error}"),
    }
}
