//! What several times come to.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::millis;

/// The ends and the middle of some times; each of them is one of the times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// The shortest.
    #[serde(rename = "min_ms", with = "millis")]
    pub min: Duration,
    /// The shortest that half of them, itself included, do not exceed.
    #[serde(rename = "median_ms", with = "millis")]
    pub median: Duration,
    /// The shortest that 95 % of them, itself included, do not exceed.
    #[serde(rename = "p95_ms", with = "millis")]
    pub p95: Duration,
    /// The longest.
    #[serde(rename = "max_ms", with = "millis")]
    pub max: Duration,
}

impl Spread {
    /// None of no times.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Option<Self> {
        let mut times: Vec<Duration> = times.into_iter().collect();
        times.sort_unstable();
        let (count, max) = (times.len(), *times.last()?);
        // The least rank of which so many per cent are at or below.
        let rank = |percent: usize| times[(count * percent).div_ceil(100) - 1];
        Some(Self { count, min: times[0], median: rank(50), p95: rank(95), max })
    }
}
