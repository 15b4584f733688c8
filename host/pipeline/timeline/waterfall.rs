//! A recording as a picture: time to the right, a row for each lane, a colour for each stage.

mod axis;
mod bars;
mod palette;
mod rows;
mod svg;

use std::collections::BTreeSet;
use std::time::Duration;

use super::millis;
use super::recording::Recording;
use super::report::Report;
use super::stage::{Clock, Kind, Stage};
use super::table;
use axis::Axis;
use bars::Bar;
use rows::Row;
use svg::{Svg, number};

/// Sizes in pixels.
const WIDTH: f64 = 1200.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 58.0;
/// Width of a character of a bar's label, and of the legend, a little more than most fonts take.
const SMALL: f64 = 6.5;
const LARGE: f64 = 7.0;
/// Height of a line of the legend.
const LINE: f64 = 18.0;

/// The class of bars that are no stage: some kernel runs.
const BUSY: &str = "busy";

impl Recording {
    /// The picture, of what lies in the report's wall time, as SVG with a title. It has colours of its own
    /// for dark viewers. The same recording gives the same bytes; neighbours that are too narrow to be told apart
    /// are one bar, of the stage that takes most of it, and of very many bars so are wider ones.
    #[must_use]
    pub fn to_svg(&self, report: &Report, title: &str) -> String {
        let axis = Axis::new(report, LEFT, WIDTH - RIGHT);
        let rows = rows::rows(self, report, &axis);
        let bottom = TOP + rows.iter().map(Row::room).sum::<f64>();
        let notes = self.notes();
        let stages: BTreeSet<Stage> =
            rows.iter().flat_map(|row| &row.bars).filter_map(|bar| bar.stage).collect();
        let legend = Legend::new(&stages, bottom + 42.0);
        let height = legend.bottom + LINE * notes.len() as f64 + 8.0;

        let mut svg = Svg::new((WIDTH, height), title, &palette::style());
        svg.text("title", LEFT, 24.0, title);
        svg.text("note", LEFT, 43.0, &subtitle(report));
        grid(&mut svg, &axis, bottom);
        let mut y = TOP;
        for row in &rows {
            self::row(&mut svg, row, y + row.above);
            y += row.room();
        }
        legend.draw(&mut svg);
        for (at, note) in notes.iter().enumerate() {
            svg.text("note", LEFT, legend.bottom + LINE * at as f64 + 4.0, note);
        }
        svg.finish()
    }

    fn notes(&self) -> Vec<String> {
        let placements = self.placements().iter();
        placements.map(table::placement).collect()
    }
}

fn subtitle(report: &Report) -> String {
    let [partitions, proofs] = [(report.partitions.len(), "partition"), (report.proofs, "proof")]
        .map(|(n, thing)| table::count(n, thing));
    let mut text = format!("{partitions} of {proofs} in {} ms", millis::text(report.wall));
    for device in &report.devices {
        let (id, busy) = (device.device, 100.0 * device.run.busy());
        text += &format!(" · device {id}: kernels {busy:.1} % of it");
        if let Some(steady) = device.steady {
            let busy = 100.0 * steady.usage.busy();
            text += &format!(", {busy:.1} % from the first kernel to the last");
        }
    }
    text
}

/// Lines at the ticks, behind the bars, and their numbers.
fn grid(svg: &mut Svg, axis: &Axis, bottom: f64) {
    for (x, label) in axis.ticks() {
        svg.line("grid", (x, TOP), (x, bottom + 4.0));
        svg.text("tick", x, bottom + 18.0, &label);
    }
    svg.text("unit", LEFT - 10.0, bottom + 18.0, "ms");
}

fn row(svg: &mut Svg, row: &Row, y: f64) {
    svg.text(row.class, LEFT - 10.0, y + (row.height + 8.0) / 2.0, &row.label);
    svg.rect("row", (LEFT, y), (WIDTH - RIGHT - LEFT, row.height), None);
    let height = row.height / row.tracks as f64;
    for bar in &row.bars {
        self::bar(svg, bar, y + height * bar.track as f64, height);
    }
}

fn bar(svg: &mut Svg, bar: &Bar, y: f64, height: f64) {
    let class = bar.stage.map_or(BUSY, Stage::name);
    let width = bar.width();
    // A little less, so that neighbours of one colour can be told apart.
    let drawn = if width > 2.0 { width - 0.6 } else { width.max(0.4) };
    svg.rect(class, (bar.from, y), (drawn, height), Some(&bar.title));
    if let Some(label) = &bar.label
        && height >= 12.0
        && width >= SMALL * label.chars().count() as f64 + 4.0
    {
        let class = if palette::is_light(bar.stage) { "on-light" } else { "on-dark" };
        svg.text(class, bar.from + width / 2.0, y + height / 2.0 + 3.5, label);
    }
}

/// The stages that occur, those of the host and those of devices on lines of their own.
struct Legend {
    /// Where, the class, and what it is.
    entries: Vec<(f64, f64, &'static str, &'static str)>,
    /// Where what follows begins.
    bottom: f64,
}

impl Legend {
    fn new(stages: &BTreeSet<Stage>, top: f64) -> Self {
        let mut legend = Self { entries: vec![], bottom: top };
        let of = |clock| stages.iter().filter(move |stage| stage.kind().clock() == clock);
        let name = |stage: &Stage| (stage.name(), stage.name());
        legend.lines(of(Clock::Host).map(name));
        let kernels = stages.iter().any(|stage| stage.kind() == Kind::Kernel);
        let any = kernels.then_some((BUSY, "any kernel"));
        legend.lines(of(Clock::Device).map(name).chain(any));
        legend
    }

    fn lines(&mut self, entries: impl Iterator<Item = (&'static str, &'static str)>) {
        let mut x = LEFT;
        for (class, name) in entries {
            let width = 29.0 + LARGE * name.len() as f64;
            if x + width > WIDTH - RIGHT {
                (x, self.bottom) = (LEFT, self.bottom + LINE);
            }
            self.entries.push((x, self.bottom, class, name));
            x += width;
        }
        if x > LEFT {
            self.bottom += LINE;
        }
    }

    fn draw(&self, svg: &mut Svg) {
        for &(x, y, class, name) in &self.entries {
            svg.rect(class, (x, y - 10.0), (12.0, 11.0), None);
            svg.text("name", x + 17.0, y, name);
        }
    }
}

/// A time's place, for those who read the picture's source or point at it.
fn stretch((start, end): (Duration, Duration), report: &Report) -> String {
    let [start, end] = [start, end].map(|time| time.saturating_sub(report.start));
    format!("{} to {} ms", number(millis::of(start)), number(millis::of(end)))
}
