//! Times as milliseconds.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

const NANOS: f64 = 1e6;

/// To the nanosecond, in the fewest digits that say so.
pub(super) fn of(time: Duration) -> f64 {
    time.as_nanos() as f64 / NANOS
}

/// As reports print them.
pub(super) fn text(time: Duration) -> String {
    format!("{:.3}", of(time))
}

pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(of(*time))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    // A cast saturates.
    Ok(Duration::from_nanos((f64::deserialize(from)? * NANOS).round() as u64))
}
