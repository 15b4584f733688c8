//! The device that tests run on.

/// What `WARPFIELD_TEST_DEVICE` says: `emulated`, which is the default, `cuda`, or `cuda:N`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TestDevice {
    Emulated,
    /// The CUDA device of this index; needs the feature `cuda`.
    Cuda(u32),
}

/// The device that the tests are to run on.
pub fn named() -> TestDevice {
    const VARIABLE: &str = "WARPFIELD_TEST_DEVICE";
    let value = std::env::var(VARIABLE).unwrap_or_else(|_| "emulated".into());
    match value.as_str() {
        "emulated" => TestDevice::Emulated,
        "cuda" => TestDevice::Cuda(0),
        other => match other.strip_prefix("cuda:").map(str::parse) {
            Some(Ok(index)) => TestDevice::Cuda(index),
            _ => panic!("{VARIABLE} is {value:?}, not emulated, cuda or cuda:N"),
        },
    }
}
