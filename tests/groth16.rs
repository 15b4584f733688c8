//! The prover on circuits at the edges: every proof is checked by pairing.

mod support;

use std::sync::Arc;

use blstrs::Scalar;
use ff::Field;
use support::*;
use warpfield::circuit::{
    Builder, LinearCombination, R1cs, Shape, WitnessValues, merkle_membership, synthetic,
};
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, wtns};
use warpfield::groth16::{
    Blinding, Error, KeyParts, Proof, Prover, ToxicWaste, Witness, setup, verify, verify_batch,
};

fn prover(zkey: &[u8]) -> Prover {
    let source = Source::from_bytes("key.zkey", zkey.to_vec());
    Prover::new(Arc::new(zkey::read(&source, Trust::Trusted).unwrap())).unwrap()
}

fn witness(sample: &Sample) -> Witness {
    wtns::read(&Source::from_bytes("w.wtns", sample.wtns.clone())).unwrap()
}

/// Proves, and verifies once more with the same and with other public signals.
#[track_caller]
fn prove_and_verify(sample: &Sample, blinding: Blinding) -> (Vec<Scalar>, Proof) {
    let (prover, witness) = (prover(&sample.zkey), witness(sample));
    let proof = prover.prove(&witness, blinding).unwrap();
    let vk = prover.key().verifying_key();
    let mut signals = witness.public_signals(vk.n_public());
    assert!(verify(vk, &signals, &proof).unwrap());
    for index in 0..signals.len().min(3) {
        signals[index] += Scalar::ONE;
        assert!(!verify(vk, &signals, &proof).unwrap(), "signal {index} changed");
        signals[index] -= Scalar::ONE;
    }
    assert_eq!(Proof::from_compressed(&proof.to_compressed()), Some(proof));
    (signals, proof)
}

fn random() -> Blinding {
    Blinding::random(&mut rng(9)).unwrap()
}

#[test]
fn public_signals_and_domains_at_their_edges() {
    for public in [0usize, 1, 63, 64, 65] {
        // Rows of the domain: constraints, public signals and the constant.
        for rows in [128, 129] {
            for values in [WitnessValues::FullWidth, WitnessValues::Boolean] {
                let constraints = rows - public - 1;
                let sample = Sample::synthetic(constraints, public, values);
                let log_domain = prover(&sample.zkey).key().log_domain();
                assert_eq!(log_domain, if rows == 128 { 7 } else { 8 });
                prove_and_verify(&sample, random());
            }
        }
    }
}

#[test]
fn blinding_of_zero() {
    let sample = Sample::synthetic(20, 1, WitnessValues::FullWidth);
    let zeros = || Blinding::fixed(Scalar::ZERO, Scalar::ZERO);
    let (_, first) = prove_and_verify(&sample, zeros());
    let (_, second) = prove_and_verify(&sample, zeros());
    assert_eq!(first, second);
    let (_, blinded) = prove_and_verify(&sample, random());
    assert!(first.a != blinded.a && first.b != blinded.b && first.c != blinded.c);
    prove_and_verify(&sample, Blinding::fixed(Scalar::ONE, Scalar::ZERO));
    prove_and_verify(&sample, Blinding::fixed(Scalar::ZERO, -Scalar::ONE));
}

#[test]
fn circuits_without_private_wires_or_without_b() {
    // x·x = y, both public.
    let mut builder = Builder::default();
    let y = builder.public_output();
    let x = builder.public_input(Scalar::from(5));
    let square = LinearCombination::from(x);
    builder.enforce(square.clone(), square, y);
    let (circuit, mut values) = builder.finish();
    values[1] = Scalar::from(25);
    prove_and_verify(&Sample::of(&circuit, &values), random());

    // x·0 = 0: the matrix B is empty, so every point of B is infinity.
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(5));
    builder.enforce(x, LinearCombination::default(), LinearCombination::default());
    let (circuit, values) = builder.finish();
    let sample = Sample::of(&circuit, &values);
    prove_and_verify(&sample, random());
    prove_and_verify(&sample, Blinding::fixed(Scalar::ZERO, Scalar::ZERO));

    // No constraint at all.
    let (circuit, values) = Builder::default().finish();
    prove_and_verify(&Sample::of(&circuit, &values), random());
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
    prove_and_verify(&Sample::of(&circuit, &values), random());
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
        prove_and_verify(&Sample::of(&circuit, &values), random());
    }
}

#[test]
fn values_of_some_bits_and_matrices_of_some_wires() {
    for bits_percent in [0, 40, 100] {
        let values = WitnessValues::Mixed { bits_percent };
        prove_and_verify(&Sample::synthetic(90, 3, values), random());
    }
    let shape = Shape { public_inputs: 3, ..Shape::porep32(1e-5) };
    let (circuit, values) = shape.circuit(&mut rng(7));
    prove_and_verify(&Sample::of(&circuit, &values), random());
}

