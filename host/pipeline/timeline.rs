//! Where each millisecond of a run goes.
//!
//! A [`Timeline`] records intervals, each of which says whose it is ([`Who`]), where it ran ([`Lane`]), what
//! it was spent on ([`Stage`]) and by which clock ([`Clock`]):
//!
//! - What a thread of the host does or waits for, and the locks that it holds, is measured by
//!   [`Instant`](std::time::Instant), as a [`Span`].
//! - What a stream does is measured between two events on it
#![cfg_attr(feature = "ptx", doc = "  ([`Marks`]), and placed on the host's axis")]
#![cfg_attr(feature = "ptx", doc = "  by the [`DeviceClock`],")]
#![cfg_attr(not(feature = "ptx"), doc = "  (feature `ptx`), and placed on the host's axis,")]
//!   with an error that every report prints ([`Placement`]).
//!   A call that queues work is `enqueue`, and says nothing of the work.
//!
//! ```
//! use warpfield::pipeline::timeline::{Report, Stage, Timeline, Who};
//!
//! let timeline = Timeline::on();
//! let mut span = timeline.host(Who::partition(1, 0).by(0), Stage::Witness);
//! // The witness is made.
//! span.next(Stage::Output);
//! // The proof is written.
//! span.end();
//!
//! let recording = timeline.recording();
//! let report = Report::of(&recording);
//! assert!(report.unattributed_share() < 0.01);
//! println!("{report}");
//! # let _ = (recording.to_trace(), recording.to_svg(&report, "one partition"));
//! ```
//!
//! A [`Report`] adds up: waits and work of a partition, and what is neither, are its wall time; kernels,
//! copies alone and idleness of a device are its. What runs side by side is never added. It prints as a
//! table; a [`Recording`] gives JSON lines ([`Recording::write_lines`]), the terms of cuzk's logs
//! ([`Recording::to_cuzk`]), a trace for Perfetto ([`Recording::to_trace`]), and a waterfall as SVG
//! ([`Recording::to_svg`]).
//!
//! With the feature `metrics` a report adds itself to a recorder of the crate `metrics`
#![cfg_attr(feature = "metrics", doc = "([`Report::publish`]).")]
#![cfg_attr(not(feature = "metrics"), doc = "(`Report::publish`).")]

#[cfg(feature = "ptx")]
mod clock;
mod cuzk;
mod interval;
mod lines;
#[cfg(feature = "ptx")]
mod marks;
#[cfg(feature = "metrics")]
mod metrics;
mod millis;
mod record;
mod recording;
mod report;
mod span;
mod spread;
mod stage;
mod table;
#[cfg(test)]
mod tests;
mod trace;
mod union;
mod waterfall;

#[cfg(feature = "ptx")]
pub use clock::DeviceClock;
pub use interval::{Interval, Who};
#[cfg(feature = "ptx")]
pub use marks::Marks;
#[cfg(feature = "metrics")]
pub use metrics::describe as describe_metrics;
pub use record::Timeline;
pub use recording::{Placement, Recording};
pub use report::{
    DeviceReport, Options, PartitionReport, Report, StageReport, StageTime, Steady, Stretch, Usage,
    WorkerReport,
};
pub use span::Span;
pub use spread::Spread;
pub use stage::{Clock, Kind, Lane, Stage};
