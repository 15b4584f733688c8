//! What was measured, as text and as JSON.

use serde::Serialize;
use warpfield::gpu::Info;
use warpfield::msm::gpu::{DeviceGroup, Plan, Step};

use super::{Made, Times};
use crate::bench::memory::Memory;
use crate::bench::spread::{self, Spread};

/// A time, as two columns.
fn columns(time: &Spread) -> String {
    format!("{:>10.3}{:>6.1} %", 1e3 * time.median, time.percent())
}

/// A step, and its time.
#[derive(Serialize)]
struct StepTime {
    step: &'static str,
    seconds: Spread,
}

/// Sums of one length.
#[derive(Serialize)]
pub struct Row {
    log_size: u32,
    bits: u32,
    windows: u32,
    segment: u32,
    halvings: u32,
    group: u32,
    copies: u32,
    bases_bytes: usize,
    tables_seconds: f64,
    workspace_bytes: usize,
    device: Spread,
    wall: Spread,
    steps: Vec<StepTime>,
}

impl Row {
    /// Of one time at least.
    pub fn new<G: DeviceGroup>(
        log_size: u32,
        plan: &Plan<G>,
        made: &Made,
        times: &[Times],
    ) -> Self {
        let step = |(at, step)| StepTime {
            step: name(step),
            seconds: Spread::of(times.iter().map(|times| times.steps[at])),
        };
        Self {
            log_size,
            bits: plan.split().bits,
            windows: plan.windows(),
            segment: 1 << plan.split().log_segment,
            halvings: plan.split().halving.map_or(0, |halving| halving.levels),
            group: plan.split().halving.map_or(1, |halving| halving.group),
            copies: made.copies,
            bases_bytes: made.bytes,
            tables_seconds: made.seconds,
            workspace_bytes: plan.bytes(),
            device: Spread::of(times.iter().map(|times| times.device)),
            wall: Spread::of(times.iter().map(|times| times.wall)),
            steps: Step::ALL.into_iter().enumerate().map(step).collect(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{:<6}{:>5}{:>8}{:>7}{:>10.1}{:>9.3}{:>9}{:>10.1}{}{}",
            format!("2^{}", self.log_size),
            self.bits,
            self.windows,
            self.copies,
            self.bases_bytes as f64 / f64::from(1 << 20),
            self.tables_seconds,
            self.segment,
            self.workspace_bytes as f64 / f64::from(1 << 20),
            columns(&self.wall),
            columns(&self.device),
        );
        for step in &self.steps {
            text += &format!("{:>11.3}", 1e3 * step.seconds.median);
        }
        text
    }
}

fn name(step: Step) -> &'static str {
    match step {
        Step::Count => "count",
        Step::Cut => "cut",
        Step::Sort => "sort",
        Step::Accumulate => "accumulate",
        Step::Join => "join",
        Step::Fold => "fold",
        Step::Download => "download",
        _ => "other",
    }
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
pub struct Report {
    device: String,
    driver: Option<String>,
    multiprocessors: u32,
    group: &'static str,
    rows: Vec<Row>,
    memory: Memory,
}

impl Report {
    pub fn new(info: &Info, group: &'static str, rows: Vec<Row>, memory: Memory) -> Self {
        Self {
            device: info.name.clone(),
            driver: info.driver.map(|(major, minor)| format!("CUDA {major}.{minor}")),
            multiprocessors: info.multiprocessors,
            group,
            rows,
            memory,
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings")
    }

    pub fn text(&self) -> String {
        let mut head = format!(
            "{}, {} multiprocessors, driver {}\n{}, medians of milliseconds, every sum checked\n\n\
             {:<6}{:>5}{:>8}{:>7}{:>10}{:>9}{:>9}{:>10}{:>10}{:>8}{:>10}{:>8}",
            self.device,
            self.multiprocessors,
            self.driver.as_deref().unwrap_or("none"),
            self.group,
            "terms",
            "bits",
            "windows",
            "copies",
            "bases MiB",
            "made s",
            "segment",
            "MiB",
            "wall",
            "spread",
            "device",
            "spread",
        );
        for step in Step::ALL {
            head += &format!("{:>11}", name(step));
        }
        let rows = self.rows.iter().map(Row::text);
        let note = "copies: of each base, multiplied in advance, which took `made` seconds\n\
                    segment: the most entries that a thread sums up; MiB: device memory besides operands\n\
                    wall: from the call to the sum, with launches and the host's part";
        let note = format!("{note}\n{}\n{}", spread::LEGEND, self.memory.text());
        [vec![head], rows.collect(), vec![String::new(), note]].concat().join("\n")
    }
}
