//! Which digits, segments, halvings and bins make sums quickest.

mod rows;

pub(super) use rows::{G1, G2};
use warpfield_device::msm::digits::{BITS, windows};

use super::tables::Tables;

/// The splits of a group's sums by their length.
#[derive(Debug)]
pub struct Tuning {
    /// Of bases without tables.
    none: &'static [Row],
    /// Of bases with all copies that are of use.
    tables: &'static [Row],
}

/// How sums of 2^`log_terms` terms are split, and of more up to the next row: from four fifths on, where
/// the next is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    log_terms: u32,
    pub bits: u32,
    pub log_segment: u32,
    pub bin: u32,
    /// Levels, and segments that a thread takes at a time.
    pub halving: Option<(u32, u32)>,
}

/// One without halvings.
const fn row(log_terms: u32, bits: u32, log_segment: u32, bin: u32) -> Row {
    Row { log_terms, bits, log_segment, bin, halving: None }
}

impl Row {
    const fn halved(self, levels: u32, group: u32) -> Self {
        Self { halving: Some((levels, group)), ..self }
    }
}

impl Tuning {
    /// For so many terms of bases with so many copies: of some copies as of all, for their segments are
    /// more like those.
    pub(super) fn row(&self, terms: usize, copies: u32) -> &'static Row {
        let rows = if copies == 1 { self.none } else { self.tables };
        let log = terms.saturating_add(terms / 4).max(1).ilog2();
        rows.iter().rev().find(|row| row.log_terms <= log).expect("one is from one term")
    }

    /// What bases have without tables.
    pub(super) fn none(&self, terms: usize) -> Tables {
        Tables { bits: self.row(terms, 1).bits, copies: 1 }
    }

    /// The best tables of at most so many copies, all that are of use if they may be.
    ///
    /// Of fewer copies those with the fewest additions, W·n + 2.8·g·2^(c−1) for W digits of c bits of n terms
    /// where g windows have buckets of their own and a sum of two points with denominators is at 1.4 of one with
    /// an affine point; the narrowest digits of those, and none where there are fewer additions without.
    pub(super) fn tables(&self, terms: usize, most_copies: u32) -> Tables {
        let all = Tables::all(self.row(terms, u32::MAX).bits);
        if all.copies <= most_copies {
            return all;
        }
        let cost = |tables: &Tables| {
            let (windows, groups) = (u64::from(windows(tables.bits)), u64::from(tables.groups()));
            windows.saturating_mul(terms as u64) + groups * (14 << (tables.bits - 1)) / 5
        };
        let of_width = |bits| (2..=windows(bits)).map(move |copies| Tables { bits, copies });
        let some = BITS
            .flat_map(of_width)
            .filter(|tables| tables.copies <= most_copies && tables.is_tight())
            .min_by_key(cost);
        let none = self.none(terms);
        some.filter(|tables| cost(tables) < cost(&none)).unwrap_or(none)
    }
}

#[cfg(test)]
mod tests {
    use super::super::group::DeviceGroup;
    use super::super::plan::{Plan, Split};
    use super::*;
    use crate::curve;

    fn rows_are_plans<G: DeviceGroup>() {
        for rows in [G::TUNING.none, G::TUNING.tables] {
            assert_eq!(rows[0].log_terms, 0);
            assert!(rows.is_sorted_by(|a, b| a.log_terms < b.log_terms), "{rows:?}");
            assert!(rows.is_sorted_by_key(|row| row.bits), "{rows:?}");
        }
        for log in 0..=26 {
            let (terms, tuning) = (1 << log, G::TUNING);
            let (none, all) = (tuning.none(terms), tuning.tables(terms, u32::MAX));
            assert!(none.bits <= all.bits && all.groups() == 1, "2^{log}: {none:?} {all:?}");
            for tables in [none, all] {
                let split = Split::with::<G>(terms, tables, 528);
                let row = tuning.row(terms, tables.copies);
                assert_eq!(split.tables(), tables);
                assert_eq!((split.bits, split.bin), (row.bits, row.bin));
                assert_eq!(
                    split.halving.map(|halving| (halving.levels, halving.group)),
                    row.halving
                );
                // It checks the ranges of all parts.
                Plan::<G>::new(terms, split).expect("a plan");
            }
        }
    }

    #[test]
    fn all_rows_are_plans() {
        rows_are_plans::<curve::G1>();
        rows_are_plans::<curve::G2>();
    }

    #[test]
    fn rows_below_between_and_above() {
        const ROWS: &[Row] =
            &[row(0, 4, 3, 512), row(5, 6, 4, 600), row(7, 9, 5, 700).halved(2, 8)];
        const OTHER: &[Row] = &[row(0, 7, 3, 512)];
        let tuning = Tuning { none: ROWS, tables: OTHER };
        for (terms, at) in [
            (0, 0),
            (1, 0),
            (25, 0),
            (26, 1),
            (32, 1),
            (64, 1),
            (102, 1),
            (103, 2),
            (128, 2),
            (1 << 20, 2),
            (usize::MAX, 2),
        ] {
            assert_eq!(tuning.row(terms, 1), &ROWS[at], "{terms}");
            for copies in [2, 3, 37] {
                assert_eq!(tuning.row(terms, copies), &OTHER[0], "{terms}");
            }
        }
    }

    #[test]
    fn tables_by_copies() {
        const NONE: &[Row] = &[row(0, 10, 3, 512)];
        // By the count of additions digits would have 13 bits.
        const ALL: &[Row] = &[row(0, 15, 3, 512)];
        let tuning = Tuning { none: NONE, tables: ALL };
        assert_eq!(tuning.tables(1 << 12, 1), Tables { bits: 10, copies: 1 });
        assert_eq!(tuning.tables(1 << 12, 17), Tables { bits: 15, copies: 17 });
        assert_eq!(tuning.tables(1 << 12, u32::MAX), Tables { bits: 15, copies: 17 });
        // One copy fewer makes two groups of windows.
        let fewer = tuning.tables(1 << 12, 16);
        assert!(fewer.copies <= 16 && fewer.copies > 1 && fewer.is_tight(), "{fewer:?}");
    }
}
