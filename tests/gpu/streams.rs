//! Order: within a stream, and by events between streams.

use warpfield::gpu::Device;

use crate::kernels::{increment, kernel};
use crate::support::{download, is_emulated, on_device, open, seeds, words};

const COUNT: usize = 20_000;

/// A copy on one stream, a kernel on another, the result back on a third.
fn pipeline(device: &Device, wait_for_copy: bool, wait_for_kernel: bool) -> Vec<u32> {
    let [copy, compute, back] = [0; 3].map(|_| device.stream().expect("a stream"));
    let [copied, computed] = [0; 2].map(|_| device.event().expect("an event"));
    let data = device.alloc(COUNT).expect("memory");
    copy.upload(&data, &vec![0; COUNT]).expect("a copy");
    let mut input = device.alloc_pinned(COUNT).expect("memory");
    input.copy_from_slice(&words(1, COUNT));

    let input = copy.upload_pinned(&data, input, ..).expect("a copy");
    copy.record(&copied).expect("a record");
    if wait_for_copy {
        compute.wait(&copied).expect("a wait");
    }
    increment(&compute, &kernel(device, "increment"), &data).expect("a launch");
    compute.record(&computed).expect("a record");
    if wait_for_kernel {
        back.wait(&computed).expect("a wait");
    }
    let output = device.alloc_pinned(COUNT).expect("memory");
    let output = back.download_pinned(&data, output, ..).expect("a copy").wait();
    drop(input);
    output.expect("the buffer").to_vec()
}

#[test]
fn waits_order_streams() {
    on_device(|device| assert_eq!(pipeline(device, true, true), words(2, COUNT)));
}

#[test]
fn a_missing_wait_shows_for_some_seed() {
    if !is_emulated() {
        // A GPU may have luck.
        return;
    }
    for (first, second) in [(false, true), (true, false), (false, false)] {
        let wrong = seeds().filter(|&seed| pipeline(&open(seed), first, second) != words(2, COUNT));
        assert!(wrong.count() > 3, "{first} {second}");
    }
}

#[test]
fn a_stream_keeps_its_order() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let kernel = kernel(device, "increment");
        let data = device.alloc::<u32>(300).expect("memory");
        stream.fill(&data, 0).expect("a fill");
        for _ in 0..50 {
            increment(&stream, &kernel, &data).expect("a launch");
        }
        let copy = device.alloc(300).expect("memory");
        stream.copy(&copy, &data).expect("a copy");
        stream.fill(&data, 0xff).expect("a fill");
        stream.synchronize().expect("a stream that works");
        assert!(stream.is_idle().expect("a stream that works"));
        assert_eq!(download(&stream, &copy), [50; 300]);
    });
}

#[test]
fn an_event_is_its_last_record() {
    on_device(|device| {
        let [a, b] = [0; 2].map(|_| device.stream().expect("a stream"));
        let [event, later] = [0; 2].map(|_| device.event().expect("an event"));
        // Not recorded: nothing to wait for.
        assert!(event.is_done().expect("an event that works"));
        b.wait(&event).expect("no wait");
        b.synchronize().expect("a stream that works");
        assert_eq!(later.elapsed_since(&event).expect("events that work"), None);

        let data = device.alloc::<u32>(100).expect("memory");
        a.fill(&data, 1).expect("a fill");
        a.record(&event).expect("a record");
        assert_eq!(later.elapsed_since(&event).expect("events that work"), None);
        event.synchronize().expect("an event that works");
        assert!(event.is_done().expect("an event that works"));
        a.fill(&data, 2).expect("a fill");
        a.record(&later).expect("a record");
        later.synchronize().expect("an event that works");
        assert!(later.elapsed_since(&event).expect("events that work").is_some());
        assert_eq!(download(&b, &data), [0x0202_0202; 100]);
        device.synchronize().expect("a device that works");
    });
}

#[test]
fn what_is_done_is_let_go_without_a_synchronisation() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let event = device.event().expect("an event");
        let lasting = device.alloc::<u32>(1).expect("memory");
        let bytes = 1 << 14;
        let before = device.memory().expect("a device that works").free;
        for _ in 0..100 {
            let buffer = device.alloc::<u8>(bytes).expect("memory");
            stream.fill(&buffer, 7).expect("a fill");
        }
        stream.record(&event).expect("a record");
        event.synchronize().expect("an event that works");
        // Queueing more comes by the fences.
        for _ in 0..64 {
            let buffer = device.alloc::<u8>(1).expect("memory");
            stream.fill(&buffer, 7).expect("a fill");
            stream.fill(&lasting, 7).expect("a fill");
        }
        if device.as_emulated().is_some() {
            let held = before - device.memory().expect("a device that works").free;
            assert!(held < 40 * bytes as u64, "{held} bytes are held");
        }
    });
}
