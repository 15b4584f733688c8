//! A report as text.

use std::fmt;
use std::time::Duration;

use super::millis;
use super::recording::Placement;
use super::report::{DeviceReport, Report, Usage, WorkerReport, share};
use super::spread::Spread;
use super::stage::Kind;

/// Kinds in the order of the table, and what their stages are.
const KINDS: [(Kind, &str); 5] = [
    (Kind::Work, "work of the host"),
    (Kind::Wait, "waits of the host"),
    (Kind::Held, "locks held, with the work and waits inside"),
    (Kind::Copy, "copies, by events"),
    (Kind::Kernel, "kernels, by events"),
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        writeln!(f, "\n{:<24}{}", "ms a partition", columns())?;
        row(f, "wall", self.partition_wall)?;
        for (kind, title) in KINDS {
            let mut stages = self.stages.iter().filter(|stage| stage.kind == kind).peekable();
            if stages.peek().is_some() {
                writeln!(f, "{title}")?;
            }
            for stage in stages {
                row(f, &format!("  {}", stage.stage), Some(stage.time))?;
            }
        }
        row(f, "unattributed", self.unattributed)?;
        writeln!(
            f,
            "work, waits and unattributed are a partition's wall time; unattributed {:.2} % of it",
            100.0 * self.unattributed_share()
        )?;
        self.workers(f)?;
        self.devices.iter().try_for_each(|device| self::device(f, device))?;
        self.faults(f)
    }
}

impl Report {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, wall) = (self.partitions.len(), millis::text(self.wall));
        write!(f, "{} of {} in {wall} ms", count(all, "partition"), count(self.proofs, "proof"))?;
        let left_out = self.partitions.iter().filter(|partition| !partition.kept).count();
        if left_out > 0 {
            write!(
                f,
                "; {left_out} of them, the first or last of a device, are in no distribution"
            )?;
        }
        writeln!(f)
    }

    fn workers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.workers.is_empty() {
            return Ok(());
        }
        let names =
            ["partitions", "slot_wait", "prep_wait", "prep_held", "compute_wait", "compute_held"];
        let names: String = names.iter().map(|name| format!("{name:>13}")).collect();
        writeln!(f, "\n{:<20}{names}", "ms a worker")?;
        for worker in &self.workers {
            let WorkerReport { slot_wait, prep_wait, prep_held, .. } = *worker;
            let times = [slot_wait, prep_wait, prep_held, worker.compute_wait, worker.compute_held];
            let times: String =
                times.iter().map(|time| format!("{:>13}", millis::text(*time))).collect();
            let name = match worker.device {
                Some(device) => format!("device {device} worker {}", worker.worker),
                None => format!("worker {}", worker.worker),
            };
            writeln!(f, "{name:<20}{:>13}{times}", worker.partitions)?;
        }
        Ok(())
    }

    fn faults(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lost > 0 {
            let marks = count(self.lost as usize, "device interval");
            writeln!(
                f,
                "\n{marks} not recorded, for want of events: devices did more than this says"
            )?;
        }
        if !self.overlap().is_zero() {
            let time = millis::text(self.overlap());
            writeln!(
                f,
                "\n{time} ms are recorded as two waits or works of one partition; they count once"
            )?;
        }
        Ok(())
    }
}

/// Names of what [`row`] prints.
pub(super) fn columns() -> String {
    ["count", "min", "median", "p95", "max"].map(|name| format!("{name:>12}")).concat()
}

/// The columns of a spread.
pub(super) fn spread(time: &Spread) -> String {
    let times = [time.min, time.median, time.p95, time.max];
    let times = times.map(|time| format!("{:>12}", millis::text(time))).concat();
    format!("{:>12}{times}", time.count)
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, time: Option<Spread>) -> fmt::Result {
    match time {
        Some(time) => writeln!(f, "{name:<24}{}", spread(&time)),
        None => Ok(()),
    }
}

pub(super) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn device(f: &mut fmt::Formatter<'_>, report: &DeviceReport) -> fmt::Result {
    writeln!(f, "\ndevice {}", report.device)?;
    usage(f, "the whole run", &report.run)?;
    if let Some(steady) = &report.steady {
        let partitions = count(steady.partitions, "partition");
        let what = format!("from the first kernel of {partitions} to the last");
        usage(f, &what, &steady.usage)?;
    }
    let [up, down] = [report.uploaded, report.downloaded].map(bytes);
    writeln!(f, "  {up} to the device, {down} from it")?;
    match report.placement {
        Some(placement) => writeln!(f, "  {}", self::placement(&placement)),
        None => Ok(()),
    }
}

fn usage(f: &mut fmt::Formatter<'_>, what: &str, usage: &Usage) -> fmt::Result {
    let share = |time: Duration| {
        format!("{} ({:.1} %)", millis::text(time), 100.0 * share(time, usage.wall))
    };
    let (kernels, alone, idle) =
        (share(usage.kernels), share(usage.copies_alone), share(usage.idle));
    let wall = millis::text(usage.wall);
    writeln!(f, "  {what}: {wall} ms = kernels {kernels} + copies alone {alone} + idle {idle}")?;
    writeln!(f, "    copies, beside kernels or alone: {}", share(usage.copies))
}

/// How well a clock is known, as a line.
pub(super) fn placement(placement: &Placement) -> String {
    let micros = |time: Duration| format!("{:.1} µs", time.as_nanos() as f64 / 1e3);
    let error = micros(placement.error);
    let device = placement.device;
    let mut text = format!("times of device {device} are placed on the host's clock to ±{error}");
    if let Some(drift) = placement.drift {
        text += &format!(", between base events that disagree by {} at most", micros(drift));
    }
    text
}

/// A number of bytes, in decimal units.
pub(super) fn bytes(bytes: u64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match units.iter().find(|(unit, _)| bytes as f64 >= *unit) {
        Some((unit, name)) => format!("{:.3} {name}", bytes as f64 / unit),
        None => format!("{bytes} bytes"),
    }
}
