//! Intervals of the host that are not over.

use std::time::Instant;

use super::interval::Who;
use super::record::Timeline;
use super::stage::Stage;

/// An interval of the host, from when it is made until it ends or is dropped. It may end on another
/// thread.
#[derive(Debug)]
pub struct Span {
    timeline: Timeline,
    /// None if the timeline is off, or it is over.
    open: Option<(Who, Stage, Instant)>,
}

impl Span {
    pub(super) fn new(timeline: &Timeline, who: Who, stage: Stage) -> Self {
        let open = timeline.is_on().then(|| (who, stage, Instant::now()));
        Self { timeline: timeline.clone(), open }
    }

    /// Ends the interval and begins another one of the same partition at the same instant, so that
    /// nothing is left between them.
    pub fn next(&mut self, stage: Stage) {
        if let Some((who, ended, start)) = self.open {
            let now = Instant::now();
            self.timeline.record_host(who, ended, start, now);
            self.open = Some((who, stage, now));
        }
    }

    /// Says whose it is, where that was not known when it began.
    pub fn assign(&mut self, whose: Who) {
        if let Some((who, ..)) = &mut self.open {
            *who = whose;
        }
    }

    /// Ends the interval.
    pub fn end(self) {}

    /// Forgets it.
    pub fn discard(mut self) {
        self.open = None;
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some((who, stage, start)) = self.open.take() {
            self.timeline.record_host(who, stage, start, Instant::now());
        }
    }
}
