//! Kernels that go wrong lose the device, and their own only.

use std::env;
use std::process::Command;

use warpfield::gpu::{Device, Kind, LaunchConfig};

use crate::device::{self, TestDevice};
use crate::kernels::{increment, kernel};
use crate::support::{alone, assert_all_back, download, free, is_emulated, open, seeds};

/// Launches something wrong; `Err` may come from this call or any later one.
fn launch(device: &Device, name: &str) {
    let stream = device.stream().expect("a stream");
    let data = device.alloc::<u32>(64).expect("memory");
    let mut input = device.alloc_pinned(64).expect("memory");
    input.fill(1);
    let pending = stream.upload_pinned(&data, input, ..).expect("a copy");
    let right = kernel(device, "increment");
    increment(&stream, &right, &data).expect("a launch");
    let wrong = kernel(device, name);
    let config = LaunchConfig::new(1, 1);
    let result = match wrong.parameters() {
        [] => {
            // SAFETY: it touches nothing.
            unsafe { stream.launch(&wrong, config, &[][..]) }
        }
        // SAFETY: what it touches is not memory, which the device notices.
        _ => unsafe { stream.launch(&wrong, config, (&data,)) },
    };
    let result = result.and_then(|()| stream.synchronize());
    let error = result.expect_err("the kernel is wrong");
    assert_eq!(error.kind(), Kind::Fault, "{error}");
    assert!(error.to_string().contains(name), "{error}");
    assert!(error.kernels().any(|kernel| kernel == name), "{error}");
    assert_eq!(error.code().is_none(), is_emulated(), "{error}");

    // From now on this is the answer to everything.
    let check = |later: Result<(), warpfield::gpu::Error>| {
        assert_eq!(later.expect_err("a lost device").to_string(), error.to_string());
    };
    check(device.check());
    check(stream.fill(&data, 0));
    check(device.alloc::<u32>(1).map(drop));
    check(device.stream().map(drop));
    check(device.synchronize());
    check(increment(&stream, &right, &data));
    check(pending.wait().map(drop));
}

/// Runs a test, on a GPU in a process of its own: no other could use the GPU any more.
fn apart(name: &str, test: impl Fn(u64)) {
    const CHILD: &str = "WARPFIELD_TEST_CHILD";
    if is_emulated() {
        return seeds().for_each(test);
    }
    if env::var_os(CHILD).is_some() {
        return test(0);
    }
    let _alone = alone();
    let program = env::current_exe().expect("a path");
    let mut child = Command::new(program);
    let output = child.args(["--exact", name]).env(CHILD, "1").output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

fn loses_its_device(seed: u64, name: &str) {
    let lost = open(seed);
    let emulated = lost.as_emulated().cloned();
    let before = free(&lost);
    launch(&lost, name);
    drop(lost);
    let Some(emulated) = emulated else {
        // The driver has no other for this process, or one that works.
        if let TestDevice::Cuda(index) = device::named()
            && let Err(error) = Device::cuda(index).map(|device| works(&device))
        {
            assert_eq!(error.kind(), Kind::Fault, "{error}");
        }
        return;
    };
    assert_eq!(emulated.free_memory(), before);
    // The next one is none the worse for it.
    works(&open(seed));
}

fn works(device: &Device) {
    let before = free(device);
    {
        let stream = device.stream().expect("a stream");
        let data = device.alloc(10).expect("memory");
        stream.upload(&data, &[1; 10]).expect("a copy");
        increment(&stream, &kernel(device, "increment"), &data).expect("a launch");
        assert_eq!(download(&stream, &data), [2; 10]);
    }
    assert_all_back(device, before);
}

#[test]
fn a_trap_loses_its_device() {
    apart("faults::a_trap_loses_its_device", |seed| loses_its_device(seed, "trapping"));
}

#[test]
fn a_stray_write_loses_its_device() {
    apart("faults::a_stray_write_loses_its_device", |seed| loses_its_device(seed, "straying"));
}

#[test]
fn another_stream_learns_of_it() {
    apart("faults::another_stream_learns_of_it", |seed| {
        let device = open(seed);
        let [stream, other] = [0; 2].map(|_| device.stream().expect("a stream"));
        let data = device.alloc::<u32>(64).expect("memory");
        let trapping = kernel(&device, "trapping");
        // SAFETY: it touches nothing.
        let queued = unsafe { stream.launch(&trapping, LaunchConfig::new(1, 1), &[][..]) };
        let done = queued.and_then(|()| device.synchronize());
        assert_eq!(done.expect_err("a trap").kind(), Kind::Fault);
        let error = other.upload(&data, &[0; 64]).expect_err("a lost device");
        assert!(error.to_string().contains("trapping"), "{error}");
        // Whoever goes last, nothing panics.
        drop(device);
        drop(stream);
    });
}
