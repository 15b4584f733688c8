//! Pinned memory, which nobody touches while a copy uses it: on the emulator, a copy that found
//! its bytes changed or freed would lose the device.

use std::sync::Arc;

use warpfield::gpu::{Device, PinnedBuffer};
use zeroize::Zeroize;

use crate::kernels::{increment, kernel};
use crate::support::{download, on_device, words};

/// Enough for a copy to take a while.
const COUNT: usize = 20_000;

fn filled(device: &Device, from: u32) -> PinnedBuffer<u32> {
    let mut buffer = device.alloc_pinned(COUNT).expect("memory");
    assert!(buffer.iter().all(|&word| word == 0));
    buffer.copy_from_slice(&words(from, COUNT));
    buffer
}

#[test]
fn a_buffer_comes_back_when_its_copy_is_done() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let targets: Vec<_> = (0..8).map(|_| device.alloc(COUNT).expect("memory")).collect();
        let mut buffer = filled(device, 0);
        for (target, from) in targets.iter().zip(0..) {
            buffer.copy_from_slice(&words(from, COUNT));
            // It is moved: there is nothing to write to until it is back.
            let pending = stream.upload_pinned(target, buffer, ..).expect("a copy");
            buffer = pending.wait().expect("the buffer");
            buffer.fill(u32::MAX);
        }
        for (target, from) in targets.iter().zip(0..) {
            assert_eq!(download(&stream, target), words(from, COUNT));
        }
    });
}

#[test]
fn a_buffer_given_up_lives_until_its_copy_is_done() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let targets: Vec<_> = (0..4).map(|_| device.alloc(COUNT).expect("memory")).collect();
        for (target, from) in targets.iter().zip(0..) {
            drop(stream.upload_pinned(target, filled(device, from), ..).expect("a copy"));
            // What gets the memory, if it was freed.
            filled(device, 99);
        }
        for (target, from) in targets.iter().zip(0..) {
            assert_eq!(download(&stream, target), words(from, COUNT));
        }
    });
}

#[test]
fn a_stream_may_go_before_its_copies() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let target = device.alloc(COUNT).expect("memory");
        let first = stream.upload_pinned(&target, filled(device, 1), ..).expect("a copy");
        let second = stream.upload_pinned(&target, filled(device, 2), ..).expect("a copy");
        drop(stream);
        drop(first);
        assert_eq!(*second.wait().expect("the buffer"), words(2, COUNT));
        let stream = device.stream().expect("a stream");
        assert_eq!(download(&stream, &target), words(2, COUNT));
    });
}

#[test]
fn a_shared_buffer_is_not_written_before_all_its_copies_are_done() {
    on_device(|device| {
        let streams = [device.stream().expect("a stream"), device.stream().expect("a stream")];
        let targets = [device.alloc(COUNT).expect("memory"), device.alloc(1000).expect("memory")];
        let mut buffer = Arc::new(filled(device, 3));
        let [all, part] = [(0, 0..COUNT), (1, 500..1500)].map(|(at, range)| {
            let copy = streams[at].upload_pinned(&targets[at], buffer.clone(), range);
            copy.expect("a copy")
        });
        assert_eq!(**buffer, words(3, COUNT));
        assert!(Arc::get_mut(&mut buffer).is_none());
        drop(all.wait().expect("the buffer"));
        assert!(Arc::get_mut(&mut buffer).is_none());
        // Given up: the stream has the share until it is known to be done.
        drop(part);
        assert!(Arc::get_mut(&mut buffer).is_none());
        streams[1].synchronize().expect("a stream that works");
        Arc::get_mut(&mut buffer).expect("the only one").fill(0);
        assert_eq!(download(&streams[0], &targets[0]), words(3, COUNT));
        assert_eq!(download(&streams[1], &targets[1]), words(3, COUNT)[500..1500]);
    });
}

