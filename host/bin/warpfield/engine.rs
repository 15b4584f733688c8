//! From options to an engine.

use warpfield::gpu::Device;
use warpfield::pipeline::engine::Options;
use warpfield::pipeline::timeline::Timeline;

use crate::args::EngineOptions;
use crate::failure::Failure;

/// The devices, in use.
pub fn devices(options: &EngineOptions) -> Result<Vec<Device>, Failure> {
    if options.device.is_cpu() {
        return Err(Failure::other(
            "the CPU has no device memory; name a device, such as `--device cuda`",
        ));
    }
    options.device.open()
}

/// How an engine works.
pub fn options(options: &EngineOptions, timeline: Timeline) -> Options {
    let mut engine = Options::default();
    engine.strategy = options.lock.unwrap_or(engine.strategy);
    engine.workers = options.workers.into();
    engine.slots = options.slots.map(usize::from);
    engine.device_bytes = options.vram;
    engine.table_bytes = options.tables;
    engine.host_bytes = options.memory.map_or(u64::MAX, |bytes| bytes as u64);
    engine.timeline = timeline;
    engine
}
