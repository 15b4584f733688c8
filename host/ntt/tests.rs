//! Against the naive transform, and against identities where that would take too long.

use blstrs::Scalar;
use ff::{Field, PrimeField};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::{domain::bit_reverse, *};

const ORDERS: [Order; 4] = [Order::NN, Order::NR, Order::RN, Order::RR];
const CONVENTIONS: [RootOfUnity; 2] = [RootOfUnity::SNARKJS, RootOfUnity::ARKWORKS];

fn scalars(count: usize, seed: u64) -> Vec<Scalar> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..count).map(|_| Scalar::random(&mut rng)).collect()
}

fn reversed_if(mut values: Vec<Scalar>, reversed: bool) -> Vec<Scalar> {
    if reversed {
        bit_reverse(&mut values);
    }
    values
}

#[test]
fn equals_naive() {
    for log_size in 0..=8 {
        for convention in CONVENTIONS {
            let domain = Domain::new(log_size, convention).unwrap();
            let coefficients = scalars(domain.size(), u64::from(log_size));
            for shift in [Scalar::ONE, Scalar::from(7)] {
                let values = transform_naive(&coefficients, domain.root(), shift);
                for order in ORDERS {
                    let input = matches!(order, Order::RN | Order::RR);
                    let output = matches!(order, Order::NR | Order::RR);
                    let mut got = reversed_if(coefficients.clone(), input);
                    domain.coset_transform(&mut got, shift, Direction::Forward, order);
                    assert_eq!(got, reversed_if(values.clone(), output), "{log_size} {order:?}");

                    let mut got = reversed_if(values.clone(), input);
                    domain.coset_transform(&mut got, shift, Direction::Inverse, order);
                    assert_eq!(got, reversed_if(coefficients.clone(), output));
                }
            }
        }
    }
}

#[test]
fn odd_coset_equals_naive() {
    for log_size in 0..=8 {
        for convention in CONVENTIONS {
            let domain = Domain::new(log_size, convention).unwrap();
            let coefficients = scalars(domain.size(), 9);
            let odd_root = domain.odd_root().unwrap();
            assert_eq!(odd_root.square(), domain.root());
            let mut values = transform_naive(&coefficients, domain.root(), Scalar::ONE);
            domain.to_odd_coset(&mut values).unwrap();
            assert_eq!(values, transform_naive(&coefficients, domain.root(), odd_root));
        }
    }
}

#[test]
fn forward_then_inverse_is_identity() {
    for log_size in 9..=14 {
        let domain = Domain::new(log_size, RootOfUnity::SNARKJS).unwrap();
        let coefficients = scalars(domain.size(), 3);
        let shift = domain.odd_root().unwrap();
        for order in [Order::NN, Order::RR] {
            let mut values = coefficients.clone();
            domain.coset_transform(&mut values, shift, Direction::Forward, order);
            domain.coset_transform(&mut values, shift, Direction::Inverse, order);
            assert_eq!(values, coefficients);
        }
        let mut values = coefficients.clone();
        domain.coset_transform(&mut values, shift, Direction::Forward, Order::NR);
        domain.coset_transform(&mut values, shift, Direction::Inverse, Order::RN);
        assert_eq!(values, coefficients);
        domain.coset_transform(&mut values, shift, Direction::Forward, Order::NN);
        let mut other = coefficients.clone();
        domain.transform(&mut other, Direction::Forward, Order::NN);
        domain.to_odd_coset(&mut other).unwrap();
        assert_eq!(values, other);
    }
}

#[test]
fn large_transforms_have_the_values_of_the_polynomial() {
    let domain = Domain::new(14, RootOfUnity::SNARKJS).unwrap();
    let coefficients = scalars(domain.size(), 4);
    let mut values = coefficients.clone();
    domain.transform(&mut values, Direction::Forward, Order::NN);
    for index in [0, 1, 2, 4095, 4096, 8191, 16383] {
        let point = domain.root().pow([index as u64]);
        let value = coefficients.iter().rev().fold(Scalar::ZERO, |sum, c| sum * point + c);
        assert_eq!(values[index], value);
    }
}

#[test]
fn is_linear() {
    let domain = Domain::new(12, RootOfUnity::ARKWORKS).unwrap();
    let (a, b, factor) = (scalars(4096, 5), scalars(4096, 6), Scalar::from(11));
    let sum: Vec<Scalar> = a.iter().zip(&b).map(|(a, b)| a * factor + b).collect();
    let transformed = [a, b, sum].map(|mut values| {
        domain.transform(&mut values, Direction::Forward, Order::NR);
        values
    });
    for ((a, b), sum) in transformed[0].iter().zip(&transformed[1]).zip(&transformed[2]) {
        assert_eq!(a * factor + b, *sum);
    }
}

#[test]
fn roots_have_their_order_and_differ() {
    for convention in CONVENTIONS {
        let root = convention.of_order(MAX_LOG_SIZE);
        assert_eq!(root.pow([1 << 31]), -Scalar::ONE);
    }
    let [snarkjs, arkworks] = CONVENTIONS;
    assert_eq!(arkworks.of_order(MAX_LOG_SIZE), Scalar::ROOT_OF_UNITY);
    assert_eq!(snarkjs.of_order(1), arkworks.of_order(1));
    assert_ne!(snarkjs.of_order(3), arkworks.of_order(3));
}

#[test]
fn sizes_beyond_the_field_are_refused() {
    let error = Domain::new(33, RootOfUnity::SNARKJS).unwrap_err();
    assert_eq!(error, DomainTooLarge { log_size: 33 });
}