#[test]
fn results_are_there_when_the_buffer_is() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let increment_kernel = kernel(device, "increment");
        let data = device.alloc(COUNT).expect("memory");
        let upload = stream.upload_pinned(&data, filled(device, 8), ..).expect("a copy");
        increment(&stream, &increment_kernel, &data).expect("a launch");
        let room = device.alloc_pinned(COUNT + 5).expect("memory");
        let back = stream.download_pinned(&data, room, 5..).expect("a copy");
        let back = back.wait().expect("the buffer");
        assert!(upload.is_done().expect("a device that works"));
        assert_eq!((&back[..5], &back[5..]), (&[0; 5][..], &words(9, COUNT)[..]));
    });
}

#[test]
fn memory_lives_until_its_copies_are_done() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let last = device.alloc::<u32>(COUNT).expect("memory");
        let pending = {
            let [a, b] = [0, 1].map(|_| device.alloc::<u32>(COUNT).expect("memory"));
            let pending = stream.upload_pinned(&a, filled(device, 4), ..).expect("a copy");
            stream.copy(&b, &a).expect("a copy");
            increment(&stream, &kernel(device, "increment"), &b).expect("a launch");
            stream.copy(&last, &b).expect("a copy");
            pending
            // Here the buffers go, the kernel and its module.
        };
        assert_eq!(download(&stream, &last), words(5, COUNT));
        drop(pending);
    });
}

#[test]
fn a_witness_is_wiped() {
    on_device(|device| {
        let mut buffer = filled(device, 6);
        buffer.zeroize();
        assert!(buffer.iter().all(|&word| word == 0));
    });
}

#[test]
fn buffers_are_cut_and_become_one_again() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let (front, rest) = filled(device, 0).split_at(101);
        let (mut middle, back) = rest.split_at(COUNT - 103);
        assert_eq!((front.len(), middle.len(), back.len()), (101, COUNT - 103, 2));
        assert_eq!([&front[..], &middle, &back].concat(), words(0, COUNT));

        // A copy of one of them leaves the others alone.
        let target = device.alloc(101).expect("memory");
        let pending = stream.upload_pinned(&target, front, ..).expect("a copy");
        middle.fill(7);
        let front = pending.wait().expect("the buffer");
        assert_eq!(download(&stream, &target), words(0, 101));
        let target = device.alloc(5).expect("memory");
        let pending = stream.upload_pinned(&target, back, 1..2).err();
        assert!(pending.is_some(), "of other lengths");
        let target = target.slice(..3);
        let pending = stream.download_pinned(&target, middle, 1..4);
        let middle = pending.expect("a copy").wait().expect("the buffer");

        // In order only.
        let (middle, front) = middle.join(front).expect_err("the wrong way round");
        let whole = front.join(middle).expect("neighbours");
        assert_eq!(whole.len(), COUNT - 2);
        assert_eq!((&whole[..101], whole[101]), (&words(0, 101)[..], 7));
        let other = device.alloc_pinned::<u32>(3).expect("memory");
        assert!(whole.join(other).is_err(), "of another allocation");
    });
}

#[test]
fn the_same_bytes_as_other_values() {
    on_device(|device| {
        let expected = words(3, COUNT);
        let buffer = filled(device, 3).cast::<u8>().expect("bytes");
        assert_eq!(buffer[4..8], expected[1].to_le_bytes());
        let (front, rest) = buffer.split_at(12);
        let front = front.cast::<u64>().expect_err("12 bytes");
        let (odd, rest) = rest.split_at(16);
        let odd = odd.cast::<u64>().expect_err("at 12");
        let rest = odd.join(rest).expect("neighbours");
        let front = front.cast::<[u32; 3]>().expect("12 bytes");
        assert_eq!(front[0], expected[..3]);
        let rest = rest.cast::<u32>().expect("at 12");
        assert_eq!(rest[..], expected[3..]);
        let stream = device.stream().expect("a stream");
        let target = device.alloc(4).expect("memory");
        drop(stream.upload_pinned(&target, rest, 2..6).expect("a copy"));
        assert_eq!(download(&stream, &target), expected[5..9]);
    });
}
