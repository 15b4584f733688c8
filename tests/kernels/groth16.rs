//! Kernels of partitions: products of matrices with a witness, and what is done element by element.

use num_bigint::BigUint;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use warpfield_device::groth16::{CUT, MULTIPLY, WRITE};

use crate::field::FR;
use crate::fuzz::{self, LENGTHS, OneIn};
use crate::launch::{Grid, Memory, kernel};
use crate::words::Words;

pub const TESTED: &[&str] = &[
    "groth16_cut_rows",
    "groth16_gather",
    "groth16_multiply",
    "groth16_multiply_subtract",
    "groth16_rows",
    "groth16_subtract",
];

fn flat(values: &[Words]) -> Vec<u32> {
    values.iter().flat_map(|value| &value.0).copied().collect()
}

/// A row: the numbers of wires and of values.
type Row = Vec<(usize, usize)>;

/// A matrix as the kernels take it, with rows cut into pieces of so many entries.
struct Cut {
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// Those that are cut, and the first part of each.
    rows: Vec<u32>,
    firsts: Vec<u32>,
    log_rows: u32,
}

impl Cut {
    fn new(rows: &[Row], piece: usize) -> Self {
        let log_rows = rows.len().next_power_of_two().ilog2();
        let mut cut =
            Self { starts: vec![], entries: vec![], rows: vec![], firsts: vec![1], log_rows };
        let mut behind = vec![];
        for index in 0..1 << log_rows {
            let start = cut.entries.len() as u32 / 2;
            let row = rows.get(index).map_or(&[][..], Vec::as_slice);
            cut.entries.extend(row.iter().flat_map(|&(wire, value)| [wire as u32, value as u32]));
            if row.len() <= piece {
                cut.starts.push(start);
                continue;
            }
            cut.starts.push(start | CUT);
            behind.extend((0..row.len()).step_by(piece).map(|at| start + at as u32));
            behind.push((cut.entries.len() as u32 / 2) | CUT);
            cut.rows.push(index as u32);
            cut.firsts.push(1 + behind.len() as u32);
        }
        cut.starts.push((cut.entries.len() as u32 / 2) | CUT);
        cut.starts.extend(behind);
        cut
    }
}

/// The row's place in the result.
fn place(row: usize, log_rows: u32) -> usize {
    (0..log_rows).fold(0, |place, bit| place << 1 | (row >> bit & 1))
}

fn check_rows(grid: Grid, rows: &[Row], piece: usize) -> Result<(), TestCaseError> {
    // All that is below r may be a value or a wire's.
    let (values, witness) = (FR.edges(), FR.edges());
    let cut = Cut::new(rows, piece);
    let (log_rows, parts) = (cut.log_rows, cut.starts.len() - 1 - (1 << cut.log_rows));
    let before: Vec<Words> =
        (0..1usize << log_rows).map(|i| values[(i + 3) % values.len()].clone()).collect();
    for mode in [WRITE, MULTIPLY] {
        let memory = Memory::new();
        let out = match mode {
            WRITE => memory.uninitialised(8 << log_rows)?,
            _ => memory.upload(&flat(&before))?,
        };
        let sums = memory.uninitialised(8 * parts)?;
        let args = [
            out.into(),
            sums.into(),
            memory.upload(&cut.starts)?.into(),
            memory.upload(&cut.entries)?.into(),
            memory.upload(&flat(&values))?.into(),
            memory.upload(&flat(&witness))?.into(),
            (cut.starts.len() as u32 - 1).into(),
            log_rows.into(),
            mode.into(),
        ];
        memory.launch(&kernel("groth16_rows"), grid, &args)?;
        if !cut.rows.is_empty() {
            let (rows, firsts) = (memory.upload(&cut.rows)?, memory.upload(&cut.firsts)?);
            let count = cut.rows.len() as u32;
            let args = [
                out.into(),
                sums.into(),
                rows.into(),
                firsts.into(),
                count.into(),
                log_rows.into(),
                mode.into(),
            ];
            let covering = Grid { blocks: count.div_ceil(2), threads: 64 };
            memory.launch(&kernel("groth16_cut_rows"), covering, &args)?;
        }
        let found = memory.download(out, 8 << log_rows)?;
        for row in 0..1 << log_rows {
            let product =
                |&(wire, value)| FR.mul(&FR.element(&values[value]), &FR.element(&witness[wire]));
            let entries = rows.get(row).into_iter().flatten();
            let sum = entries
                .map(product)
                .fold(vec![BigUint::ZERO], |sum, product| FR.add(&sum, &product));
            let at = place(row, log_rows);
            let expected = if mode == WRITE { sum } else { FR.mul(&sum, &FR.element(&before[at])) };
            let expected = FR.to_words(&expected);
            let found = Words(found[8 * at..][..8].into());
            prop_assert!(found == expected, "row {} with mode {}: {:?}", row, mode, found);
        }
    }
    Ok(())
}

