//! What was measured, as text and as JSON.

use std::time::Duration;

use serde::Serialize;
use warpfield::gpu::Info;
use warpfield::pipeline::timeline::{self, Kind};

use super::{Circuit, Setting, Turn, kept};
use crate::args::{BenchProve, FormName, ShapeName, Values};
use crate::bench::memory::Memory;
use crate::bench::spread::{self, Spread};

/// A setting's turns with a circuit.
#[derive(Serialize)]
pub struct Row {
    rows: usize,
    circuit_seconds: f64,
    lock: &'static str,
    workers: u16,
    recorded: bool,
    load_seconds: f64,
    first_seconds: f64,
    /// Seconds from proof to proof.
    partition: Spread,
    #[serde(flatten)]
    timeline: Option<Recorded>,
}

/// Of a recorded timeline, the turn of median length.
#[derive(Serialize)]
struct Recorded {
    /// Part of the time in which kernels ran, by the device's events, from the start of the second partition's to
    /// the end of the last but one's; of the device that was least busy.
    busy: f64,
    unattributed: f64,
    /// Seconds of kernels of a partition.
    kernels: f64,
}

impl Row {
    pub(super) fn new(circuit: &Circuit, setting: &Setting, turns: &[Turn]) -> Self {
        let median = |of: fn(&Turn) -> f64| Spread::of(turns.iter().map(of)).median;
        let partition = Spread::of(turns.iter().map(|turn| turn.partition));
        let middle = turns.iter().find(|turn| turn.partition == partition.median);
        let recorded = middle.filter(|_| setting.is_recorded).map(|turn| {
            let report = timeline::Report::with(&turn.recording, kept());
            let busy = report.devices.iter().filter_map(|device| device.steady);
            let kernels = report.stages.iter().filter(|stage| stage.kind == Kind::Kernel);
            Recorded {
                busy: busy.map(|steady| steady.usage.busy()).fold(1.0, f64::min),
                unattributed: report.unattributed_share(),
                kernels: kernels.map(|stage| stage.time.median).sum::<Duration>().as_secs_f64(),
            }
        });
        Self {
            rows: circuit.rows,
            circuit_seconds: circuit.seconds,
            lock: setting.strategy.name(),
            workers: setting.workers,
            recorded: setting.is_recorded,
            load_seconds: median(|turn| turn.load),
            first_seconds: median(|turn| turn.first),
            partition,
            timeline: recorded,
        }
    }

    fn text(&self) -> String {
        let Self { rows, lock, workers, partition, .. } = self;
        let rows = match rows.is_power_of_two() {
            true => format!("2^{}", rows.ilog2()),
            false => rows.to_string(),
        };
        let percent = |part: f64| format!("{:.2} %", 100.0 * part);
        let recorded = match &self.timeline {
            None => format!("{:>11}{:>12}{:>14}", "-", "-", "-"),
            Some(Recorded { busy, unattributed, kernels }) => {
                let kernels = 1e3 * kernels;
                format!("{kernels:>11.2}{:>12}{:>14}", percent(*busy), percent(*unattributed))
            }
        };
        format!(
            "{rows:<10}{lock:<8}{workers:>7}{:>12.2}{:>8.1} %{recorded}{:>9.2}{:>9.3}{:>11.2}",
            1e3 * partition.median,
            partition.percent(),
            self.load_seconds,
            self.first_seconds,
            self.circuit_seconds,
        )
    }
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
pub struct Report {
    device: String,
    devices: usize,
    driver: Option<String>,
    partitions: u32,
    rounds: u32,
    form: &'static str,
    witness: &'static str,
    rows: Vec<Row>,
    memory: Memory,
}

impl Report {
    pub(super) fn new(
        info: &Info,
        devices: usize,
        options: &BenchProve,
        rows: Vec<Row>,
        memory: Memory,
    ) -> Self {
        Self {
            device: info.name.clone(),
            devices,
            driver: info.driver.map(|(major, minor)| format!("CUDA {major}.{minor}")),
            partitions: options.partitions,
            rounds: options.rounds,
            form: match options.form {
                FormName::Zkey => "from witnesses",
                FormName::Abc => "from vectors in pinned memory",
            },
            witness: match (options.shape, options.witness) {
                (Some(ShapeName::Porep32), _) => "a partition of PoRep 32 GiB, scaled",
                (None, Values::Random) => "random values",
                (None, Values::Mixed) => "70 % of the values 0 or 1",
                (None, Values::Bits) => "all values 0 or 1",
            },
            rows,
            memory,
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings")
    }

    pub fn text(&self) -> String {
        let Self { device, devices, partitions, rounds, form, witness, .. } = self;
        let driver = self.driver.as_deref().unwrap_or("none");
        let mut lines = vec![
            format!("{devices} {device}, driver {driver}"),
            format!(
                "{partitions} partitions {form}, {witness}, every proof verified; medians of {rounds} turns"
            ),
            String::new(),
            format!(
                "{:<10}{:<8}{:>7}{:>12}{:>10}{:>11}{:>12}{:>14}{:>9}{:>9}{:>11}",
                "rows",
                "lock",
                "workers",
                "ms a part.",
                "spread",
                "kernels",
                "GPU busy",
                "unattributed",
                "load s",
                "first s",
                "circuit s"
            ),
        ];
        lines.extend(self.rows.iter().map(Row::text));
        lines.push(format!(
            "\nms a part.: from proof to proof; kernels: ms of kernels of a partition\n\
             GPU busy, unattributed: of the turn of median length, without the first and the last partition\n\
             load: the key's copy to the device, with its tables; first: from there to the first proof\n{}\n{}",
            spread::LEGEND,
            self.memory.text()
        ));
        lines.join("\n")
    }
}
