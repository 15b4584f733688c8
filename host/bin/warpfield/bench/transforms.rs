//! `warpfield bench ntt`: the times of transforms.

use blstrs::Scalar;
use ff::Field as _;
use rayon::prelude::*;
use serde::Serialize;
use warpfield::ntt::{Order, RootOfUnity};

use super::memory::Memory;
use super::spread::{self, Spread};
use crate::failure::Failure;

/// The orders that are measured.
pub const ORDERS: [(Order, &str); 2] = [(Order::NN, "natural"), (Order::NR, "reversed")];

/// One size and order, in seconds.
#[derive(Serialize)]
pub struct Row {
    pub log_size: u32,
    pub order: &'static str,
    #[serde(flatten)]
    pub seconds: Spread,
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
pub struct Report {
    pub device: String,
    pub rows: Vec<Row>,
    pub memory: Memory,
}

impl Report {
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            let json = serde_json::to_string_pretty(self).expect("numbers and strings");
            return Failure::print(json);
        }
        let row = |row: &Row| {
            let (median, spread) = (1e3 * row.seconds.median, row.seconds.percent());
            format!("2^{:<6}{:<10}{median:>10.4}{spread:>8.1} %", row.log_size, row.order)
        };
        let head = format!(
            "{}: forward transforms in its memory, each checked at some of its values first\n\n\
             size    order      median ms    spread",
            self.device
        );
        let note = format!("{}\n{}", spread::LEGEND, self.memory.text());
        let rows = self.rows.iter().map(row);
        Failure::print([vec![head], rows.collect(), vec![String::new(), note]].concat().join("\n"))
    }
}

/// The coefficients of a polynomial, as good as random.
pub fn coefficients(log_size: u32) -> Vec<Scalar> {
    let coefficient = |i: usize| Scalar::from(i as u64 ^ 0x9e37_79b9_7f4a_7c15).square().square();
    (0..1 << log_size).into_par_iter().map(coefficient).collect()
}

/// That some of the values found, in natural order, are the polynomial's.
pub fn check(
    found: impl Fn(usize) -> Result<Scalar, Failure>,
    coefficients: &[Scalar],
    log_size: u32,
) -> Result<(), Failure> {
    let root = RootOfUnity::SNARKJS.of_order(log_size);
    let size = coefficients.len();
    for place in [0, 1, size / 3, size - 1].map(|place| place % size) {
        let point = root.pow([place as u64]);
        // By parts, each by Horner's rule.
        let part = size.min(1 << 14);
        let parts = coefficients.par_chunks(part).enumerate().map(|(i, part_of)| {
            let value = part_of.iter().rev().fold(Scalar::ZERO, |sum, c| sum * point + c);
            value * point.pow([(i * part) as u64])
        });
        let expected: Scalar = parts.reduce(|| Scalar::ZERO, |a, b| a + b);
        if found(place)? != expected {
            return Err(Failure::other(format!(
                "value {place} of the transform of 2^{log_size} is wrong"
            )));
        }
    }
    Ok(())
}
