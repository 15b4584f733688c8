//! What a device does with its time.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{PartitionReport, Stretch, share};
use crate::pipeline::timeline::interval::Interval;
use crate::pipeline::timeline::millis;
use crate::pipeline::timeline::recording::{Placement, Recording};
use crate::pipeline::timeline::stage::{Kind, Stage};
use crate::pipeline::timeline::union::{Union, Window};

/// What a device did in a stretch of time, which `kernels`, `copies_alone` and `idle` divide.
///
/// All by the device's events, of whatever worker and proof. A kernel's stage begins and ends with
/// its marks on the stream, so that the gaps between the kernels of one stage, of some microseconds
/// each, count as busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// When the stretch begins.
    #[serde(rename = "start_ms", with = "millis")]
    pub start: Duration,
    /// How long it is.
    #[serde(rename = "wall_ms", with = "millis")]
    pub wall: Duration,
    /// Time in which a kernel or more ran.
    #[serde(rename = "kernels_ms", with = "millis")]
    pub kernels: Duration,
    /// Time in which a copy between host and device or more ran, beside kernels or alone.
    #[serde(rename = "copies_ms", with = "millis")]
    pub copies: Duration,
    /// Time in which copies ran and no kernel did.
    #[serde(rename = "copies_alone_ms", with = "millis")]
    pub copies_alone: Duration,
    /// Time in which neither did.
    #[serde(rename = "idle_ms", with = "millis")]
    pub idle: Duration,
}

/// A device between the start and the end of its work, without the way in and out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steady {
    /// Partitions that are not left out.
    pub partitions: usize,
    /// From the start of their first kernel to the end of their last. In between, what belongs to
    /// partitions that are left out counts too.
    #[serde(flatten)]
    pub usage: Usage,
}

/// A device's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// The device.
    pub device: u32,
    /// Over the whole wall time of the report.
    pub run: Usage,
    /// In the steady state. None without a kernel.
    pub steady: Option<Steady>,
    /// Bytes of copies to it that ended within the wall time.
    pub uploaded: u64,
    /// The same of copies from it.
    pub downloaded: u64,
    /// How well its clock is known.
    pub placement: Option<Placement>,
}

impl Usage {
    fn of(kernels: &Union, copies: &Union, window: Window) -> Self {
        let (kernels, copies) = (kernels.within(window), copies.within(window));
        let (any, wall) = (kernels.or(&copies).time(), window.1 - window.0);
        Self {
            start: window.0,
            wall,
            kernels: kernels.time(),
            copies: copies.time(),
            copies_alone: any - kernels.time(),
            idle: wall - any,
        }
    }

    /// The part of the time in which a kernel or more ran: what "GPU busy" says.
    #[must_use]
    pub fn busy(&self) -> f64 {
        share(self.kernels, self.wall)
    }
}

/// The time in which an interval of this kind or more went on.
pub(in crate::pipeline::timeline) fn union(intervals: &[&Interval], kind: Kind) -> Union {
    Union::of(intervals.iter().filter(|interval| interval.stage.kind() == kind).copied())
}

/// The device intervals of each device.
pub(in crate::pipeline::timeline) fn by_device(
    recording: &Recording,
) -> BTreeMap<u32, Vec<&Interval>> {
    let mut devices: BTreeMap<u32, Vec<&Interval>> = BTreeMap::new();
    for interval in recording.intervals() {
        if let (Some(device), Kind::Kernel | Kind::Copy) =
            (interval.who.device, interval.stage.kind())
        {
            devices.entry(device).or_default().push(interval);
        }
    }
    devices
}

pub(super) fn reports(
    recording: &Recording,
    window: Window,
    partitions: &[PartitionReport],
) -> Vec<DeviceReport> {
    let report = |(device, intervals): (u32, Vec<&Interval>)| {
        let [kernels, copies] = [Kind::Kernel, Kind::Copy].map(|kind| union(&intervals, kind));
        let bytes = |stage| {
            let ended = |i: &&&Interval| i.stage == stage && window.0 < i.end && i.end <= window.1;
            intervals.iter().filter(ended).map(|interval| interval.bytes).sum::<u64>()
        };
        DeviceReport {
            device,
            run: Usage::of(&kernels, &copies, window),
            steady: steady(&kernels, &copies, device, partitions),
            uploaded: bytes(Stage::Upload) + bytes(Stage::KeyUpload),
            downloaded: bytes(Stage::Download),
            placement: recording.placement(device),
        }
    };
    by_device(recording).into_iter().map(report).collect()
}

fn steady(
    kernels: &Union,
    copies: &Union,
    device: u32,
    partitions: &[PartitionReport],
) -> Option<Steady> {
    let kept = partitions.iter().filter(|p| p.kept && p.device == Some(device));
    let computes: Vec<Stretch> = kept.filter_map(|partition| partition.compute).collect();
    let start = computes.iter().map(|compute| compute.start).min()?;
    let end = computes.iter().map(|compute| compute.end).max()?;
    let usage = Usage::of(kernels, copies, (start, end));
    Some(Steady { partitions: computes.len(), usage })
}
