//! From options to an engine.

use warpfield::pipeline::engine::Options;
use warpfield::pipeline::timeline::Timeline;

use crate::args::EngineOptions;

/// How an engine works.
pub fn options(options: &EngineOptions, timeline: Timeline) -> Options {
    let mut engine = Options::default();
    engine.strategy = options.lock.unwrap_or(engine.strategy);
    engine.workers = options.workers.map_or(engine.workers, usize::from);
    engine.slots = options.slots.map(usize::from);
    engine.device_bytes = options.vram;
    engine.table_bytes = options.tables.unwrap_or(0);
    engine.host_bytes = options.memory.map_or(u64::MAX, |bytes| bytes as u64);
    engine.timeline = timeline;
    engine
}