#[test]
fn a_real_circuit() {
    let siblings: Vec<Scalar> = (0..4).map(Scalar::from).collect();
    let (circuit, values) = merkle_membership(Scalar::from(3), 5, &siblings);
    let (signals, _) = prove_and_verify(&Sample::of(&circuit, &values), random());
    assert_eq!(signals, [values[1]]);
}

#[test]
fn coefficients_in_any_order() {
    let sample = Sample::synthetic(300, 2, WitnessValues::FullWidth);
    let shuffled = sample.shuffled();
    let fixed = || Blinding::fixed(Scalar::from(3), Scalar::from(4));
    let expected = prover(&sample.zkey).prove(&witness(&sample), fixed()).unwrap();
    assert_eq!(prover(&shuffled.zkey).prove(&witness(&sample), fixed()).unwrap(), expected);
}

#[test]
fn the_same_proof_on_any_number_of_threads() {
    let sample = Sample::synthetic(1000, 1, WitnessValues::FullWidth);
    let (prover, witness) = (prover(&sample.zkey), witness(&sample));
    let prove = || {
        let blinding = Blinding::fixed(Scalar::from(3), Scalar::from(4));
        prover.prove(&witness, blinding).unwrap()
    };
    let expected = prove();
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(prove), expected, "{threads} threads");
    }
}

#[test]
fn a_witness_that_does_not_satisfy() {
    let sample = Sample::synthetic(50, 1, WitnessValues::FullWidth);
    let prover = prover(&sample.zkey);
    let values = section(&sample.wtns, 2);
    for wire in [1, 2, 20, 53] {
        let bytes = patched(&sample.wtns, values + 32 * wire, &[0xa5; 8]);
        let witness = wtns::read(&Source::from_bytes("w.wtns", bytes)).unwrap();
        let error = prover.prove(&witness, random()).unwrap_err();
        assert!(matches!(error, Error::Unsatisfied), "{error}");
    }
    let other = Witness::from_scalars(&[Scalar::ONE; 7]);
    let error = prover.prove(&other, random()).unwrap_err();
    assert!(matches!(error, Error::WitnessLength { found: 7, expected: 54 }), "{error}");
}

#[test]
fn many_tiny_circuits_in_a_row() {
    let mut rng = rng(3);
    for constraints in 1..40 {
        let values = WitnessValues::FullWidth;
        let (circuit, values): (R1cs, _) =
            synthetic(constraints, constraints % 3, values, &mut rng);
        prove_and_verify(&Sample::of(&circuit, &values), random());
    }
}

#[test]
fn two_circuits_at_once() {
    let samples = [(300, 1), (200, 3)].map(|(constraints, public)| {
        Sample::synthetic(constraints, public, WitnessValues::FullWidth)
    });
    let provers = samples.each_ref().map(|sample| prover(&sample.zkey));
    let witnesses = samples.each_ref().map(witness);
    let fixed = || Blinding::fixed(Scalar::from(3), Scalar::from(4));
    let prove = |i: usize| provers[i].prove(&witnesses[i], fixed()).unwrap();
    let alone = (prove(0), prove(1));
    for _ in 0..20 {
        assert_eq!(rayon::join(|| prove(0), || prove(1)), alone);
    }
}

#[test]
fn compressed_forms_that_are_none() {
    let sample = Sample::synthetic(5, 0, WitnessValues::FullWidth);
    let (_, proof) = prove_and_verify(&sample, random());
    let good = proof.to_compressed();
    assert_eq!(Proof::from_compressed(&[0; 192]), None);
    assert_eq!(Proof::from_compressed(&[0xff; 192]), None);
    for start in [0, 48, 144] {
        let mut bad = good;
        bad[start] &= 0x7f; // not marked as compressed
        assert_eq!(Proof::from_compressed(&bad), None, "{start}");
        let mut bad = good;
        bad[start..start + 48].fill(0xff); // x not below p
        assert_eq!(Proof::from_compressed(&bad), None, "{start}");
    }
}

