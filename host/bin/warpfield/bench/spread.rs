//! What several measurements come to.

use serde::Serialize;

/// What the column says.
pub const LEGEND: &str = "spread: from the least to the most, over the median";

/// The median and the ends.
#[derive(Clone, Copy, Serialize)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Spread {
    /// Of one measurement at least.
    pub fn of(measured: impl IntoIterator<Item = f64>) -> Self {
        let mut measured: Vec<f64> = measured.into_iter().collect();
        measured.sort_by(f64::total_cmp);
        let (median, last) = (measured[measured.len() / 2], measured.len() - 1);
        Self { median, min: measured[0], max: measured[last] }
    }

    /// From the least to the most, in per cent of the median.
    pub fn percent(&self) -> f64 {
        100.0 * (self.max - self.min) / self.median.max(1e-9)
    }
}
