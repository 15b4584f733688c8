//! Modules, and launches that fit them or do not.

use warpfield::gpu::{Argument, Arguments, Error, Kernel, Kind, LaunchConfig, Module, Stream};

use crate::kernels::{PTX, kernel, module};
use crate::support::{alone, download, is_emulated, on_device, open, words};

/// A launch that is to be refused.
fn refused(
    stream: &Stream,
    kernel: &Kernel,
    config: LaunchConfig,
    arguments: impl Arguments,
) -> Error {
    // SAFETY: it is not launched.
    let error = unsafe { stream.launch(kernel, config, arguments) }.expect_err("a refusal");
    assert_eq!(error.operation(), format!("launch of `{}`", kernel.name()));
    stream.synchronize().expect("nothing was queued");
    error
}

#[test]
fn arguments_arrive() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let kernel = kernel(device, "parameters");
        assert_eq!(kernel.parameters(), [8, 1, 2, 4, 8]);
        let out = device.alloc::<u64>(4).expect("memory");
        let values = (&out, 0xf1u8, 0xf2f3u16, 0xf4f5_f6f7u32, u64::MAX - 1);
        // SAFETY: one thread writes four values.
        unsafe { stream.launch(&kernel, LaunchConfig::new(1, 1), values) }.expect("a launch");
        assert_eq!(download(&stream, &out), [0xf1, 0xf2f3, 0xf4f5_f6f7, u64::MAX - 1]);
    });
}

#[test]
fn arguments_must_fit_the_parameters() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let increment = kernel(device, "increment");
        let data = device.alloc::<u32>(32).expect("memory");
        let one = LaunchConfig::new(1, 32);
        let list: Vec<Argument> = vec![(&data).into()];
        let errors = [
            refused(&stream, &increment, one, (&data,)),
            refused(&stream, &increment, one, (&data, 1u32, 1u32)),
            refused(&stream, &increment, one, (&data, 1u64)),
            refused(&stream, &increment, one, (7u32, 1u32)),
            refused(&stream, &increment, one, &list[..]),
            refused(&stream, &increment, LaunchConfig::new(0, 32), (&data, 1u32)),
            refused(&stream, &increment, LaunchConfig::new(1, 0), (&data, 1u32)),
        ];
        for error in errors {
            assert_eq!(error.kind(), Kind::Argument, "{error}");
        }
        refused(&stream, &increment, LaunchConfig::new(1, 2048), (&data, 1u32));
        device.check().expect("no harm done");
    });
}

#[test]
fn what_belongs_to_another_device_is_refused() {
    let _alone = alone();
    let (device, other) = (open(0), open(1));
    let stream = device.stream().expect("a stream");
    let (ours, theirs) = (device.alloc::<u32>(8).expect("memory"), other.alloc(8).expect("memory"));
    let pinned = other.alloc_pinned(8).expect("memory");
    let event = other.event().expect("an event");
    let one = LaunchConfig::new(1, 32);
    let errors = [
        refused(&stream, &kernel(&device, "increment"), one, (&theirs, 8u32)),
        refused(&stream, &kernel(&other, "increment"), one, (&ours, 8u32)),
        stream.copy(&ours, &theirs).expect_err("theirs"),
        stream.upload(&theirs, &[0; 8]).expect_err("theirs"),
        stream.upload_pinned(&ours, pinned, ..).expect_err("theirs"),
        stream.record(&event).expect_err("theirs"),
        stream.wait(&event).expect_err("theirs"),
    ];
    for error in errors {
        assert_eq!(error.kind(), Kind::Argument, "{error}");
        assert!(error.to_string().contains("belongs to another device"), "{error}");
    }
}

#[test]
fn shared_memory_may_be_large() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let kernel = kernel(device, "through_shared");
        let data = device.alloc::<u32>(32).expect("memory");
        let most = device.info().shared_bytes;
        assert!(most > 64 << 10);
        for bytes in [128, 48 << 10, (48 << 10) + 4, most] {
            stream.upload(&data, &words(bytes, 32)).expect("a copy");
            let config = LaunchConfig::new(1, 32).shared_bytes(bytes);
            // SAFETY: 32 threads use a word each, of the array and of shared memory.
            unsafe { stream.launch(&kernel, config, (&data, bytes)) }.expect("a launch");
            assert_eq!(download(&stream, &data), words(bytes + 1, 32));
            assert!(kernel.resident_blocks(32, bytes).expect("an answer") >= 1);
        }
        let config = LaunchConfig::new(1, 32).shared_bytes(most + 4);
        refused(&stream, &kernel, config, (&data, most + 4));
    });
}

#[test]
fn a_launch_may_be_cooperative() {
    on_device(|device| {
        let stream = device.stream().expect("a stream");
        let kernel = kernel(device, "linger");
        let blocks = kernel.resident_blocks(64, 0).expect("an answer");
        let config = LaunchConfig::new(blocks * device.info().multiprocessors, 64);
        // SAFETY: it touches nothing.
        unsafe { stream.launch(&kernel, config.cooperative(), (3u32,)) }.expect("a launch");
        stream.synchronize().expect("a stream that works");
        if !is_emulated() {
            let config = LaunchConfig::new(2 * config.grid.x, 64).cooperative();
            assert_eq!(refused(&stream, &kernel, config, (3u32,)).kind(), Kind::Argument);
        }
    });
}

#[test]
fn kernels_have_names_and_attributes() {
    on_device(|device| {
        let module = module(device);
        assert_eq!(module.kernels().next(), Some("increment"));
        let error = module.kernel("decrement").expect_err("there is none");
        assert_eq!(error.kind(), Kind::Argument);
        assert!(error.to_string().contains("increment, parameters"), "{error}");

        let attributes = module.kernel("increment").expect("it is there").attributes();
        let attributes = attributes.expect("an answer");
        assert_eq!(attributes.registers.is_none(), is_emulated());
        assert_eq!((attributes.max_threads, attributes.shared_bytes), (1024, 0));
        assert_eq!(attributes.local_bytes.unwrap_or(0), 0);
    });
}

#[test]
fn ptx_that_cannot_be_loaded_says_why() {
    on_device(|device| {
        let wrong = PTX.replace("setp.ge.u32", "setp.gee.u32");
        let error = Module::load(device, &wrong).expect_err("no such comparison");
        assert_eq!(error.kind(), Kind::Ptx, "{error}");
        // Both give the line.
        assert!(error.to_string().contains("line 19"), "{error}");
        device.check().expect("no harm done");

        if !is_emulated() {
            let newer = PTX.replace(".version 7.0", ".version 99.0");
            let error = Module::load(device, &newer).expect_err("not in our days");
            assert_eq!((error.kind(), error.code()), (Kind::Ptx, Some(222)), "{error}");
            assert!(error.remedy().is_some_and(|remedy| remedy.contains("update the driver")));
        }
    });
}
