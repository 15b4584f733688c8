//! The timeline of a partition on its way through the locks.

use std::time::Instant;

use crate::pipeline::interlock::Reached;
use crate::pipeline::timeline::{Span, Stage, Timeline, Who};

/// Turns what a partition reaches into intervals: waits of its thread, and locks that it holds.
pub(super) struct Locks<'a> {
    timeline: &'a Timeline,
    who: Who,
    /// What the thread does at the moment.
    pub span: &'a mut Span,
    held: Option<(Stage, Instant)>,
}

impl<'a> Locks<'a> {
    pub fn new(timeline: &'a Timeline, who: Who, span: &'a mut Span) -> Self {
        Self { timeline, who, span, held: None }
    }

    /// For the interlock to call.
    pub fn reached(&mut self, reached: Reached) {
        match reached {
            Reached::SlotWait => self.span.next(Stage::SlotWait),
            Reached::PrepWait => self.span.next(Stage::PrepWait),
            Reached::ComputeWait => self.span.next(Stage::ComputeWait),
            Reached::Admitted => self.span.next(Stage::Enqueue),
            Reached::PrepHeld => self.hold(Stage::PrepHeld),
            Reached::ComputeHeld => self.hold(Stage::ComputeHeld),
            Reached::PrepReleased | Reached::ComputeReleased => self.release(),
        }
    }

    fn hold(&mut self, stage: Stage) {
        self.span.next(Stage::Enqueue);
        self.held = self.timeline.is_on().then(|| (stage, Instant::now()));
    }

    fn release(&mut self) {
        if let Some((stage, since)) = self.held.take() {
            self.timeline.record_host(self.who, stage, since, Instant::now());
        }
    }
}

impl Drop for Locks<'_> {
    fn drop(&mut self) {
        // Of a partition that is given up.
        self.release();
    }
}
