//! Kernels that are right, and kernels that are not.

use std::sync::LazyLock;

use warpfield::gpu::{Device, DeviceSlice, Error, Kernel, LaunchConfig, Module, Stream, emulator};

pub const PTX: &str = include_str!("kernels.ptx");

pub fn module(device: &Device) -> Module {
    static PARSED: LazyLock<emulator::Module> =
        LazyLock::new(|| emulator::Module::parse(PTX).expect("PTX"));
    if device.as_emulated().is_some() {
        return Module::load_parsed(device, &PARSED).expect("an emulated device");
    }
    Module::load(device, PTX).unwrap_or_else(|error| panic!("{error}"))
}

pub fn kernel(device: &Device, name: &str) -> Kernel {
    module(device).kernel(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Queues adding one to every word.
pub fn increment(stream: &Stream, kernel: &Kernel, words: &DeviceSlice<u32>) -> Result<(), Error> {
    let count = words.len() as u32;
    let config = LaunchConfig::new(count.div_ceil(128).max(1), 128);
    // SAFETY: it touches so many words; tests that race on them have no use for the values.
    unsafe { stream.launch(kernel, config, (words, count)) }
}
