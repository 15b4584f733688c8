//! Bars, and what becomes of very many.

use std::mem;

use crate::pipeline::timeline::stage::Stage;

/// Bars that there are at most, if rows allow: some 150 bytes each.
const MOST: usize = 1000;

/// Neighbours within this, in pixels, are not told apart.
const TINY: f64 = 0.5;

/// A time in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bar {
    /// Its colour; of none of the stages, that any kernel runs.
    pub stage: Option<Stage>,
    pub from: f64,
    pub to: f64,
    /// Its place, of the rows in which several things go on at once.
    pub track: usize,
    /// Whose it is.
    pub label: Option<String>,
    pub title: String,
    /// Bars that it is made of.
    pub count: usize,
    /// Width of the widest of them.
    pub widest: f64,
}

impl Bar {
    pub fn width(&self) -> f64 {
        self.to - self.from
    }

    /// Whether both are within so little.
    fn joins(&self, next: &Self, tiny: f64) -> bool {
        self.track == next.track && next.to.max(self.to) - self.from < tiny
    }

    fn join(&mut self, next: Self) {
        let (from, to) = (self.from, self.to.max(next.to));
        let count = self.count + next.count;
        let label = self.label.take().filter(|label| next.label.as_ref() == Some(label));
        let widest = if next.widest > self.widest { next } else { mem::take(self) };
        *self = Self { from, to, label, count, ..widest };
    }
}

/// Bars of several rows, each in the order of their starts, with neighbours joined.
pub(super) fn join(rows: &mut [Vec<Bar>]) {
    let mut tiny = TINY;
    loop {
        rows.iter_mut().for_each(|bars| join_row(bars, tiny));
        let all: usize = rows.iter().map(Vec::len).sum();
        if all <= MOST || tiny > super::WIDTH {
            return;
        }
        tiny *= 1.25;
    }
}

fn join_row(bars: &mut Vec<Bar>, tiny: f64) {
    let mut joined: Vec<Bar> = Vec::with_capacity(bars.len());
    // Neighbours are those of one track.
    bars.sort_by(|one, other| one.track.cmp(&other.track).then(one.from.total_cmp(&other.from)));
    for bar in bars.drain(..) {
        match joined.last_mut() {
            Some(last) if last.joins(&bar, tiny) => last.join(bar),
            _ => joined.push(bar),
        }
    }
    *bars = joined;
}
