//! Where intervals are gathered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::interval::{Interval, Who};
use super::recording::{Placement, Recording};
use super::span::Span;
use super::stage::{Clock, Lane, Stage};

/// Intervals that there is room for from the start: about 1,000 partitions.
const ROOM: usize = 1 << 15;

/// Where intervals are recorded, from any thread; or not, which costs a branch. Clones are handles to
/// the same one.
#[derive(Clone, Debug, Default)]
pub struct Timeline(Option<Arc<Log>>);

#[derive(Debug)]
struct Log {
    origin: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    intervals: Vec<Interval>,
    placements: BTreeMap<u32, Placement>,
    lost: u64,
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No panic leaves it half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timeline {
    /// One that records nothing.
    #[must_use]
    pub fn off() -> Self {
        Self(None)
    }

    /// One that begins now.
    #[must_use]
    pub fn on() -> Self {
        let intervals = Vec::with_capacity(ROOM);
        let state = Mutex::new(State { intervals, placements: BTreeMap::new(), lost: 0 });
        Self(Some(Arc::new(Log { origin: Instant::now(), state })))
    }

    /// Whether it records.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Begins an interval of the host, a wait, work, or a lock that is held, which ends when the
    /// span does. Around calls that only queue work it is [`Stage::Enqueue`].
    #[must_use = "the interval ends when the span is dropped"]
    pub fn host(&self, who: Who, stage: Stage) -> Span {
        Span::new(self, who, stage)
    }

    /// Records an interval of the host that is over.
    pub fn record_host(&self, who: Who, stage: Stage, start: Instant, end: Instant) {
        debug_assert_eq!(stage.kind().clock(), Clock::Host, "{stage} is measured by events");
        self.record_between(who, Lane::of_host(stage), stage, start, end, 0);
    }

    /// Records an interval whose ends are on the host's axis already.
    pub(super) fn record_between(
        &self,
        who: Who,
        lane: Lane,
        stage: Stage,
        start: Instant,
        end: Instant,
        bytes: u64,
    ) {
        if let Some(log) = &self.0 {
            let since = |instant: Instant| instant.saturating_duration_since(log.origin);
            let interval = Interval::new(who, lane, stage, since(start), since(end));
            log.lock().intervals.push(interval.bytes(bytes));
        }
    }

    /// Records an interval.
    pub fn record(&self, interval: Interval) {
        if let Some(log) = &self.0 {
            log.lock().intervals.push(interval);
        }
    }

    /// Notes how well the clock of a device is known. The worst counts.
    pub fn place(&self, placement: Placement) {
        if let Some(log) = &self.0 {
            let mut state = log.lock();
            let known = state.placements.entry(placement.device).or_insert(placement);
            *known = known.worst(placement);
        }
    }

    /// Notes device intervals that could not be recorded.
    pub fn lose(&self, count: u64) {
        if let Some(log) = &self.0
            && count > 0
        {
            log.lock().lost += count;
        }
    }

    /// Time since the start of the timeline; none if it is off.
    #[must_use]
    pub fn now(&self) -> Option<Duration> {
        Some(self.0.as_ref()?.origin.elapsed())
    }

    /// Everything that is recorded so far; nothing if it is off.
    #[must_use]
    pub fn recording(&self) -> Recording {
        let Some(log) = &self.0 else { return Recording::default() };
        let (intervals, placements, lost) = {
            let state = log.lock();
            (state.intervals.clone(), state.placements.values().copied().collect(), state.lost)
        };
        Recording::new(intervals, placements, lost)
    }

    /// Forgets the intervals that ended before then, so that a program that runs for days may keep
    /// its timeline on: when a proof is reported, those before the oldest partition in flight.
    pub fn forget(&self, before: Duration) {
        if let Some(log) = &self.0 {
            log.lock().intervals.retain(|interval| interval.end >= before);
        }
    }
}
