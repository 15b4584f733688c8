//! A partition's times.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Options, window};
use crate::pipeline::timeline::interval::Interval;
use crate::pipeline::timeline::millis;
use crate::pipeline::timeline::stage::{Kind, Stage};
use crate::pipeline::timeline::union::Union;

/// A stage, and the time in which it went on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// Its time.
    #[serde(rename = "ms", with = "millis")]
    pub time: Duration,
}

/// A partition's times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionReport {
    /// The proof that it is of.
    pub proof: Option<u64>,
    /// Its number there.
    pub partition: u32,
    /// The worker that had it; the first one, if there were several.
    pub worker: Option<u32>,
    /// The device; the first one.
    pub device: Option<u32>,
    /// Whether distributions count it.
    pub kept: bool,
    /// When its first interval began, on whichever lane.
    #[serde(rename = "start_ms", with = "millis")]
    pub start: Duration,
    /// From there to the end of its last interval. It is the sum of the host's stages and
    /// `unattributed`.
    #[serde(rename = "wall_ms", with = "millis")]
    pub wall: Duration,
    /// Waits and work of the host. Time that two of them claim is the one's that began first.
    pub host: Vec<StageTime>,
    /// The rest.
    #[serde(rename = "unattributed_ms", with = "millis")]
    pub unattributed: Duration,
    /// Time that waits and work claim beyond the first claim: none, if they are recorded rightly.
    #[serde(rename = "overlap_ms", with = "millis")]
    pub overlap: Duration,
    /// What runs beside that and adds up to nothing: locks that are held, copies and kernels.
    pub beside: Vec<StageTime>,
    /// Bytes copied to the device.
    pub uploaded: u64,
    /// Bytes copied from it.
    pub downloaded: u64,
    /// From the start of its first kernel to the end of its last, if it has any.
    pub compute: Option<Stretch>,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// When it begins.
    #[serde(rename = "start_ms", with = "millis")]
    pub start: Duration,
    /// When it ends.
    #[serde(rename = "end_ms", with = "millis")]
    pub end: Duration,
}

/// Reports of all partitions among intervals that are in order, the first one first.
pub(super) fn reports(intervals: &[&Interval], options: Options) -> Vec<PartitionReport> {
    let mut partitions: BTreeMap<_, Vec<&Interval>> = BTreeMap::new();
    for interval in intervals.iter().filter(|interval| interval.who.partition.is_some()) {
        partitions.entry(interval.who.subject()).or_default().push(interval);
    }
    let mut reports: Vec<_> = partitions.values().filter_map(|own| report(own)).collect();
    leave_out(&mut reports, options);
    reports.sort_by_key(|report| (report.start, report.proof, report.partition));
    reports
}

fn report(own: &[&Interval]) -> Option<PartitionReport> {
    let (start, end) = window(own)?;
    let (host, overlap) = divide(own.iter().filter(|interval| interval.stage.kind().is_flat()));
    let attributed: Duration = host.iter().map(|stage| stage.time).sum();
    let beside = own.iter().filter(|interval| !interval.stage.kind().is_flat());
    let mut stages: BTreeMap<Stage, Vec<&Interval>> = BTreeMap::new();
    for interval in beside {
        stages.entry(interval.stage).or_default().push(interval);
    }
    let beside = stages.into_iter();
    let bytes = |stage| own.iter().filter(|i| i.stage == stage).map(|i| i.bytes).sum::<u64>();
    let kernels: Vec<_> =
        own.iter().filter(|interval| interval.stage.kind() == Kind::Kernel).copied().collect();
    Some(PartitionReport {
        proof: own[0].who.proof,
        partition: own[0].who.partition?,
        worker: own.iter().find_map(|interval| interval.who.worker),
        device: own.iter().find_map(|interval| interval.who.device),
        kept: true,
        start,
        wall: end - start,
        host,
        unattributed: (end - start) - attributed,
        overlap,
        beside: beside.map(|(stage, i)| StageTime { stage, time: Union::of(i).time() }).collect(),
        uploaded: bytes(Stage::Upload) + bytes(Stage::KeyUpload),
        downloaded: bytes(Stage::Download),
        compute: window(&kernels).map(|(start, end)| Stretch { start, end }),
    })
}

/// Divides the time that intervals cover, which are in order of their starts, among their stages; and what
/// they cover more than once.
fn divide<'a>(intervals: impl Iterator<Item = &'a &'a Interval>) -> (Vec<StageTime>, Duration) {
    let mut stages: BTreeMap<Stage, Duration> = BTreeMap::new();
    let (mut covered, mut overlap) = (Duration::ZERO, Duration::ZERO);
    for interval in intervals {
        let time = interval.end.saturating_sub(interval.start.max(covered));
        *stages.entry(interval.stage).or_default() += time;
        overlap += interval.time() - time;
        covered = covered.max(interval.end);
    }
    (stages.into_iter().map(|(stage, time)| StageTime { stage, time }).collect(), overlap)
}

/// Marks those that distributions leave out.
fn leave_out(reports: &mut [PartitionReport], options: Options) {
    let order = |report: &PartitionReport| {
        let began = report.compute.map_or(report.start, |compute| compute.start);
        (report.device, began, report.proof, report.partition)
    };
    reports.sort_by_key(order);
    for device in reports.chunk_by_mut(|one, other| one.device == other.device) {
        let count = device.len();
        for (at, report) in device.iter_mut().enumerate() {
            report.kept = at >= options.skip_first && at + options.skip_last < count;
        }
    }
}
