//! `warpfield devices`: the GPUs that there are.

use crate::failure::Failure;

/// Lists them, or says in a line why there are none.
pub fn run() -> Result<(), Failure> {
    Failure::print(report()?)
}

#[cfg(not(feature = "ptx"))]
fn report() -> Result<String, Failure> {
    Ok("no CUDA devices: this build has none; build with `--features cuda`".into())
}

#[cfg(feature = "ptx")]
fn report() -> Result<String, Failure> {
    use warpfield::gpu::{Device, Kind};

    match Device::list() {
        Ok(devices) => Ok(devices.iter().map(describe).collect::<Vec<_>>().join("\n")),
        Err(error) if error.kind() == Kind::Unavailable => Ok(format!("no {error}")),
        Err(error) => Err(Failure::other(error)),
    }
}

#[cfg(feature = "ptx")]
fn describe(info: &warpfield::gpu::Info) -> String {
    let memory = warpfield::gpu::Device::cuda(info.index).and_then(|device| device.memory());
    let memory = match memory {
        Ok(memory) => format!("{} of {} MiB free", memory.free >> 20, memory.total >> 20),
        // The others may still be fine.
        Err(error) => format!("unknown ({error})"),
    };
    let (major, minor) = info.compute_capability;
    let driver = info.driver.map(|(major, minor)| format!("for CUDA {major}.{minor}"));
    format!(
        "{}: {}\n   compute capability {major}.{minor}, {} multiprocessors\n   memory {memory}\n   \
         PCI bus {}\n   driver {}",
        info.index,
        info.name,
        info.multiprocessors,
        info.bus.as_deref().unwrap_or("unknown"),
        driver.as_deref().unwrap_or("unknown"),
    )
}
