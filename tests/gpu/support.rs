//! Devices for tests.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpfield::gpu::{Device, DeviceSlice, Plain, Stream, emulator};

use crate::device::{self, TestDevice};

/// Device memory of the emulated device.
pub const EMULATED_BYTES: u64 = 1 << 22;

pub fn is_emulated() -> bool {
    device::named() == TestDevice::Emulated
}

/// Orders of queued work, of which a GPU has its own.
pub fn seeds() -> Range<u64> {
    if is_emulated() { 0..32 } else { 0..2 }
}

/// One test at a time on a GPU: its devices share a context, which some tests lose.
pub fn alone() -> Option<MutexGuard<'static, ()>> {
    static ALONE: Mutex<()> = Mutex::new(());
    (!is_emulated()).then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A device of its own; hold [`alone`] meanwhile.
pub fn open(seed: u64) -> Device {
    match device::named() {
        TestDevice::Emulated => {
            let config = emulator::Config::default().memory(EMULATED_BYTES);
            Device::emulated(config.seed(seed).threads(1))
        }
        TestDevice::Cuda(index) => Device::cuda(index).unwrap_or_else(|error| panic!("{error}")),
    }
}

/// Runs a test on a device for every seed, and sees that all memory is back.
pub fn on_device(test: impl Fn(&Device)) {
    let _alone = alone();
    for seed in seeds() {
        let device = open(seed);
        let before = free(&device);
        test(&device);
        device.check().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_all_back(&device, before);
    }
}

pub fn free(device: &Device) -> u64 {
    device.memory().expect("a device that works").free
}

pub fn assert_all_back(device: &Device, before: u64) {
    // A driver keeps some memory of its own, more after the first launches.
    let slack = if device.as_emulated().is_some() { 0 } else { 64 << 20 };
    let now = free(device);
    assert!(now + slack >= before, "{before} bytes were free, now {now}");
}

pub fn download<T: Plain + Default>(stream: &Stream, from: &DeviceSlice<T>) -> Vec<T> {
    let mut values = vec![T::default(); from.len()];
    stream.download(from, &mut values).unwrap_or_else(|error| panic!("{error}"));
    values
}

/// Different words.
pub fn words(from: u32, count: usize) -> Vec<u32> {
    (from..).step_by(7).take(count).collect()
}
