//! The rows, by group and by whether bases have tables; each holds from four fifths of its
//! number of terms up to the next.
//!
//! Where these are from: those of 2¹⁶, 2¹⁸, 2²⁰, 2²² and 2²⁴ (of tables in G1 2²³) terms from the search below, on one
//! NVIDIA H200 (driver 580.159.04, 2026-11-30), but for G1 without tables at 2²², where the quickest takes 1.1 GB
//! more for 1 %; others like them, with widths from a count of additions (W·(n + 2.8·2^(c−1)) for W digits of c bits
//! of n terms without tables, W·n + 2.8·2^(c−1) with all copies), of about equal ones without tables the narrower.
//! Digits never get narrower as terms get more.
//!
//! A search on a GPU prints rows in place of those of its sizes, one command for each of the four tables:
//!
//! ```text
//! warpfield bench tune-msm --group g1 --log-size 14,16,18,20,22,24,26
//! warpfield bench tune-msm --group g1 --tables all --log-size 14,16,18,20,22,24
//! warpfield bench tune-msm --group g2 --log-size 14,16,18,20,22,24
//! warpfield bench tune-msm --group g2 --tables all --log-size 14,16,18,20,22
//! ```
//!
//! With them belong their card, driver, date and command, here.

use super::{Row, Tuning, row};

pub(in super::super) const G1: Tuning = Tuning { none: G1_NONE, tables: G1_TABLES };
pub(in super::super) const G2: Tuning = Tuning { none: G2_NONE, tables: G2_TABLES };

const G1_NONE: &[Row] = &[
    row(0, 4, 3, 512),
    row(6, 5, 3, 512),
    row(7, 6, 3, 512),
    row(9, 8, 3, 512),
    row(11, 9, 3, 512),
    row(12, 10, 3, 512),
    row(13, 11, 3, 512),
    row(15, 12, 3, 512),
    row(16, 13, 4, 640),
    row(17, 13, 5, 1_280),
    row(18, 15, 6, 4_352),
    row(19, 15, 7, 4_352),
    row(20, 16, 7, 8_192),
    row(21, 17, 7, 15_360),
    row(22, 17, 6, 25_600).halved(3, 4),
    row(24, 20, 6, 25_600).halved(3, 8),
];

const G1_TABLES: &[Row] = &[
    row(0, 4, 3, 512),
    row(1, 5, 3, 512),
    row(3, 6, 3, 512),
    row(4, 7, 3, 512),
    row(6, 8, 3, 512),
    row(7, 9, 3, 512),
    row(8, 10, 3, 512),
    row(10, 11, 3, 512),
    row(11, 12, 3, 512),
    row(12, 13, 3, 512),
    row(14, 15, 3, 512),
    row(16, 17, 4, 512),
    row(17, 17, 4, 960),
    row(18, 17, 5, 7_680),
    row(19, 17, 6, 3_840),
    row(20, 20, 7, 6_656),
    row(21, 20, 7, 13_312),
    row(22, 20, 6, 25_600).halved(3, 4),
    row(23, 22, 7, 25_600).halved(3, 4),
    row(25, 24, 6, 25_600).halved(3, 4),
];

const G2_NONE: &[Row] = &[
    row(0, 4, 3, 512),
    row(6, 5, 3, 512),
    row(7, 6, 3, 512),
    row(9, 8, 3, 512),
    row(11, 9, 3, 512),
    row(12, 10, 3, 512),
    row(13, 11, 3, 512),
    row(15, 12, 3, 512),
    row(16, 13, 5, 640),
    row(17, 13, 5, 1_280),
    row(18, 15, 6, 2_176),
    row(19, 15, 7, 4_352),
    row(20, 17, 7, 8_192),
    row(21, 17, 7, 15_360),
    row(22, 17, 7, 25_600),
    row(24, 20, 7, 25_600),
];

const G2_TABLES: &[Row] = &[
    row(0, 4, 3, 512),
    row(1, 5, 3, 512),
    row(3, 6, 3, 512),
    row(4, 7, 3, 512),
    row(6, 8, 3, 512),
    row(7, 9, 3, 512),
    row(8, 10, 3, 512),
    row(10, 11, 3, 512),
    row(11, 12, 3, 512),
    row(12, 13, 3, 512),
    row(14, 15, 3, 512),
    row(16, 17, 4, 512),
    row(17, 17, 4, 960),
    row(18, 17, 5, 1_920),
    row(19, 17, 6, 3_840),
    row(20, 20, 7, 6_656),
    row(21, 20, 7, 13_312),
    row(22, 20, 7, 25_600),
    row(23, 22, 7, 25_600),
    row(25, 24, 7, 25_600),
];
