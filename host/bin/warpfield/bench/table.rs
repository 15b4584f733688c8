//! What was measured, as text and as JSON.

use serde::Serialize;
use warpfield::gpu::{Error, Info};

use super::operations::Operation;

/// One operation's rates.
#[derive(Serialize)]
pub struct Row {
    operation: &'static str,
    /// Operations a second: the median and the ends.
    median: f64,
    min: f64,
    max: f64,
    /// Wide multiply-adds of one operation.
    wide: Option<u32>,
    registers: Option<u32>,
    local_bytes: Option<u32>,
    /// Wide multiply-adds a second over the most that were measured.
    share: Option<f64>,
}

impl Row {
    pub fn new(operation: &Operation, mut rates: Vec<f64>) -> Result<Self, Error> {
        rates.sort_by(f64::total_cmp);
        let attributes = operation.kernel.as_ref().map(|kernel| kernel.attributes()).transpose()?;
        Ok(Self {
            operation: operation.name,
            median: rates[rates.len() / 2],
            min: rates[0],
            max: rates[rates.len() - 1],
            wide: operation.wide,
            registers: attributes.and_then(|attributes| attributes.registers),
            local_bytes: attributes.and_then(|attributes| attributes.local_bytes),
            share: None,
        })
    }

    fn text(&self) -> String {
        let number = |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
        let spread = 100.0 * (self.max - self.min) / self.median;
        let share = self.share.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        format!(
            "{:<26}{:>11.3}{:>8.1} %{:>8}{:>8}{:>11}{:>8}",
            self.operation,
            self.median / 1e9,
            spread,
            number(self.wide),
            share,
            number(self.registers),
            number(self.local_bytes),
        )
    }
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
pub struct Table {
    device: String,
    driver: Option<String>,
    multiprocessors: u32,
    repeats: &'static str,
    rows: Vec<Row>,
}

impl Table {
    /// Of rows of which the first is the limit of wide multiply-adds.
    pub fn new(info: &Info, mut rows: Vec<Row>) -> Self {
        let limit = rows[0].median;
        for row in &mut rows {
            row.share = row.wide.map(|wide| f64::from(wide) * row.median / limit);
        }
        Self {
            device: info.name.clone(),
            driver: info.driver.map(|(major, minor)| format!("CUDA {major}.{minor}")),
            multiprocessors: info.multiprocessors,
            repeats: "medians; all in turns, each checked against blst first",
            rows,
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings")
    }

    pub fn text(&self) -> String {
        let head = format!(
            "{}, {} multiprocessors, driver {}\n{}\n\n{:<26}{:>11}{:>10}{:>8}{:>8}{:>11}{:>8}",
            self.device,
            self.multiprocessors,
            self.driver.as_deref().unwrap_or("none"),
            self.repeats,
            "",
            "G/s",
            "spread",
            "wide",
            "share",
            "registers",
            "local",
        );
        let rows = self.rows.iter().map(Row::text);
        let note = "wide: wide multiply-adds of an operation; share: of those that the chip does\n\
                    local: bytes of local memory, more than 0 is spilled registers";
        [vec![head], rows.collect(), vec![String::new(), note.into()]].concat().join("\n")
    }
}
