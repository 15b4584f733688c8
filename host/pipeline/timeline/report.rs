//! What a recording comes to.

mod device;
mod partition;
mod worker;

pub use device::{DeviceReport, Steady, Usage};
pub(super) use device::{by_device, union};
pub use partition::{PartitionReport, StageTime, Stretch};
pub use worker::WorkerReport;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use super::millis;
use super::recording::Recording;
use super::spread::Spread;
use super::stage::{Kind, Stage};
use super::union::Union;

/// What a [`Report`] is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// One proof; none is all.
    pub proof: Option<u64>,
    /// Partitions of each device, those whose kernels began first, that distributions and the steady
    /// state leave out.
    pub skip_first: usize,
    /// The same of those whose kernels began last.
    pub skip_last: usize,
}

/// What a recording comes to.
///
/// Distributions are over partitions, except those that [`Options`] leaves out. A stage that a partition
/// has several times counts once, with the time in which any of it went on. Workers and devices are
/// reported within the wall time of what is reported, with all that they did in it, for whichever
/// proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When the first interval began.
    #[serde(rename = "start_ms", with = "millis")]
    pub start: Duration,
    /// From there to the end of the last interval.
    #[serde(rename = "wall_ms", with = "millis")]
    pub wall: Duration,
    /// Number of proofs.
    pub proofs: usize,
    /// Partitions from their first interval to their last.
    pub partition_wall: Option<Spread>,
    /// Each stage that occurs.
    pub stages: Vec<StageReport>,
    /// Time of the partitions' wall that is no wait and no work.
    pub unattributed: Option<Spread>,
    /// Each partition, the first one first.
    pub partitions: Vec<PartitionReport>,
    /// Each worker.
    pub workers: Vec<WorkerReport>,
    /// Each device.
    pub devices: Vec<DeviceReport>,
    /// Device intervals that could not be recorded for want of events.
    pub lost: u64,
}

/// A stage over the partitions that have it, or over the proofs if it is of no partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageReport {
    /// The stage.
    pub stage: Stage,
    /// How it counts.
    pub kind: Kind,
    /// Its times.
    #[serde(flatten)]
    pub time: Spread,
}

impl Report {
    /// Of all that is recorded.
    #[must_use]
    pub fn of(recording: &Recording) -> Self {
        Self::with(recording, Options::default())
    }

    /// Of a part.
    #[must_use]
    pub fn with(recording: &Recording, options: Options) -> Self {
        let chosen =
            |interval: &&Interval| options.proof.is_none_or(|p| interval.who.proof == Some(p));
        let intervals: Vec<&Interval> = recording.intervals().iter().filter(chosen).collect();
        let partitions = partition::reports(&intervals, options);
        let kept = || partitions.iter().filter(|partition| partition.kept);
        let window = window(&intervals).unwrap_or_default();
        Self {
            start: window.0,
            wall: window.1 - window.0,
            proofs: {
                let proofs = recording.proofs();
                proofs.iter().filter(|proof| options.proof.is_none_or(|p| p == **proof)).count()
            },
            partition_wall: Spread::of(kept().map(|partition| partition.wall)),
            stages: stages(&partitions, &intervals),
            unattributed: Spread::of(kept().map(|partition| partition.unattributed)),
            workers: worker::reports(recording, window),
            devices: device::reports(recording, window, &partitions),
            partitions,
            lost: recording.lost(),
        }
    }

    /// The stages in which threads wait.
    pub fn waits(&self) -> impl Iterator<Item = &StageReport> {
        self.stages.iter().filter(|stage| stage.kind == Kind::Wait)
    }

    /// The part of the partitions' wall time that is no wait and no work, of all that are not left out.
    #[must_use]
    pub fn unattributed_share(&self) -> f64 {
        let kept = || self.partitions.iter().filter(|partition| partition.kept);
        let wall: Duration = kept().map(|partition| partition.wall).sum();
        let unattributed: Duration = kept().map(|partition| partition.unattributed).sum();
        share(unattributed, wall)
    }

    /// Time that two waits or works of one partition both claim: a fault of whoever recorded them.
    #[must_use]
    pub fn overlap(&self) -> Duration {
        self.partitions.iter().map(|partition| partition.overlap).sum()
    }
}

/// From the first start to the last end.
fn window(intervals: &[&Interval]) -> Option<(Duration, Duration)> {
    let start = intervals.iter().map(|interval| interval.start).min()?;
    Some((start, intervals.iter().map(|interval| interval.end).max()?))
}

/// The part that one time is of another; 0 of none.
pub(super) fn share(part: Duration, all: Duration) -> f64 {
    if all.is_zero() { 0.0 } else { part.div_duration_f64(all) }
}

fn stages(partitions: &[PartitionReport], intervals: &[&Interval]) -> Vec<StageReport> {
    let mut times: BTreeMap<Stage, Vec<Duration>> = BTreeMap::new();
    for partition in partitions.iter().filter(|partition| partition.kept) {
        for &StageTime { stage, time } in partition.host.iter().chain(&partition.beside) {
            times.entry(stage).or_default().push(time);
        }
    }
    // What is of a proof as a whole.
    let mut whole: BTreeMap<(Stage, u64), Vec<&Interval>> = BTreeMap::new();
    for interval in intervals.iter().filter(|interval| interval.who.partition.is_none()) {
        if let Some(proof) = interval.who.proof {
            whole.entry((interval.stage, proof)).or_default().push(interval);
        }
    }
    for ((stage, _), intervals) in whole {
        times.entry(stage).or_default().push(Union::of(intervals).time());
    }
    let report = |(stage, times): (Stage, _)| {
        Some(StageReport { stage, kind: stage.kind(), time: Spread::of(times)? })
    };
    times.into_iter().filter_map(report).collect()
}
