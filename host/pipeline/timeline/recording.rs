//! What a timeline holds at one moment.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use super::millis;

/// How well a device's clock is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The device.
    pub device: u32,
    /// The most by which the place of one of its intervals on the host's axis may be wrong, but for what
    /// the clocks drift apart: half the time that the base event took, and the rounding of the
    /// driver's times. It moves a device's intervals together; their lengths are known to a
    /// microsecond.
    #[serde(rename = "error_ms", with = "millis")]
    pub error: Duration,
    /// The most by which two base events disagreed, one after the other, if there was more than one:
    /// the drift of the two clocks in between, and both errors.
    #[serde(rename = "drift_ms", with = "optional")]
    pub drift: Option<Duration>,
}

impl Placement {
    pub(super) fn worst(self, other: Self) -> Self {
        let (error, drift) = (self.error.max(other.error), self.drift.max(other.drift));
        Self { error, drift, ..self }
    }
}

mod optional {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::millis;

    #[derive(Serialize, Deserialize)]
    struct Millis(#[serde(with = "millis")] Duration);

    pub fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        time.map(Millis).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<Millis>::deserialize(from)?.map(|millis| millis.0))
    }
}

/// What a timeline holds at one moment, in the order in which it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    intervals: Vec<Interval>,
    placements: Vec<Placement>,
    lost: u64,
}

impl Recording {
    /// Of intervals in any order, what is known of the devices' clocks, and the number of device
    /// intervals that could not be recorded.
    #[must_use]
    pub fn new(mut intervals: Vec<Interval>, mut placements: Vec<Placement>, lost: u64) -> Self {
        intervals.sort_by_key(|i| (i.start, i.lane, i.who, i.stage, i.end, i.bytes));
        placements.sort_by_key(|placement| placement.device);
        Self { intervals, placements, lost }
    }

    /// All intervals, those that began earlier first.
    #[must_use]
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// How well the clocks of the devices are known.
    #[must_use]
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }

    /// How well this device's clock is known.
    #[must_use]
    pub fn placement(&self, device: u32) -> Option<Placement> {
        self.placements.iter().find(|placement| placement.device == device).copied()
    }

    /// Device intervals that could not be recorded for want of events.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The proofs of which there are intervals.
    #[must_use]
    pub fn proofs(&self) -> Vec<u64> {
        let mut proofs: Vec<u64> = self.intervals.iter().filter_map(|i| i.who.proof).collect();
        proofs.sort_unstable();
        proofs.dedup();
        proofs
    }
}
