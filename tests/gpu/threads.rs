//! Several threads, and several devices.

use std::thread;

use warpfield::gpu::Device;

use crate::kernels::{increment, kernel};
use crate::support::{alone, download, on_device, open, seeds, words};

const COUNT: usize = 1000;

/// Counts up in a stream of its own, with everything made and dropped on the way.
fn count_up(device: &Device, from: u32) {
    let stream = device.stream().expect("a stream");
    let kernel = kernel(device, "increment");
    let mut input = device.alloc_pinned(COUNT).expect("memory");
    for round in 0..5 {
        let data = device.alloc(COUNT).expect("memory");
        input.copy_from_slice(&words(from + round, COUNT));
        let pending = stream.upload_pinned(&data, input, ..).expect("a copy");
        for _ in 0..3 {
            increment(&stream, &kernel, &data).expect("a launch");
        }
        input = stream
            .download_pinned(&data, pending.wait().expect("the buffer"), ..)
            .expect("a copy")
            .wait()
            .expect("the buffer");
        assert_eq!(*input, words(from + round + 3, COUNT));
    }
}

#[test]
fn threads_share_a_device() {
    on_device(|device| {
        thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || count_up(device, 1000 * thread));
            }
        });
    });
}

#[test]
fn devices_stand_alone() {
    let _alone = alone();
    for seed in seeds() {
        let devices = [open(seed), open(seed + 1)];
        thread::scope(|scope| {
            for device in &devices {
                for thread in 0..2 {
                    scope.spawn(move || count_up(device, 10 * thread));
                }
            }
        });
    }
}

#[test]
fn things_move_between_threads() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let data = device.alloc(COUNT).expect("memory");
        let mut input = device.alloc_pinned(COUNT).expect("memory");
        input.copy_from_slice(&words(1, COUNT));
        let pending = stream.upload_pinned(&data, input, ..).expect("a copy");
        let (stream, data) = thread::spawn(move || {
            let input = pending.wait().expect("the buffer");
            assert_eq!(*input, words(1, COUNT));
            (stream, data)
        })
        .join()
        .expect("the thread");
        thread::spawn(move || assert_eq!(download(&stream, &data), words(1, COUNT)))
            .join()
            .expect("the thread");
    });
}
