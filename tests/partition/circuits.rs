//! Circuits at the edges.

use blstrs::Scalar;
use ff::Field as _;
use warpfield::circuit::{
    Builder, LinearCombination, R1cs, Wire, WitnessValues, merkle_membership,
};
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, wtns};

use crate::files::Sample;
use crate::support::{Input, Machine, check, check_input, expected};

#[test]
fn public_signals_and_domains_at_their_edges() {
    for (public, rows, values) in [
        (0, 16, WitnessValues::FullWidth),
        (1, 17, WitnessValues::Boolean),
        (63, 128, WitnessValues::FullWidth),
        (64, 128, WitnessValues::Boolean),
        (65, 129, WitnessValues::FullWidth),
    ] {
        // Rows of the domain: constraints, public signals and the constant.
        let sample = Sample::synthetic(rows - public - 1, public, values);
        let input = Input::of(&sample);
        assert_eq!(1 << input.key.log_domain(), rows.next_power_of_two());
        check_input(&input);
    }
}

#[test]
fn circuits_without_private_wires_or_without_b() {
    // x·x = y, both public.
    let mut builder = Builder::default();
    let y = builder.public_output();
    let x = builder.public_input(Scalar::from(5));
    builder.enforce(x, x, y);
    let (circuit, mut values) = builder.finish();
    values[1] = Scalar::from(25);
    check(&Sample::of(&circuit, &values));

    // x·0 = 0: the matrix B is empty, so every point of B is infinity.
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(5));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    let (circuit, values) = builder.finish();
    check(&Sample::of(&circuit, &values));

    // No constraint at all, and the smallest domain.
    let (circuit, values) = Builder::default().finish();
    check(&Sample::of(&circuit, &values));
}

#[test]
fn zero_coefficients_and_unused_wires() {
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(6));
    let y = builder.wire(Scalar::from(7));
    let _unused = builder.wire(Scalar::from(8));
    let left = LinearCombination::from(x) + LinearCombination::from(y) * Scalar::ZERO;
    builder.multiply(left, y);
    let (circuit, values) = builder.finish();
    check(&Sample::of(&circuit, &values));
}

/// Σ kᵢ·xᵢ for k = 1, 2, ….
fn weighted(wires: &[Wire]) -> LinearCombination {
    let terms = wires.iter().enumerate();
    let terms = terms.map(|(i, wire)| LinearCombination::from(*wire) * Scalar::from(i as u64 + 1));
    terms.fold(LinearCombination::default(), |sum, term| sum + term)
}

/// Rows of so many entries in A and in B.
fn of_rows(rows: &[(usize, usize)]) -> (R1cs, Vec<Scalar>) {
    let mut builder = Builder::default();
    let most = rows.iter().map(|(a, b)| *a.max(b)).max().unwrap_or(0);
    let values = (0..most as u64).map(|i| Scalar::from(i).square() - Scalar::from(1000));
    let wires: Vec<Wire> = values.map(|value| builder.private_input(value)).collect();
    for &(a, b) in rows {
        builder.multiply(weighted(&wires[..a]), weighted(&wires[most - b..]));
    }
    builder.finish()
}

/// Pieces have 32 entries.
#[test]
fn rows_of_hundreds_of_entries_beside_tiny_ones() {
    for rows in [
        &[(1, 1), (300, 2), (3, 1), (1, 131), (0, 1), (2, 2)][..],
        &[(32, 33), (31, 32), (33, 64), (64, 65)],
        // The first and the last row of the domain.
        &[(40, 41), (1, 1), (41, 40)],
    ] {
        let (circuit, values) = of_rows(rows);
        check(&Sample::of(&circuit, &values));
    }
}

/// Scalars that are gathered take more room than the two vectors.
#[test]
fn many_wires_and_few_rows() {
    let (circuit, values) = of_rows(&[(40, 37)]);
    assert_eq!(circuit.log_domain(), 1);
    check(&Sample::of(&circuit, &values));
}

#[test]
fn values_around_half_neither_zero_nor_one() {
    for full in [15, 16, 17] {
        let mut builder = Builder::default();
        for index in 0..32u64 {
            let value = if index < full { -Scalar::from(1000 + index) } else { Scalar::ONE };
            let wire = builder.wire(value);
            builder.enforce(wire, wire, LinearCombination::constant(value * value));
        }
        let (circuit, values) = builder.finish();
        check(&Sample::of(&circuit, &values));
    }
}

#[test]
fn a_real_circuit() {
    let siblings: Vec<Scalar> = (0..2).map(Scalar::from).collect();
    let (circuit, values) = merkle_membership(Scalar::from(3), 2, &siblings);
    check(&Sample::of(&circuit, &values));
}

/// Of snarkjs, with 2¹⁰ rows.
#[test]
fn a_key_by_snarkjs() {
    // In the program, which may run on a machine that has a GPU and not this repository.
    let (zkey, wtns) = (
        include_bytes!("../data/mult1000/circuit.zkey"),
        include_bytes!("../data/mult1000/witness.wtns"),
    );
    let source = |name, bytes: &[u8]| Source::from_bytes(name, bytes.to_vec());
    let key = zkey::read(&source("circuit.zkey", zkey), Trust::Trusted).unwrap();
    let witness = wtns::read(&source("witness.wtns", wtns)).unwrap();
    check_input(&Input { key: key.into(), witness });
}

#[test]
fn coefficients_in_any_order() {
    let sample = Sample::synthetic(60, 2, WitnessValues::FullWidth);
    let [sorted, shuffled] = [&sample, &sample.shuffled()].map(Input::of);
    let machine = Machine::new(&shuffled.key);
    let (proof, ..) = machine.prove(&shuffled, machine.scratch()).unwrap();
    assert_eq!(proof, expected(&sorted).unwrap());
}

/// The same memory for one witness after the other.
#[test]
fn witnesses_in_a_row() {
    let mut builder = Builder::default();
    let wires: Vec<Wire> = (0..12).map(|_| builder.private_input(Scalar::ONE)).collect();
    for pair in wires.windows(2) {
        builder.multiply(pair[0], pair[1]);
    }
    let (circuit, values) = builder.finish();
    let sample = Sample::of(&circuit, &values);
    let input = Input::of(&sample);
    let machine = Machine::new(&input.key);
    let mut scratch = machine.scratch();
    for (i, first) in [Scalar::from(1 << 40), Scalar::ZERO, Scalar::ONE].into_iter().enumerate() {
        // Powers of the first, and their products.
        let mut values = vec![Scalar::ONE];
        values.extend((0..12u64).map(|power| first.pow([power + i as u64])));
        values.extend((1..12).map(|wire| values[wire] * values[wire + 1]).collect::<Vec<_>>());
        assert_eq!(circuit.first_unsatisfied(&values), None);
        let input = input.with_witness(&values);
        let (proof, _, back) = machine.prove(&input, scratch).unwrap();
        assert_eq!(proof, expected(&input).unwrap(), "witness {i}");
        scratch = back;
    }
}
