//! Streams and memory that others have made.

use warpfield::gpu::{DeviceSlice, LaunchConfig, Stream};

use crate::kernels::{increment, kernel};
use crate::support::{download, free, on_device, words};

const COUNT: usize = 1000;

#[test]
fn work_is_queued_on_others_streams_and_memory() {
    on_device(|device| {
        let (theirs, memory) = (device.stream().expect("a stream"), device.alloc(2 * COUNT));
        let memory = memory.expect("memory");
        let kernel = kernel(device, "increment");
        let before = free(device);
        {
            // SAFETY: both outlive the handles.
            let (stream, slice) = unsafe {
                let address = memory.address() + 4 * COUNT as u64;
                let slice = DeviceSlice::<u32>::from_raw_parts(device, address, COUNT);
                (Stream::from_raw(device, theirs.as_raw()), slice)
            };
            assert_eq!(stream.as_raw(), theirs.as_raw());
            assert_eq!((slice.len(), slice.address()), (COUNT, memory.slice(COUNT..).address()));
            theirs.fill(&memory, 0).expect("a fill");
            stream.upload(&slice, &words(1, COUNT)).expect("a copy");
            // In one order, whoever queues it.
            increment(&stream, &kernel, &slice).expect("a launch");
            increment(&theirs, &kernel, &memory).expect("a launch");
            increment(&stream, &kernel, &slice.slice(10..20)).expect("a launch");
        }
        let mut expected = words(3, COUNT);
        expected[10..20].iter_mut().for_each(|word| *word += 1);
        assert_eq!(download(&theirs, &memory), [vec![1; COUNT], expected].concat());
        assert_eq!(free(device), before, "nothing of theirs was freed");
        theirs.synchronize().expect("a stream that is still there");
    });
}

#[test]
fn addresses_are_arguments() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let kernel = kernel(device, "increment");
        let memory = device.alloc(COUNT).expect("memory");
        stream.upload(&memory, &words(5, COUNT)).expect("a copy");
        let arguments = (memory.address(), COUNT as u32);
        // SAFETY: it has so many words, and stays until they are read.
        unsafe { stream.launch(&kernel, LaunchConfig::new(8, 128), arguments) }.expect("a launch");
        assert_eq!(download(&stream, &memory), words(6, COUNT));
    });
}

#[test]
fn work_on_others_streams_keeps_our_memory() {
    on_device(|device| {
        let theirs = device.stream().expect("a stream");
        let result = device.alloc(COUNT).expect("memory");
        {
            // SAFETY: the stream outlives the handle.
            let stream = unsafe { Stream::from_raw(device, theirs.as_raw()) };
            let kernel = kernel(device, "increment");
            let ours = device.alloc(COUNT).expect("memory");
            stream.upload(&ours, &words(7, COUNT)).expect("a copy");
            increment(&stream, &kernel, &ours).expect("a launch");
            stream.copy(&result, &ours).expect("a copy");
            // The memory, the module and the handle are dropped in whatever order.
            drop((ours, kernel));
        }
        assert_eq!(download(&theirs, &result), words(8, COUNT));
    });
}
