//! What was found, as rows of the library's table and as JSON.

use serde::Serialize;
use warpfield::gpu::Info;

use super::search::Best;
use crate::args::TuneMsm;

/// The best split of sums of one length.
#[derive(Serialize)]
pub struct Row {
    log_size: u32,
    bits: u32,
    copies: u32,
    log_segment: u32,
    /// None without.
    halving: Option<Halving>,
    bin: u32,
    /// Of a sum, by the device.
    seconds: f64,
    /// Of a sum as it was split before.
    before_seconds: Option<f64>,
    /// That were measured.
    sums: u32,
    /// Whether time was up before the search had ended.
    stopped: bool,
}

#[derive(Serialize)]
struct Halving {
    levels: u32,
    group: u32,
}

impl Row {
    pub fn new(log_size: u32, best: &Best, sums: u32, stopped: bool) -> Self {
        let Best { split, seconds, before } = best;
        let halving = split.halving.map(|halving| {
            let (levels, group) = (halving.levels, halving.group);
            Halving { levels, group }
        });
        Self {
            log_size,
            bits: split.bits,
            copies: split.copies,
            log_segment: split.log_segment,
            halving,
            bin: split.bin,
            seconds: *seconds,
            before_seconds: *before,
            sums,
            stopped,
        }
    }

    /// For who waits.
    pub fn remark(&self) -> String {
        let Self { log_size, sums, stopped, .. } = self;
        let end = if *stopped { ", time was up" } else { "" };
        format!("2^{log_size}: {}, {sums} sums{end}", self.times())
    }

    fn times(&self) -> String {
        let milliseconds = |seconds: f64| format!("{:.3} ms", 1e3 * seconds);
        let before = self.before_seconds.map(milliseconds);
        let before = before.map_or(String::new(), |before| format!(", before {before}"));
        format!("{}{before}", milliseconds(self.seconds))
    }

    /// As Rust.
    fn rust(&self) -> String {
        let Self { log_size, bits, log_segment, .. } = self;
        let bin = match self.bin {
            bin @ 0..1000 => bin.to_string(),
            bin => format!("{}_{:03}", bin / 1000, bin % 1000),
        };
        let halved = self.halving.as_ref().map_or(String::new(), |Halving { levels, group }| {
            format!(".halved({levels}, {group})")
        });
        format!("    row({log_size}, {bits}, {log_segment}, {bin}){halved}, // {}", self.times())
    }
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
pub struct Report {
    device: String,
    driver: Option<String>,
    multiprocessors: u32,
    group: &'static str,
    /// Whether bases had tables.
    tables: bool,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(info: &Info, group: &'static str, options: &TuneMsm, rows: Vec<Row>) -> Self {
        Self {
            device: info.name.clone(),
            driver: info.driver.map(|(major, minor)| format!("CUDA {major}.{minor}")),
            multiprocessors: info.multiprocessors,
            group,
            tables: options.tables > 0,
            rows,
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings")
    }

    /// A constant of such rows.
    pub fn text(&self) -> String {
        let (device, group) = (&self.device, self.group);
        let driver = self.driver.as_deref().unwrap_or("none");
        let name = if self.tables { "TABLES" } else { "NONE" };
        let head = format!("// {device}, driver {driver}, by `warpfield bench tune-msm`.");
        let head = format!("{head}\nconst {group}_{name}: &[Row] = &[");
        let rows = self.rows.iter().map(Row::rust);
        [vec![head], rows.collect(), vec!["];".to_owned()]].concat().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use warpfield::msm::gpu::{Halving, Split};

    use super::*;

    #[test]
    fn rows_are_rust() {
        let halving = Some(Halving { levels: 3, group: 4, blocks: 500 });
        let split = Split { bits: 17, copies: 1, log_segment: 6, halving, bin: 25_060 };
        let best = Best { split, seconds: 0.0231, before: Some(0.024) };
        let text = "    row(22, 17, 6, 25_060).halved(3, 4), // 23.100 ms, before 24.000 ms";
        assert_eq!(Row::new(22, &best, 9, false).rust(), text);
        let split = Split { halving: None, bin: 512, ..split };
        let best = Best { split, seconds: 0.0231, before: None };
        assert_eq!(Row::new(0, &best, 9, true).rust(), "    row(0, 17, 6, 512), // 23.100 ms");
    }
}
