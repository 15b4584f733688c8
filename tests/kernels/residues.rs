//! What butterflies are made of: residues below 2r, and their products by twiddles.

use num_bigint::BigUint;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use warpfield_device::field::{Config, fr::FrConfig};
use warpfield_device::strategies::edges;

use crate::field::FR;
use crate::fuzz::{self, OneIn};
use crate::launch::{Grid, elementwise};
use crate::words::Words;

pub const TESTED: &[&str] = &["residue_minus", "residue_plus", "residue_times"];

fn modulus() -> BigUint {
    BigUint::from_slice(&FrConfig::MODULUS)
}

/// An element, and whether it stands with r added.
type Residue = (Words, bool);

fn to_words((element, more): &Residue) -> Words {
    let lift = if *more { modulus() } else { BigUint::ZERO };
    Words::from_integer(&(&element.integers(8)[0] + lift), 8)
}

/// Rows of residues a and b, and for products the element that b is.
fn check(grid: Grid, rows: &[(Residue, Residue)]) -> Result<(), TestCaseError> {
    let r = modulus();
    let pairs = |second: fn(&Residue) -> Words| -> Vec<Vec<Words>> {
        rows.iter().map(|(a, b)| vec![to_words(a), second(b)]).collect()
    };
    let both = pairs(to_words);
    let with_element = pairs(|(element, _)| element.clone());
    type Expected = fn(&BigUint, &BigUint, &BigUint) -> BigUint;
    let kernels: [(&str, &[Vec<Words>], Expected); 3] = [
        ("residue_plus", &both, |a, b, _| a + b),
        ("residue_minus", &both, |a, b, r| a + r * 2u32 - b),
        ("residue_times", &with_element, |a, b, _| {
            FR.mul(&vec![a.clone()], &vec![b.clone()]).remove(0)
        }),
    ];
    for (kernel, operands, expected) in kernels {
        let results = elementwise(kernel, grid, operands, 8)?;
        for (row, result) in operands.iter().zip(results) {
            let [a, b, result] = [&row[0], &row[1], &result].map(|w| w.integers(8).remove(0));
            prop_assert!(
                result < &r * 2u32,
                "{} of {:?} is {:x}, not below 2r",
                kernel,
                row,
                result
            );
            let equal = &result % &r == expected(&a, &b, &r) % &r;
            prop_assert!(equal, "{} of {:?} is not {:x}", kernel, row, result);
        }
    }
    Ok(())
}

/// Every pair of edges, with r added and without.
#[test]
fn residues_at_the_edges() {
    let residues: Vec<Residue> = edges(FrConfig::MODULUS)
        .into_iter()
        .flat_map(|edge| [false, true].map(|more| (Words::from(edge), more)))
        .collect();
    let with = |a: &Residue| residues.iter().map(|b| (a.clone(), b.clone())).collect::<Vec<_>>();
    let rows: Vec<_> = residues.iter().flat_map(with).collect();
    check(Grid::covering(rows.len()), &rows).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn residues_drawn() {
    let residue = || (FR.strategy(), any::<bool>());
    fuzz::batches(file!(), OneIn(1), (residue(), residue()), check);
}
