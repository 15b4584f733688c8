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

/// Devices by name: of CUDA devices several, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices(Vec<DeviceName>);

impl FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const WRONG: &str = "not cpu, cuda, cuda:N, cuda:N,M or emulated";
        let device = |name: &str| name.parse::<DeviceName>().map_err(|_| WRONG);
        let Some(numbers) = text.strip_prefix("cuda:") else {
            return Ok(Self(vec![device(text)?]));
        };
        let mut devices = Vec::new();
        for number in numbers.split(',') {
            let device = device(&format!("cuda:{number}"))?;
            if devices.contains(&device) {
                return Err(format!("CUDA device {number} twice"));
            }
            devices.push(device);
        }
        Ok(Self(devices))
    }
}

impl Devices {
    /// Whether it is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.0 == [DeviceName::Cpu]
    }

    /// Takes them into use, as [`DeviceName::open`].
    #[cfg(feature = "ptx")]
    pub fn open(
        &self,
        otherwise: &str,
    ) -> Result<Vec<warpfield::gpu::Device>, crate::failure::Failure> {
        self.0.iter().map(|name| name.open(otherwise)).collect()
    }
}

/// What goes without a GPU, where kernels must run.
#[cfg(feature = "ptx")]
pub const EMULATED: &str = "`--device emulated` needs no GPU";

/// The same where they need not.
#[cfg(feature = "ptx")]
pub const EMULATED_OR_CPU: &str = "`--device cpu` and `--device emulated` need no GPU";

#[cfg(feature = "ptx")]
impl DeviceName {
    /// Takes the device into use; where there is no GPU the error says what to do otherwise.
    pub fn open(self, otherwise: &str) -> Result<warpfield::gpu::Device, crate::failure::Failure> {
        use crate::failure::Failure;
        use warpfield::gpu::{Device, Kind, emulator};

        match self {
            Self::Cpu => Err(Failure::other(
                "the CPU runs no kernels; name a device: `--device cuda` or `--device emulated`",
            )),
            Self::Cuda(index) => Device::cuda(index).map_err(|error| match error.kind() {
                Kind::Unavailable => Failure::from(error).and(otherwise),
                _ => error.into(),
            }),
            Self::Emulated => Ok(Device::emulated(emulator::Config::default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_devices() {
        let devices = |text: &str| text.parse::<Devices>();
        assert!(devices("cpu").unwrap().is_cpu());
        assert_eq!(devices("cuda"), Ok(Devices(vec![DeviceName::Cuda(0)])));
        assert_eq!(
            devices("cuda:2,0"),
            Ok(Devices(vec![DeviceName::Cuda(2), DeviceName::Cuda(0)]))
        );
        for wrong in ["", "cuda:", "cuda:0,", "cuda:0,0", "cuda:x", "gpu", "cpu,cuda"] {
            assert!(devices(wrong).is_err(), "{wrong}");
        }
    }
}
