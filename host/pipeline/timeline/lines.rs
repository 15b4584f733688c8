//! A recording as JSON, a line an interval and a line for the report.

use std::io::{self, Write};

use serde::Serialize;

use super::interval::Interval;
use super::recording::{Placement, Recording};
use super::report::Report;
use super::stage::{Clock, Kind};

/// A line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Interval {
        #[serde(flatten)]
        interval: &'a Interval,
        kind: Kind,
        clock: Clock,
    },
    Placement(&'a Placement),
    Summary(&'a Report),
}

impl Recording {
    /// Writes a line of JSON for each interval (`"type": "interval"`), for each device whose clock is
    /// known (`"placement"`), and for the report (`"summary"`). Times are milliseconds since the
    /// start of the timeline.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn write_lines(&self, report: &Report, mut out: impl Write) -> io::Result<()> {
        let interval = |interval: &'_ Interval| -> io::Result<()> {
            let (kind, clock) = (interval.stage.kind(), interval.lane.clock());
            line(&mut out, &Line::Interval { interval, kind, clock })
        };
        self.intervals().iter().try_for_each(interval)?;
        self.placements()
            .iter()
            .try_for_each(|placement| line(&mut out, &Line::Placement(placement)))?;
        line(&mut out, &Line::Summary(report))
    }
}

fn line(out: &mut impl Write, line: &Line<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}
