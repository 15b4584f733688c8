//! One entry of the timeline.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::millis;
use super::stage::{Lane, Stage};

/// Whose an interval is. What has no meaning for it is none.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Who {
    /// The proof.
    pub proof: Option<u64>,
    /// The proof's partition.
    pub partition: Option<u32>,
    /// The worker, by its number on its device.
    pub worker: Option<u32>,
    /// The device.
    pub device: Option<u32>,
}

impl Who {
    /// A proof's, of none of its partitions.
    #[must_use]
    pub fn proof(proof: u64) -> Self {
        Self { proof: Some(proof), ..Self::default() }
    }

    /// A partition's.
    #[must_use]
    pub fn partition(proof: u64, partition: u32) -> Self {
        Self { partition: Some(partition), ..Self::proof(proof) }
    }

    /// The same on a device, by one of its workers.
    #[must_use]
    pub fn at(self, device: u32, worker: u32) -> Self {
        Self { device: Some(device), worker: Some(worker), ..self }
    }

    /// The same by a worker that has no device.
    #[must_use]
    pub fn by(self, worker: u32) -> Self {
        Self { worker: Some(worker), ..self }
    }

    /// The proof and the partition alone.
    pub(super) fn subject(self) -> (Option<u64>, Option<u32>) {
        (self.proof, self.partition)
    }

    /// What the bars of pictures carry: the partition.
    pub(super) fn label(self, with_proof: bool) -> Option<String> {
        match (self.proof, self.partition?) {
            (Some(proof), partition) if with_proof => Some(format!("{proof}.{partition}")),
            (_, partition) => Some(partition.to_string()),
        }
    }
}

/// A time that something took, from the start of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interval {
    /// Whose it is.
    #[serde(flatten)]
    pub who: Who,
    /// Where it ran.
    pub lane: Lane,
    /// What it was spent on.
    pub stage: Stage,
    /// When it began.
    #[serde(rename = "start_ms", with = "millis")]
    pub start: Duration,
    /// When it ended, not before it began.
    #[serde(rename = "end_ms", with = "millis")]
    pub end: Duration,
    /// Bytes that were copied.
    pub bytes: u64,
}

impl Interval {
    /// From the one time to the other, after the start of the timeline. One that ends before it
    /// begins is empty.
    #[must_use]
    pub fn new(who: Who, lane: Lane, stage: Stage, start: Duration, end: Duration) -> Self {
        Self { who, lane, stage, start, end: end.max(start), bytes: 0 }
    }

    /// The same with so many bytes that were copied.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// How long it is.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.end - self.start
    }
}
