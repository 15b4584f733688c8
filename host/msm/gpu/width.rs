//! How many bits a digit has.

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

/// Bits of a digit for so many terms.
pub(super) fn bits(terms: usize) -> u32 {
    WIDTHS.iter().rev().find(|(from, _)| terms >= *from).expect("one is from 0").1
}
