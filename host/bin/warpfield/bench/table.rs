//! What was measured, as text and as JSON.

use serde::Serialize;

use super::memory::Memory;
use super::spread::{self, Spread};
use crate::failure::Failure;

/// One operation's rates.
#[derive(Serialize)]
pub struct Row {
    operation: &'static str,
    /// Operations a second.
    #[serde(flatten)]
    rate: Spread,
    /// Wide multiply-adds of one operation.
    pub wide: Option<u32>,
    pub registers: Option<u32>,
    pub local_bytes: Option<u32>,
    /// Wide multiply-adds a second over the most that were measured.
    share: Option<f64>,
}

impl Row {
    pub fn new(operation: &'static str, rate: Spread) -> Self {
        Self { operation, rate, wide: None, registers: None, local_bytes: None, share: None }
    }

    fn text(&self) -> String {
        let (median, spread) = (self.rate.median / 1e9, self.rate.percent());
        let rate = format!("{:<26}{median:>11.3}{spread:>8.1} %", self.operation);
        let number = |value: Option<u32>| value.map_or(String::new(), |value| value.to_string());
        let share = self.share.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        let (wide, registers) = (number(self.wide), number(self.registers));
        let local = number(self.local_bytes);
        format!("{rate}{wide:>8}{share:>8}{registers:>11}{local:>8}").trim_end().to_owned()
    }
}

/// What measures.
#[derive(Serialize)]
pub struct Machine {
    pub device: String,
    #[serde(flatten)]
    pub gpu: Option<Gpu>,
    pub how: &'static str,
}

/// A GPU, or an emulated one.
#[derive(Serialize)]
pub struct Gpu {
    pub driver: Option<String>,
    pub multiprocessors: u32,
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
pub struct Table {
    #[serde(flatten)]
    machine: Machine,
    rows: Vec<Row>,
    memory: Memory,
}

impl Table {
    /// Of rows of which the first is the limit of wide multiply-adds, if others have such.
    pub fn new(machine: Machine, mut rows: Vec<Row>, memory: Memory) -> Self {
        let limit = rows[0].rate.median;
        for row in &mut rows {
            row.share = row.wide.map(|wide| f64::from(wide) * row.rate.median / limit);
        }
        Self { machine, rows, memory }
    }

    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            let json = serde_json::to_string_pretty(self).expect("numbers and strings");
            return Failure::print(json);
        }
        let mut head = self.machine.device.clone();
        let mut columns = format!("{:<26}{:>11}{:>10}", "", "G/s", "spread");
        let mut note = spread::LEGEND.to_owned();
        if let Some(Gpu { driver, multiprocessors }) = &self.machine.gpu {
            let driver = driver.as_deref().unwrap_or("none");
            head += &format!(", {multiprocessors} multiprocessors, driver {driver}");
            columns += &format!("{:>8}{:>8}{:>11}{:>8}", "wide", "share", "registers", "local");
            note += "\nwide: wide multiply-adds of an operation; share: of those that the chip does\n\
                     local: bytes of local memory, more than 0 is spilled registers";
        }
        let head = format!("{head}\n{}\n\n{columns}", self.machine.how);
        let note = format!("{note}\n{}", self.memory.text());
        let rows = self.rows.iter().map(Row::text);
        Failure::print([vec![head], rows.collect(), vec![String::new(), note]].concat().join("\n"))
    }
}
