//! Reports and sinks of intervals that are made up, against what was computed by hand or naively.

#[cfg(feature = "ptx")]
mod device;
mod made_up;
#[cfg(feature = "metrics")]
mod metrics;
mod record;
mod report;
mod text;
mod trace;
mod union;
mod waterfall;
