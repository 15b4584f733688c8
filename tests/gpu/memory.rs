//! Device memory and copies of ordinary memory.

use warpfield::gpu::Kind;
use warpfield_device::field::{Field as _, Fr};

use crate::support::{download, free, on_device, words};

#[test]
fn copies_arrive() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let values = words(1, 1000);
        let a = device.alloc::<u32>(1000).expect("memory");
        let b = device.alloc::<u32>(1000).expect("memory");
        stream.upload(&a, &values).expect("a copy");
        stream.fill(&b, 0xab).expect("a fill");
        stream.copy(&b.slice(100..900), &a.slice(..800)).expect("a copy");
        let mut expected = vec![0xabab_abab; 1000];
        expected[100..900].copy_from_slice(&values[..800]);
        assert_eq!(download(&stream, &b), expected);
        assert_eq!(download(&stream, &b.slice(99..=100)), [0xabab_abab, 1]);
    });
}

#[test]
fn slices_are_addresses() {
    on_device(|device| {
        let buffer = device.alloc::<u32>(64).expect("memory");
        assert_eq!((buffer.len(), buffer.address() % 256), (64, 0));
        let slice = buffer.slice(3..);
        assert_eq!((slice.len(), slice.address()), (61, buffer.address() + 12));
        assert_eq!(slice.slice(1..3).address(), buffer.address() + 16);
        assert!(slice.slice(61..).is_empty());
        // 61 words are no whole number of pairs, and 12 is no multiple of 8.
        assert!(slice.cast::<u64>().is_none() && slice.slice(..60).cast::<u64>().is_none());
        let pairs = slice.slice(1..).cast::<u64>().expect("60 aligned words");
        assert_eq!((pairs.len(), pairs.address()), (30, buffer.address() + 16));
        assert_eq!(buffer.cast::<[u32; 8]>().expect("eight of them").len(), 8);
    });
}

#[test]
#[should_panic = "of a slice of 8 values"]
fn a_slice_is_inside() {
    on_device(|device| drop(device.alloc::<u32>(8).expect("memory").slice(4..9)));
}

#[test]
fn a_slice_keeps_its_memory() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let slice = device.alloc::<u32>(100).expect("memory").slice(10..20);
        stream.upload(&slice, &words(5, 10)).expect("a copy");
        assert_eq!(download(&stream, &slice), words(5, 10));
    });
}

#[test]
fn field_elements_arrive() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let values = [Fr::ONE, Fr::ONE + Fr::ONE];
        let buffer = device.alloc::<Fr>(2).expect("memory");
        stream.upload(&buffer, &values).expect("a copy");
        let mut back = [Fr::ZERO; 2];
        stream.download(&buffer, &mut back).expect("a copy");
        assert!(back == values);
    });
}

#[test]
fn lengths_must_agree() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let buffer = device.alloc::<u32>(8).expect("memory");
        let pinned = || device.alloc_pinned::<u32>(8).expect("memory");
        let errors = [
            stream.upload(&buffer, &[0; 7]).expect_err("too few"),
            stream.upload(&buffer, &[0; 9]).expect_err("too many"),
            stream.download(&buffer, &mut [0; 7]).expect_err("too small"),
            stream.copy(&buffer.slice(..3), &buffer.slice(4..8)).expect_err("too small"),
            stream.copy(&buffer.slice(..4), &buffer.slice(3..7)).expect_err("overlap"),
            stream.upload_pinned(&buffer, pinned(), ..7).expect_err("too few"),
            stream.upload_pinned(&buffer, pinned(), 1..9).expect_err("outside"),
            stream.download_pinned(&buffer.slice(..7), pinned(), ..).expect_err("too large"),
        ];
        for error in errors {
            assert_eq!(error.kind(), Kind::Argument, "{error}");
            assert!(error.operation().starts_with("copy"), "{error}");
        }
        device.check().expect("nothing happened");
    });
}

#[test]
fn nothing_is_no_exception() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let (a, b) = (device.alloc::<u64>(0).expect("none"), device.alloc::<u64>(0).expect("none"));
        let pinned = device.alloc_pinned::<u64>(0).expect("none");
        stream.upload(&a, &[]).expect("a copy of nothing");
        stream.copy(&a, &b).expect("a copy of nothing");
        stream.fill(&a, 1).expect("a fill of nothing");
        let pinned = stream.upload_pinned(&a, pinned, ..).expect("a copy of nothing");
        let pinned = pinned.wait().expect("the buffer");
        assert!(pinned.is_empty() && a.is_empty() && download(&stream, &a).is_empty());
    });
}

#[test]
fn too_much_is_out_of_memory() {
    on_device(|device| {
        let memory = device.memory().expect("a device that works");
        let held = device.alloc::<u8>(memory.free as usize / 2).expect("half of it");
        for len in [memory.free as usize, usize::MAX >> 20, usize::MAX] {
            let error = device.alloc::<u64>(len).expect_err("too much");
            assert_eq!(error.kind(), Kind::OutOfMemory, "{error}");
            assert!(error.operation().starts_with("allocation of "), "{error}");
        }
        let error = device.alloc_pinned::<u64>(usize::MAX / 4).expect_err("too much");
        assert_eq!(error.kind(), Kind::OutOfMemory, "{error}");
        drop(held);
        // No harm done.
        let all = device.alloc::<u8>(memory.free as usize / 4 * 3).expect("most of it");
        assert!(free(device) < memory.free / 2);
        drop(all);
    });
}
