//! How much memory a measurement takes.

use std::collections::BTreeMap;

use serde::Serialize;

/// Memory of the host, and of the device if there is one.
#[derive(Serialize)]
pub struct Memory {
    /// The most of this process that was resident at one time; Linux tells.
    host_peak_bytes: Option<u64>,
    device: Option<DeviceMemory>,
}

/// Memory of a device.
#[derive(Clone, Serialize)]
pub struct DeviceMemory {
    total_bytes: u64,
    /// By the driver, before anything was allocated.
    free_before_bytes: u64,
    /// By the driver, the least that was seen.
    free_least_bytes: u64,
    /// What was allocated then.
    parts: BTreeMap<&'static str, u64>,
}

impl Memory {
    /// So far.
    pub fn new(device: Option<DeviceMemory>) -> Self {
        Self { host_peak_bytes: peak_resident(), device }
    }

    /// In two lines, or one.
    pub fn text(&self) -> String {
        let mebibytes = |bytes: u64| format!("{:.1}", bytes as f64 / f64::from(1 << 20));
        let host = self.host_peak_bytes.map_or("unknown".into(), mebibytes);
        let mut text = format!("memory of the host in MiB: {host} resident at the most");
        if let Some(device) = &self.device {
            text += &format!(
                "\nmemory of the device in MiB: {} of {} free before, {} at the least",
                mebibytes(device.free_before_bytes),
                mebibytes(device.total_bytes),
                mebibytes(device.free_least_bytes),
            );
            for (part, bytes) in &device.parts {
                text += &format!(", {part} {}", mebibytes(*bytes));
            }
        }
        text
    }
}

#[cfg(feature = "ptx")]
impl DeviceMemory {
    /// Before anything is allocated.
    pub fn before(device: &warpfield::gpu::Device) -> Result<Self, warpfield::gpu::Error> {
        let memory = device.memory()?;
        Ok(Self {
            total_bytes: memory.total,
            free_before_bytes: memory.free,
            free_least_bytes: memory.free,
            parts: BTreeMap::new(),
        })
    }

    /// While so many bytes are allocated for each purpose.
    pub fn look(
        &mut self,
        device: &warpfield::gpu::Device,
        parts: impl IntoIterator<Item = (&'static str, usize)>,
    ) -> Result<(), warpfield::gpu::Error> {
        let free = device.memory()?.free;
        if free < self.free_least_bytes {
            self.free_least_bytes = free;
            self.parts = parts.into_iter().map(|(part, bytes)| (part, bytes as u64)).collect();
        }
        Ok(())
    }
}

/// `VmHWM` of this process, in bytes.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