#[test]
fn batches() {
    let sample = Sample::synthetic(20, 2, WitnessValues::FullWidth);
    let prover = prover(&sample.zkey);
    let vk = prover.key().verifying_key();
    let witness = witness(&sample);
    let signals = witness.public_signals(2);
    let good: Vec<_> = (0..5)
        .map(|seed| {
            let blinding = Blinding::random(&mut rng(seed)).unwrap();
            (signals.clone(), prover.prove(&witness, blinding).unwrap())
        })
        .collect();
    assert!(verify_batch(vk, &[], &mut rng(0)).unwrap());
    assert!(verify_batch(vk, &good[..1], &mut rng(0)).unwrap());
    assert!(verify_batch(vk, &good, &mut rng(0)).unwrap());
    for index in 0..5 {
        let mut bad = good.clone();
        bad[index].0[1] += Scalar::ONE;
        assert!(!verify_batch(vk, &bad, &mut rng(0)).unwrap(), "signals of {index}");
        let mut bad = good.clone();
        bad[index].1.c = good[(index + 1) % 5].1.c;
        assert!(!verify_batch(vk, &bad, &mut rng(0)).unwrap(), "proof {index}");
    }
    // Two faults that cancel without the random factors.
    let mut bad = good.clone();
    bad[0].0[0] += Scalar::ONE;
    bad[1].0[0] -= Scalar::ONE;
    assert!(!verify_batch(vk, &bad, &mut rng(0)).unwrap());
    let short = [(vec![Scalar::ONE], good[0].1)];
    let error = verify_batch(vk, &short, &mut rng(0)).unwrap_err();
    assert!(matches!(error, Error::PublicSignals { found: 1, expected: 2 }), "{error}");
}

/// The parts of a small key, and a witness for it.
fn parts() -> (KeyParts, Witness) {
    let (circuit, values) = synthetic(20, 2, WitnessValues::FullWidth, &mut rng(1));
    let parts = setup(&circuit, &ToxicWaste::random(&mut rng(2)).unwrap()).unwrap();
    (parts, Witness::from_scalars(&values))
}

#[test]
fn a_key_without_a_file_is_the_file_s() {
    let (parts, witness) = parts();
    let mut file = vec![];
    zkey::write(&parts, &mut file).unwrap();
    let expected = prover(&file);
    let made = Prover::new(Arc::new(parts.into_key().unwrap())).unwrap();
    assert_eq!(made.key().verifying_key(), expected.key().verifying_key());
    for (found, file) in [
        (made.key().n_wires(), expected.key().n_wires()),
        (made.key().n_public(), expected.key().n_public()),
        (made.key().log_domain() as usize, expected.key().log_domain() as usize),
        // All but headers, IC and contributions: 25 wires, 22 of them private, and 32 rows.
        (made.key().size_bytes(), 83 * 44 + 25 * (96 + 96 + 192) + 22 * 96 + 32 * 96),
    ] {
        assert_eq!(found, file);
    }
    let prove = |prover: &Prover| {
        prover.prove(&witness, Blinding::fixed(Scalar::from(3), Scalar::from(4))).unwrap()
    };
    assert_eq!(prove(&made), prove(&expected));
}

#[test]
fn parts_of_a_key_that_do_not_fit() {
    let (good, _) = parts();
    type Change = fn(&mut KeyParts);
    let changes: &[(Change, &str)] = &[
        (|parts| parts.n_wires += 1, "A has 2400 bytes, not 26 points"),
        (|parts| parts.n_wires = 1 << 31, "2^31 are too many"),
        (|parts| parts.log_domain = 31, "2^31 are too many"),
        (|parts| parts.log_domain = 4, "H has"),
        (|parts| parts.log_domain = 1, "in 25 wires and 2 rows"),
        (|parts| parts.n_wires = 2, "in 2 wires"),
        (|parts| parts.vk.ic.clear(), "0 points for the constant"),
        (|parts| parts.vk.ic.truncate(2), "C has"),
        (|parts| parts.a.truncate(7), "A has"),
        (|parts| parts.b1.truncate(24 * 96), "B1 has"),
        (|parts| parts.b2.push(0), "B2 has"),
        (|parts| parts.c.extend([0; 96]), "C has"),
        (|parts| parts.h.truncate(96), "H has"),
        (|parts| parts.coefficients.truncate(87), "no coefficients of 44"),
        (|parts| parts.coefficients[88] = 2, "coefficient 2: the matrix is 2, not below 2"),
        (|parts| parts.coefficients[4] = 32, "coefficient 0: the constraint is 32, not below 32"),
        (|parts| parts.coefficients[44 + 8] = 25, "coefficient 1: the wire is 25, not below 25"),
        (|parts| parts.coefficients[12..44].fill(0xff), "coefficient 0: the value"),
    ];
    for (change, message) in changes {
        let mut parts = good.clone();
        change(&mut parts);
        let error = parts.into_key().map(drop).unwrap_err();
        assert!(matches!(error, Error::KeyParts(_)));
        assert!(error.to_string().contains(message), "{error}; not: {message}");
    }
    good.into_key().unwrap();
}