#[test]
fn rows_drawn() {
    let entry = || (0..FR.edges().len(), 0..FR.edges().len());
    let row = prop_oneof![8 => vec(entry(), 0..4), 1 => vec(entry(), 4..80)];
    fuzz::batches(file!(), OneIn(2), (row, 1usize..9), |grid, rows| {
        let piece = rows.first().map_or(1, |(_, piece)| *piece);
        let rows: Vec<Row> = rows.iter().map(|(row, _)| row.clone()).collect();
        check_rows(grid, &rows, piece)
    });
}

/// Rows just as long as a piece, one entry longer or shorter; a row of more parts than a warp has lanes.
#[test]
fn rows_cut_at_the_edges() {
    let entries = FR.edges().len();
    let row =
        |length: usize| -> Row { (0..length).map(|i| (i % entries, i / 3 % entries)).collect() };
    for lengths in [&[4][..], &[3, 4, 5, 8, 9, 0, 1], &[5], &[0, 131, 2], &[300, 5, 128], &[]] {
        let rows: Vec<Row> = lengths.iter().map(|length| row(*length)).collect();
        for grid in [Grid::covering(64), Grid { blocks: 2, threads: 3 }] {
            check_rows(grid, &rows, 4).unwrap_or_else(|error| panic!("{lengths:?}: {error}"));
        }
    }
}

fn check_pointwise(grid: Grid, rows: &[(Words, Words)]) -> Result<(), TestCaseError> {
    let (values, others): (Vec<_>, Vec<_>) = rows.iter().cloned().unzip();
    type Expected = fn(&Words, &Words) -> Words;
    let kernels: [(&str, Expected); 2] = [
        ("groth16_multiply", |a, b| FR.to_words(&FR.mul(&FR.element(a), &FR.element(b)))),
        ("groth16_subtract", |a, b| FR.to_words(&FR.sub(&FR.element(a), &FR.element(b)))),
    ];
    for (name, expected) in kernels {
        let memory = Memory::new();
        let (out, by) = (memory.upload(&flat(&values))?, memory.upload(&flat(&others))?);
        let args = [out.into(), by.into(), (rows.len() as u32).into()];
        memory.launch(&kernel(name), grid, &args)?;
        let found = memory.download(out, 8 * rows.len())?;
        for ((a, b), found) in rows.iter().zip(found.chunks(8)) {
            prop_assert_eq!(Words(found.into()), expected(a, b), "{} of {:?} and {:?}", name, a, b);
        }
        prop_assert_eq!(memory.download(by, 8 * rows.len())?, flat(&others));
    }

    // Less what the row after it has.
    let mut less = values.clone();
    less.rotate_left(rows.len().min(1));
    let memory = Memory::new();
    let (out, by) = (memory.upload(&flat(&values))?, memory.upload(&flat(&others))?);
    let behind = memory.upload(&flat(&less))?;
    let args = [out.into(), by.into(), behind.into(), (rows.len() as u32).into()];
    memory.launch(&kernel("groth16_multiply_subtract"), grid, &args)?;
    let found = memory.download(out, 8 * rows.len())?;
    for (((a, b), less), found) in rows.iter().zip(&less).zip(found.chunks(8)) {
        let product = FR.mul(&FR.element(a), &FR.element(b));
        let expected = FR.to_words(&FR.sub(&product, &FR.element(less)));
        prop_assert_eq!(Words(found.into()), expected, "of {:?}, {:?}, {:?}", a, b, less);
    }
    prop_assert_eq!(memory.download(by, 8 * rows.len())?, flat(&others));
    prop_assert_eq!(memory.download(behind, 8 * rows.len())?, flat(&less));
    Ok(())
}

#[test]
fn pointwise_at_the_edges() {
    let edges = FR.edges();
    let with = |a: &Words| edges.iter().map(|b| (a.clone(), b.clone())).collect::<Vec<_>>();
    let rows: Vec<_> = edges.iter().flat_map(with).collect();
    check_pointwise(Grid::covering(rows.len()), &rows).unwrap_or_else(|error| panic!("{error}"));
    for length in LENGTHS {
        check_pointwise(Grid::covering(length), &rows[..length.min(rows.len())])
            .unwrap_or_else(|error| panic!("of {length}: {error}"));
    }
}

#[test]
fn pointwise_drawn() {
    fuzz::batches(file!(), OneIn(1), (FR.strategy(), FR.strategy()), check_pointwise);
}

#[test]
fn gathered() {
    let wires = 40;
    let row = (0..wires).prop_map(|wire| wire as u32);
    fuzz::batches(file!(), OneIn(2), row, |grid, list| {
        let memory = Memory::new();
        let values: Vec<u32> = (0..8 * wires as u32).collect();
        let out = memory.uninitialised(8 * list.len())?;
        let (from, places) = (memory.upload(&values)?, memory.upload(list)?);
        let args = [out.into(), from.into(), places.into(), (list.len() as u32).into()];
        memory.launch(&kernel("groth16_gather"), grid, &args)?;
        let expected: Vec<u32> = list.iter().flat_map(|wire| 8 * wire..8 * wire + 8).collect();
        prop_assert_eq!(memory.download(out, 8 * list.len())?, expected);
        Ok(())
    });
}
