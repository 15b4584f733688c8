//! `--device`: what computes.

use std::str::FromStr;

/// A device by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceName {
    /// The CPU itself.
    Cpu,
    /// The CUDA device of this number.
    Cuda(u32),
    /// One emulated on the CPU.
    Emulated,
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            "emulated" => Ok(Self::Emulated),
            other => {
                let index = other.strip_prefix("cuda:").and_then(|index| index.parse().ok());
                index.map(Self::Cuda).ok_or_else(|| "not cpu, cuda, cuda:N or emulated".into())
            }
        }
    }
}

#[cfg(feature = "ptx")]
impl DeviceName {
    /// Takes the device into use.
    pub fn open(self) -> Result<warpfield::gpu::Device, crate::failure::Failure> {
        use crate::failure::Failure;
        use warpfield::gpu::{Device, Kind, emulator};

        match self {
            Self::Cpu => Err(Failure::other("the CPU runs no kernels")),
            Self::Cuda(index) => Device::cuda(index).map_err(|error| match error.kind() {
                Kind::Unavailable => {
                    Failure::other(error).and("`--device cpu` and `--device emulated` need no GPU")
                }
                _ => error.into(),
            }),
            Self::Emulated => Ok(Device::emulated(emulator::Config::default())),
        }
    }
}
