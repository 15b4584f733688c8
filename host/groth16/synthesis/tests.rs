use blstrs::Scalar;
use ff::Field as _;
use rand_core::SeedableRng;

use super::*;
use crate::circuit::{Builder, LinearCombination, WitnessValues, synthetic};
use crate::groth16::ToxicWaste;

fn rng() -> rand_chacha::ChaCha8Rng {
    rand_chacha::ChaCha8Rng::seed_from_u64(5)
}

fn buffers(shape: &Shape) -> Synthesis<Vec<Scalar>> {
    // Nothing of what was there before may stay.
    Synthesis::from(shape.lengths().map(|len| vec![-Scalar::ONE; len]))
}

/// Of more rows than one task computes, too.
#[test]
fn filled_row_by_row() {
    for (constraints, public) in [(1, 0), (20, 3), (2 * TASK + 1, 64)] {
        let values = WitnessValues::FullWidth;
        let (circuit, witness) = synthetic(constraints, public, values, &mut rng());
        let shape = Shape::of(&circuit).unwrap();
        assert_eq!((shape.rows, shape.inputs), (constraints + public + 1, public + 1));
        let mut synthesis = buffers(&shape);
        synthesis.fill(&circuit, &witness).unwrap();
        let Synthesis { a, b, c, inputs, auxiliary } = &synthesis;
        assert_eq!([&inputs[..], auxiliary].concat(), witness);
        for (values, matrix) in [(a, &circuit.a), (b, &circuit.b), (c, &circuit.c)] {
            for (row, value) in matrix.rows().zip(values) {
                let mut sum = Scalar::ZERO;
                for (wire, coefficient) in row {
                    sum += witness[*wire as usize] * coefficient;
                }
                assert_eq!(*value, sum);
            }
        }
        assert_eq!(a[constraints..], witness[..=public]);
        assert!(
            [b, c].into_iter().all(|rows| rows[constraints..].iter().all(|v| *v == Scalar::ZERO))
        );
    }
}

#[test]
fn of_other_lengths() {
    let (circuit, witness) = synthetic(5, 1, WitnessValues::FullWidth, &mut rng());
    let shape = Shape::of(&circuit).unwrap();
    let error = buffers(&shape).fill(&circuit, &witness[1..]).unwrap_err();
    assert!(matches!(error, Error::WitnessLength { .. }), "{error}");
    for (i, what) in NAMES.into_iter().enumerate() {
        let mut other = buffers(&shape).into_array();
        other[i].push(Scalar::ONE);
        let text = Synthesis::from(other).fill(&circuit, &witness).unwrap_err().to_string();
        let expected = shape.lengths()[i];
        let found = expected + 1;
        assert!(
            text.starts_with(&format!("the synthesis has {found} values of {what},")),
            "{text}"
        );
        assert!(text.contains(&format!("circuit has {expected};")), "{text}");
    }
}

#[test]
fn shapes_of_densities() {
    let shape = |a: &[bool], inputs: &[bool], b: &[bool]| {
        let own = |density: &[bool]| density.to_vec();
        Shape::with_densities(3, own(a), own(inputs), own(b))
    };
    let found = shape(&[false, true, true], &[true, false], &[true, false, true]).unwrap();
    let expected =
        Shape { rows: 5, inputs: 2, auxiliary: 3, a: vec![0, 1, 3, 4], b: vec![0, 2, 4] };
    assert_eq!(found, expected);
    assert_eq!((found.variables(), found.log_domain()), (5, 3));
    let text = shape(&[true], &[true], &[]).unwrap_err().to_string();
    assert!(text.contains("densities of 1 auxiliary variables in A, 0 in B"), "{text}");
}

#[test]
fn domains_of_as_many_rows_and_one_more() {
    for (rows, log_domain) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (1 << 27, 27)] {
        let shape = Shape { rows, inputs: 1, auxiliary: 0, a: vec![0], b: vec![] };
        assert_eq!(shape.log_domain(), log_domain, "{rows}");
    }
}

