//! How many bits a digit has.

use warpfield_device::msm::digits::{BITS, windows};

use super::tables::Tables;

/// From so many terms on, digits of so many bits: those with the fewest additions W·(n + 2.8·2^(c−1)),
/// for W digits of c bits of n terms and a sum of two points with denominators at 1.4 of one with an
/// affine point; narrower ones of about equal cost where there are.
const WIDTHS: &[(usize, u32)] = &[
    (0, 4),
    (1 << 6, 5),
    (1 << 7, 6),
    (1 << 9, 8),
    (1 << 11, 9),
    (1 << 12, 10),
    (1 << 13, 11),
    (1 << 15, 12),
    (1 << 16, 13),
    (1 << 18, 15),
    (1 << 20, 16),
    (1 << 21, 17),
    (1 << 24, 20),
];

/// Bits of a digit for so many terms of bases without tables.
pub(super) fn bits(terms: usize) -> u32 {
    WIDTHS.iter().rev().find(|(from, _)| terms >= *from).expect("one is from 0").1
}

/// The tables of at most so many copies with the fewest additions, W·n + 2.8·g·2^(c−1) where g windows have
/// buckets of their own; the narrowest digits of those.
pub(super) fn tables(terms: usize, most_copies: u32) -> Tables {
    let cost = |tables: &Tables| {
        let (windows, groups) = (windows(tables.bits) as u64, u64::from(tables.groups()));
        windows * terms as u64 + groups * (14 << (tables.bits - 1)) / 5
    };
    let of_width = |bits| (2..=windows(bits)).map(move |copies| Tables { bits, copies });
    let better = BITS
        .flat_map(of_width)
        .filter(|tables| tables.copies <= most_copies && tables.is_tight())
        .min_by_key(cost);
    let none = Tables { bits: bits(terms), copies: 1 };
    better.filter(|tables| cost(tables) < cost(&none)).unwrap_or(none)
}
