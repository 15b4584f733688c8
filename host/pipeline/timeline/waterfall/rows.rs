//! Which lanes there are, and what lies in them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::axis::Axis;
use super::bars::{self, Bar};
use super::{BUSY, stretch};
use crate::pipeline::timeline::interval::Interval;
use crate::pipeline::timeline::recording::Recording;
use crate::pipeline::timeline::report::{Report, by_device, union};
use crate::pipeline::timeline::stage::{Kind, Lane, Stage};

/// Partitions that wait at once and are drawn one below the other; the next ones lie over the last.
const TRACKS: usize = 12;

/// A row of the picture.
pub(super) struct Row {
    pub label: String,
    /// Of the label.
    pub class: &'static str,
    /// Room above it.
    pub above: f64,
    pub height: f64,
    pub tracks: usize,
    /// In the order of their starts, track by track.
    pub bars: Vec<Bar>,
}

impl Row {
    /// Height, with the room above.
    pub fn room(&self) -> f64 {
        self.above + self.height
    }
}

/// Where a row belongs: the queue, then device by device, first the device itself.
type Place = (Option<u32>, Option<u32>, Option<Lane>);

pub(super) fn rows(recording: &Recording, report: &Report, axis: &Axis) -> Vec<Row> {
    let several = recording.proofs().len() > 1;
    let mut lanes: BTreeMap<Place, Vec<Bar>> = BTreeMap::new();
    let mut tracks = Tracks(vec![]);
    for interval in recording.intervals() {
        let Some((from, to)) = axis.place(interval.start, interval.end) else { continue };
        let (device, worker) = (interval.who.device, interval.who.worker);
        let (place, track) = match interval.lane {
            Lane::Queue => ((None, None, Some(Lane::Queue)), tracks.of(interval)),
            lane => ((device, worker, Some(lane)), 0),
        };
        let (label, title) = (interval.who.label(several), title(interval, report));
        let stage = Some(interval.stage);
        let bar = Bar { stage, from, to, track, label, title, count: 1, widest: to - from };
        lanes.entry(place).or_default().push(bar);
    }
    for (device, intervals) in by_device(recording) {
        let busy = union(&intervals, Kind::Kernel);
        let bar = |&(start, end): &(Duration, Duration)| {
            let (from, to) = axis.place(start, end)?;
            let title =
                format!("a kernel runs on device {device}: {}", stretch((start, end), report));
            let widest = to - from;
            Some(Bar { stage: None, from, to, track: 0, label: None, title, count: 1, widest })
        };
        let bars = busy.windows().iter().filter_map(bar).collect();
        lanes.insert((Some(device), None, None), bars);
    }
    let (places, mut bars): (Vec<Place>, Vec<Vec<Bar>>) = lanes.into_iter().unzip();
    bars::join(&mut bars);
    places.into_iter().zip(bars).map(|(place, bars)| row(place, bars, report)).collect()
}

fn row(place: Place, mut bars: Vec<Bar>, report: &Report) -> Row {
    for bar in bars.iter_mut().filter(|bar| bar.count > 1) {
        let longest = bar.stage.map_or(BUSY, Stage::name);
        bar.title = format!("{} intervals, the longest {longest}", bar.count);
    }
    let tracks = bars.iter().map(|bar| bar.track + 1).max().unwrap_or(1);
    let (device, worker, lane) = place;
    let worker = worker.map(|worker| format!("worker {worker}")).unwrap_or_default();
    let (class, label, above, height) = match lane {
        None => ("device", busy(device, report), 18.0, 9.0),
        Some(Lane::Queue) => ("lane", "queue".into(), 6.0, (5.0 * tracks as f64).max(12.0)),
        Some(Lane::Host) => ("lane", worker, 12.0, 24.0),
        Some(Lane::Locks) => ("small", "locks".into(), 2.0, 6.0),
        Some(Lane::Copy) => ("lane", "copy".into(), 4.0, 16.0),
        Some(Lane::Compute) => ("lane", "compute".into(), 3.0, 24.0),
    };
    Row { label, class, above, height, tracks, bars }
}

/// The label of the row in which a device's kernels lie, of whatever worker.
fn busy(device: Option<u32>, report: &Report) -> String {
    let own = |id: u32| report.devices.iter().find(|device| device.device == id);
    let Some(device) = device else { return String::new() };
    let busy = own(device).map_or(0.0, |device| device.run.busy());
    format!("device {device}: {:.0} %", 100.0 * busy)
}

fn title(interval: &Interval, report: &Report) -> String {
    let subject = match interval.who.subject() {
        (Some(proof), Some(partition)) => format!(", proof {proof} partition {partition}"),
        (Some(proof), None) => format!(", proof {proof}"),
        _ => String::new(),
    };
    let when = stretch((interval.start, interval.end), report);
    format!("{}{subject}: {when}", interval.stage)
}

/// When what lies in each track ends.
struct Tracks(Vec<Duration>);

impl Tracks {
    /// The first track that is free when the interval begins. They come in the order of their starts.
    fn of(&mut self, interval: &Interval) -> usize {
        let free = self.0.iter().position(|end| *end <= interval.start);
        let track = free.unwrap_or(self.0.len()).min(TRACKS - 1);
        if track == self.0.len() {
            self.0.push(interval.end);
        }
        self.0[track] = self.0[track].max(interval.end);
        track
    }
}