/// Coefficients of zero leave a variable out.
#[test]
fn shapes_of_circuits() {
    let mut builder = Builder::default();
    let x = builder.public_input(Scalar::from(2));
    let y = builder.private_input(Scalar::from(3));
    let z = builder.private_input(Scalar::from(6));
    let right = LinearCombination::from(y) + LinearCombination::from(x) * Scalar::ZERO;
    builder.enforce(LinearCombination::from(x), right, LinearCombination::from(z));
    let (circuit, _) = builder.finish();
    let shape = Shape::of(&circuit).unwrap();
    assert_eq!((&shape.a[..], &shape.b[..]), (&[0, 1][..], &[2][..]));
}

type Change = &'static dyn Fn(&mut VectorKeyParts);

#[test]
fn parts_that_do_not_agree() {
    let (circuit, _) = synthetic(5, 1, WitnessValues::FullWidth, &mut rng());
    let waste = ToxicWaste::random(&mut rng()).unwrap();
    let parts = || {
        let key = setup(&circuit, &waste).unwrap();
        let VectorKeyParts { shape, vk, beta_g1, delta_g1, h, l, a, b_g1, b_g2 } = key.parts();
        let [h, l, a, b_g1, b_g2] = [h, l, a, b_g1, b_g2].map(|points| points.clone());
        let (shape, vk, beta_g1, delta_g1) = (shape.clone(), vk.clone(), *beta_g1, *delta_g1);
        VectorKeyParts { shape, vk, beta_g1, delta_g1, h, l, a, b_g1, b_g2 }
    };
    let error = |change: &dyn Fn(&mut VectorKeyParts)| {
        let mut parts = parts();
        change(&mut parts);
        VectorKey::new(parts).err().map_or_else(String::new, |error| error.to_string())
    };
    assert_eq!(error(&|_| ()), "");
    // Eight rows: five constraints, an input, the constant, and one that is not used.
    assert_eq!(
        error(&|parts| parts.h.truncate(6 * 96)),
        "the key's parts do not agree: H has 6 points, and the circuit takes 7; are they of one circuit?"
    );
    let grown: [(&str, Change); 6] = [
        ("IC has 3 points", &|parts| parts.vk.ic.push(parts.beta_g1)),
        ("H has 8 points", &|parts| parts.h.extend([0; 96])),
        ("L has 8 points", &|parts| parts.l.extend([0; 96])),
        ("A has", &|parts| parts.a.extend([0; 1])),
        ("B in G1 has", &|parts| parts.b_g1.truncate(96)),
        ("B in G2 has", &|parts| parts.b_g2.extend([0; 96])),
    ];
    let shapes: [(&str, Change); 6] = [
        ("0 inputs", &|parts| parts.shape.inputs = 0),
        ("2 inputs, the constant among them, in 1 rows", &|parts| parts.shape.rows = 1),
        ("the variables of A are not in order", &|parts| parts.shape.a.swap(0, 2)),
        ("the variables of B are not in order", &|parts| parts.shape.b[1] = parts.shape.b[0]),
        ("9 variables, and in B there is one of number 9", &|parts| parts.shape.b.push(9)),
        ("an input that is not in A", &|parts| {
            parts.shape.a.remove(1);
        }),
    ];
    for (text, change) in grown.into_iter().chain(shapes) {
        let found = error(change);
        assert!(found.contains(text), "{text}: {found}");
    }
}

#[test]
fn bytes_of_a_key() {
    let (circuit, _) = synthetic(5, 1, WitnessValues::FullWidth, &mut rng());
    let key = setup(&circuit, &ToxicWaste::random(&mut rng()).unwrap()).unwrap();
    let Shape { auxiliary, a, b, .. } = key.shape();
    assert_eq!(key.size_bytes(), 96 * (7 + auxiliary + a.len() + 3 * b.len()));
}
