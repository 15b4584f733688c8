//! A worker's locks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::pipeline::timeline::interval::Interval;
use crate::pipeline::timeline::millis;
use crate::pipeline::timeline::recording::Recording;
use crate::pipeline::timeline::stage::Stage;
use crate::pipeline::timeline::union::{Union, Window};

/// How long a worker waited for locks and memory, and held them, over all of its partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Its device.
    pub device: Option<u32>,
    /// Its number there.
    pub worker: u32,
    /// Partitions that it had.
    pub partitions: usize,
    /// Waiting for memory of the device.
    #[serde(rename = "slot_wait_ms", with = "millis")]
    pub slot_wait: Duration,
    /// Waiting for the prep lock.
    #[serde(rename = "prep_wait_ms", with = "millis")]
    pub prep_wait: Duration,
    /// Holding it.
    #[serde(rename = "prep_held_ms", with = "millis")]
    pub prep_held: Duration,
    /// Waiting for the turn and the compute lock.
    #[serde(rename = "compute_wait_ms", with = "millis")]
    pub compute_wait: Duration,
    /// Holding it.
    #[serde(rename = "compute_held_ms", with = "millis")]
    pub compute_held: Duration,
}

pub(super) fn reports(recording: &Recording, window: Window) -> Vec<WorkerReport> {
    let mut workers: BTreeMap<_, Vec<&Interval>> = BTreeMap::new();
    let inside = |i: &&Interval| i.start < window.1 && window.0 < i.end;
    for interval in recording.intervals().iter().filter(inside) {
        if let Some(worker) = interval.who.worker {
            workers.entry((interval.who.device, worker)).or_default().push(interval);
        }
    }
    let report = |((device, worker), intervals): ((Option<u32>, u32), Vec<&Interval>)| {
        let time = |stage| {
            let of_stage = intervals.iter().filter(|interval| interval.stage == stage);
            Union::of(of_stage.copied()).within(window).time()
        };
        let partitions: BTreeSet<_> = intervals
            .iter()
            .filter(|interval| interval.who.partition.is_some())
            .map(|interval| interval.who.subject())
            .collect();
        WorkerReport {
            device,
            worker,
            partitions: partitions.len(),
            slot_wait: time(Stage::SlotWait),
            prep_wait: time(Stage::PrepWait),
            prep_held: time(Stage::PrepHeld),
            compute_wait: time(Stage::ComputeWait),
            compute_held: time(Stage::ComputeHeld),
        }
    };
    workers.into_iter().map(report).collect()
}
