//! Proofs of a synthesis by their definition: polynomials by O(n²) sums, and products of points one by one.

use blstrs::Scalar;
use ff::Field as _;
use group::{Curve, Group};
use warpfield::circuit::R1cs;
use warpfield::curve::{CurveGroup, G1, G2, PointSlice};
use warpfield::groth16::synthesis::VectorKey;
use warpfield::groth16::{Blinding, Proof};

/// The coefficients of the polynomial below degree n that has these values at the powers of blstrs' root of
/// unity of order n.
fn interpolate(values: &[Scalar]) -> Vec<Scalar> {
    let n = values.len() as u64;
    // A root of order 2³², squared until it is one of order n.
    let mut root = <Scalar as ff::PrimeField>::ROOT_OF_UNITY;
    for _ in n.ilog2()..<Scalar as ff::PrimeField>::S {
        root = root.square();
    }
    let inverse = root.invert().unwrap();
    let coefficient = |i: u64| -> Scalar {
        let terms = values.iter().zip(0..n).map(|(value, j)| value * inverse.pow([i * j % n]));
        terms.sum::<Scalar>() * Scalar::from(n).invert().unwrap()
    };
    (0..n).map(coefficient).collect()
}

/// The coefficients of (a·b − c)/(Xⁿ − 1), of the rows' values.
fn quotient([a, b, c]: [Vec<Scalar>; 3]) -> Vec<Scalar> {
    let n = a.len();
    let [a, b, c] = [a, b, c].map(|values| interpolate(&values));
    let mut product = vec![Scalar::ZERO; 2 * n];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            product[i + j] += a * b;
        }
    }
    for (of_product, c) in product.iter_mut().zip(c) {
        *of_product -= c;
    }
    let h = product[n..].to_vec();
    // What is divided is h·Xⁿ − h.
    assert!(h.iter().zip(&product).all(|(high, low)| *high == -low), "no multiple of Z");
    assert_eq!(h[n - 1], Scalar::ZERO);
    h
}

/// Σ scalarᵢ·pointᵢ, of as many of both.
fn sum<G: CurveGroup>(points: &[u8], scalars: &[Scalar]) -> G::Projective {
    let points = PointSlice::<G>::new(points).unwrap();
    assert_eq!(points.len(), scalars.len());
    let products = points.iter().zip(scalars).map(|(point, x)| G::to_projective(&point) * x);
    products.fold(G::Projective::identity(), |sum, product| sum + product)
}

/// The proof that a witness satisfies a circuit: bellman's formulas.
pub fn prove(key: &VectorKey, circuit: &R1cs, witness: &[Scalar], [r, s]: [Scalar; 2]) -> Proof {
    let (parts, shape) = (key.parts(), key.shape());
    let n = shape.rows.next_power_of_two();
    let inputs = shape.inputs;
    let values = |matrix: &warpfield::circuit::Matrix, behind: &[Scalar]| {
        let terms = |row: &[(u32, Scalar)]| -> Scalar {
            row.iter().map(|(wire, factor)| witness[*wire as usize] * factor).sum()
        };
        let mut values: Vec<Scalar> = matrix.rows().map(terms).collect();
        values.extend(behind);
        values.resize(n, Scalar::ZERO);
        values
    };
    let rows =
        [values(&circuit.a, &witness[..inputs]), values(&circuit.b, &[]), values(&circuit.c, &[])];
    let of = |variables: &[u32]| -> Vec<Scalar> {
        variables.iter().map(|variable| witness[*variable as usize]).collect()
    };
    let (in_a, in_b) = (of(&shape.a), of(&shape.b));
    let vk = key.verifying_key();
    let a = sum::<G1>(&parts.a, &in_a) + vk.alpha_g1 + parts.delta_g1 * r;
    let b1 = sum::<G1>(&parts.b_g1, &in_b) + parts.beta_g1 + parts.delta_g1 * s;
    let b = sum::<G2>(&parts.b_g2, &in_b) + vk.beta_g2 + vk.delta_g2 * s;
    let l = sum::<G1>(&parts.l, &witness[inputs..]);
    let h = sum::<G1>(&parts.h, &quotient(rows)[..n - 1]);
    let c = l + h + a * s + b1 * r - parts.delta_g1 * (r * s);
    Proof { a: a.to_affine(), b: b.to_affine(), c: c.to_affine() }
}

/// What [`prove`] blinds with.
pub fn blinding([r, s]: [Scalar; 2]) -> Blinding {
    Blinding::fixed(r, s)
}
