//! Times in which one thing at least goes on.

use std::time::Duration;

use super::interval::Interval;

/// From the one to the other.
pub(super) type Window = (Duration, Duration);

/// Windows that do not touch, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Union(Vec<Window>);

impl Union {
    /// Of windows in any order, which may overlap.
    pub fn new(windows: impl IntoIterator<Item = Window>) -> Self {
        let mut windows: Vec<Window> =
            windows.into_iter().filter(|(start, end)| start < end).collect();
        windows.sort_unstable();
        let mut union: Vec<Window> = Vec::with_capacity(windows.len());
        for (start, end) in windows {
            match union.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => union.push((start, end)),
            }
        }
        Self(union)
    }

    pub fn of<'a>(intervals: impl IntoIterator<Item = &'a Interval>) -> Self {
        Self::new(intervals.into_iter().map(|interval| (interval.start, interval.end)))
    }

    /// The time when any of both goes on.
    pub fn or(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(&other.0).copied())
    }

    /// What lies in a window.
    pub fn within(&self, (from, to): Window) -> Self {
        Self::new(self.0.iter().map(|&(start, end)| (start.max(from), end.min(to))))
    }

    /// How long it is.
    pub fn time(&self) -> Duration {
        self.0.iter().map(|(start, end)| *end - *start).sum()
    }

    pub fn windows(&self) -> &[Window] {
        &self.0
    }
}
