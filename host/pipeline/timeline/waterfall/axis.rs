//! From times to places.

use std::time::Duration;

use crate::pipeline::timeline::millis;
use crate::pipeline::timeline::report::Report;

/// Ticks that there are at most, but for the one at 0.
const TICKS: f64 = 12.0;

/// Time from the report's start, to the right.
pub(super) struct Axis {
    start: Duration,
    end: Duration,
    left: f64,
    /// Of a millisecond.
    pixels: f64,
}

impl Axis {
    pub fn new(report: &Report, left: f64, right: f64) -> Self {
        let wall = millis::of(report.wall);
        let pixels = if wall > 0.0 { (right - left) / wall } else { 0.0 };
        Self { start: report.start, end: report.start + report.wall, left, pixels }
    }

    /// The times' places. None if nothing lies in the report's wall time.
    pub fn place(&self, start: Duration, end: Duration) -> Option<(f64, f64)> {
        let (start, end) = (start.max(self.start), end.min(self.end));
        let x = |time: Duration| self.left + self.pixels * millis::of(time - self.start);
        (start < end).then(|| (x(start), x(end)))
    }

    /// Places of round times and their numbers, in ms.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let wall = millis::of(self.end - self.start);
        if wall <= 0.0 {
            return vec![];
        }
        let power = 10f64.powf((wall / TICKS).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| wall / step <= TICKS).unwrap_or(10.0 * power);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let tick = |count: u32| {
            let time = f64::from(count) * step;
            (time <= wall).then(|| (self.left + self.pixels * time, format!("{time:.decimals$}")))
        };
        (0..).map_while(tick).collect()
    }
}
