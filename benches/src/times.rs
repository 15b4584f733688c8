//! Measurements, one and many of one thing.

use std::fmt;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use serde::Serialize;

/// Runs `work`; says how long it took, and how much processor time the threads of this process
/// used meanwhile.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration, Duration) {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let result = work();
    (result, wall.elapsed(), cpu.elapsed())
}

/// Seconds, in the order in which they were measured.
#[derive(Clone, Default, Serialize)]
#[serde(transparent)]
pub struct Times(Vec<f64>);

impl Times {
    pub fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64());
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The middle one, or the mean of the two in the middle.
    ///
    /// # Panics
    ///
    /// If nothing was measured.
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        let middle = sorted.len() / 2;
        match sorted.len() % 2 {
            0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
            _ => sorted[middle],
        }
    }

    /// The smallest and the largest.
    ///
    /// # Panics
    ///
    /// If nothing was measured.
    pub fn range(&self) -> (f64, f64) {
        let sorted = self.sorted();
        (sorted[0], sorted[sorted.len() - 1])
    }
}

/// The cells `median | smallest – largest` of a table.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (smallest, largest) = self.range();
        write!(f, "{:.3} s | {smallest:.3} – {largest:.3} s", self.median())
    }
}
