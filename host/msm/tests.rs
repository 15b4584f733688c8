//! Against the naive sum.

use blstrs::Scalar;
use ff::{Field, PrimeField};
use group::Group;
use proptest::prelude::*;

use super::*;
use crate::curve::{AffinePoint, G1, G2, testing, write_points};

/// Lengths around what the algorithms split by.
fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        prop::sample::select(vec![0, 1, 2, 11, 12, 13, 31, 32, 33, 191, 192, 193, 237, 512, 513]),
        (0..11u32, 0..3usize).prop_map(|(k, off)| (1usize << k) + off - 1),
        0..700usize,
    ]
}

/// Scalars, two of them at the ends of the range or of a carry.
fn scalar() -> impl Strategy<Value = [u8; 32]> {
    let edges = vec![
        Scalar::ZERO,
        Scalar::ONE,
        Scalar::from(2),
        -Scalar::ONE,
        -Scalar::from(2),
        Scalar::TWO_INV,
        -Scalar::TWO_INV,
        Scalar::TWO_INV - Scalar::ONE,
    ];
    prop_oneof![
        2 => prop::sample::select(edges).prop_map(|scalar| scalar.to_repr()),
        2 => (0..255u32).prop_map(|bit| Scalar::from(2).pow([u64::from(bit)]).to_repr()),
        1 => (0..65536u32).prop_map(|small| Scalar::from(u64::from(small)).to_repr()),
        1 => Just([0xff; 32]),
        4 => any::<[u8; 32]>(),
    ]
}

#[derive(Clone, Debug)]
enum Pattern {
    Any,
    Equal([u8; 32]),
    /// One in a hundred is random, the others are this.
    Mostly([u8; 32]),
    Two([u8; 32], [u8; 32]),
}

fn pattern() -> impl Strategy<Value = Pattern> {
    prop_oneof![
        Just(Pattern::Any),
        scalar().prop_map(Pattern::Equal),
        scalar().prop_map(Pattern::Mostly),
        (scalar(), scalar()).prop_map(|(a, b)| Pattern::Two(a, b)),
    ]
}

fn scalars(length: usize, pattern: Pattern) -> impl Strategy<Value = Vec<[u8; 32]>> {
    let one = (scalar(), 0..100u32).prop_map(move |(scalar, chance)| match pattern {
        Pattern::Any => scalar,
        Pattern::Equal(value) => value,
        Pattern::Mostly(value) => {
            if chance == 0 {
                scalar
            } else {
                value
            }
        }
        Pattern::Two(a, b) => {
            if chance < 50 {
                a
            } else {
                b
            }
        }
    });
    prop::collection::vec(one, length)
}

/// What the bases are besides different points.
#[derive(Clone, Copy, Debug)]
enum Bases {
    Different,
    SomeInfinity,
    AllInfinity,
    Repeated,
    OneAndItsInverse,
}

fn bases<G: CurveGroup>(length: usize, kind: Bases) -> Vec<G::Affine> {
    let mut points = testing::points::<G>(length, length as u64);
    for at in 0..length {
        match kind {
            Bases::Different => {}
            Bases::SomeInfinity if at % 3 != 0 => {}
            Bases::SomeInfinity | Bases::AllInfinity => points[at] = G::Affine::default(),
            Bases::Repeated => points[at] = points[at % 3],
            Bases::OneAndItsInverse => points[at] = points[0].negate_if(at % 2 == 1),
        }
    }
    points
}

fn case() -> impl Strategy<Value = (Vec<[u8; 32]>, Bases, usize)> {
    let kind = prop::sample::select(vec![
        Bases::Different,
        Bases::SomeInfinity,
        Bases::AllInfinity,
        Bases::Repeated,
        Bases::OneAndItsInverse,
    ]);
    let scalars = (lengths(), pattern()).prop_flat_map(|(n, pattern)| scalars(n, pattern));
    (scalars, kind, 0..8usize)
}

/// `bytes` behind `offset` others.
fn shifted(bytes: &[u8], offset: usize) -> Vec<u8> {
    let mut shifted = vec![0xa5; offset];
    shifted.extend_from_slice(bytes);
    shifted
}

/// A naive sum that is quick for scalars that repeat: by value.
fn expected<G: CurveGroup>(bases: &[G::Affine], scalars: &[[u8; 32]]) -> G::Projective {
    let mut by_value = std::collections::HashMap::new();
    for (base, scalar) in bases.iter().zip(scalars) {
        *by_value.entry(*scalar).or_insert_with(G::Projective::identity) += G::to_projective(base);
    }
    let scalars: Vec<[u8; 32]> = by_value.keys().copied().collect();
    let slice = ScalarSlice::from(&scalars[..]);
    by_value.values().enumerate().map(|(at, sum)| *sum * slice.get_reduced(at)).sum()
}

fn check<G: CurveGroup>(scalars: &[[u8; 32]], kind: Bases, offset: usize) {
    let bases = bases::<G>(scalars.len(), kind);
    let base_bytes = shifted(&write_points::<G>(&bases), offset);
    let scalar_bytes = shifted(scalars.as_flattened(), offset);
    let got = msm::<G>(
        PointSlice::new(&base_bytes[offset..]).unwrap(),
        ScalarSlice::new(&scalar_bytes[offset..]).unwrap(),
    );
    assert_eq!(got.unwrap(), expected::<G>(&bases, scalars));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn equals_naive_g1((scalars, kind, offset) in case()) {
        check::<G1>(&scalars, kind, offset);
    }

    #[test]
    fn equals_naive_g2((scalars, kind, offset) in case()) {
        check::<G2>(&scalars, kind, offset);
    }

    #[test]
    fn digits_add_up(scalar in scalar(), bits in 2..19u32) {
        let scalar = [scalar];
        let limbs = ScalarSlice::from(&scalar[..]);
        let recoded = Recoded::of(limbs.get(0));
        let mut sum = Scalar::ZERO;
        for window in (0..window::count(recoded.bit_length(), bits)).rev() {
            sum *= Scalar::from(1 << bits);
            let digit = recoded.digit(window, bits);
            let value = Scalar::from(digit.bucket() as u64);
            prop_assert!(digit.bucket() <= 1 << (bits - 1));
            if digit.entry(0) == 0 { sum += value } else { sum -= value }
        }
        prop_assert_eq!(sum, limbs.get_reduced(0));
    }
}

#[test]
fn small_scalars() {
    for modulus in [3, 4, 255, 256, 257] {
        let scalars: Vec<[u8; 32]> =
            (0..300).map(|i| Scalar::from(i % modulus).to_repr()).collect();
        check::<G1>(&scalars, Bases::Different, 0);
    }
}

/// Enough terms for buckets that are split between tasks.
#[test]
fn long_and_skewed() {
    let minus_two = (-Scalar::from(2)).to_repr();
    let one = Scalar::ONE.to_repr();
    let mut mixed = vec![one; 20_000];
    mixed.iter_mut().step_by(3).for_each(|scalar| *scalar = minus_two);
    mixed[77] = [7; 32];
    check::<G1>(&mixed, Bases::Different, 1);
    check::<G1>(&mixed, Bases::OneAndItsInverse, 1);
    check::<G2>(&vec![minus_two; 9_000], Bases::Different, 3);
}

/// Random scalars, so many that windows are wide and buckets many. The bases are P + i·Q, so that
/// two multiplications give the sum at any length.
fn check_long<G: CurveGroup>(lengths: &[usize]) {
    let longest = *lengths.iter().max().unwrap();
    let points = testing::points::<G>(longest, 3);
    let bytes = write_points::<G>(&points);
    let (p, next) = (G::to_projective(&points[0]), G::to_projective(&points[1]));
    let mut rng = testing::rng(4);
    let scalars: Vec<Scalar> = (0..longest).map(|_| Scalar::random(&mut rng)).collect();
    let encoded: Vec<[u8; 32]> = scalars.iter().map(Scalar::to_repr).collect();
    for &length in lengths {
        let sum: Scalar = scalars[..length].iter().sum();
        let weighted: Scalar =
            scalars[..length].iter().enumerate().map(|(i, s)| Scalar::from(i as u64) * s).sum();
        let bases = PointSlice::<G>::new(&bytes).unwrap().slice(0..length);
        let got = msm(bases, ScalarSlice::from(&encoded[..length])).unwrap();
        assert_eq!(got, p * sum + (next - p) * weighted, "{length} terms in {}", G::NAME);
    }
}

#[test]
fn long_with_random_scalars() {
    let around = |size: usize| [size - 1, size, size + 1];
    let lengths = [2048, 4096, 1 << 14].map(around).concat();
    check_long::<G1>(&[&lengths[..], &[100_000]].concat());
    check_long::<G2>(&lengths[..6]);
    for threads in [1, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| check_long::<G1>(&[5000]));
    }
}

/// A result that moves is a race.
#[test]
fn the_same_a_thousand_times_and_two_at_once() {
    let points = testing::points::<G1>(600, 8);
    let bytes = write_points::<G1>(&points);
    let bases = PointSlice::<G1>::new(&bytes).unwrap();
    let scalars: Vec<[u8; 32]> = (0..600u32).map(|i| [(i * 7 % 256) as u8; 32]).collect();
    let (left, right) = scalars.split_at(300);
    let (left, right) = (ScalarSlice::from(left), ScalarSlice::from(right));
    let first = msm(bases.slice(0..300), left);
    let second = msm(bases.slice(300..600), right);
    for _ in 0..500 {
        let both =
            rayon::join(|| msm(bases.slice(0..300), left), || msm(bases.slice(300..600), right));
        assert_eq!(both, (first, second));
    }
}

#[test]
fn public_naive_sum_agrees() {
    let bases = bases::<G1>(20, Bases::SomeInfinity);
    let bytes = write_points::<G1>(&bases);
    let scalars: Vec<[u8; 32]> = (0..20).map(|i| [i * 11; 32]).collect();
    let (bases, scalars) =
        (PointSlice::<G1>::new(&bytes).unwrap(), ScalarSlice::from(&scalars[..]));
    assert_eq!(msm_naive(bases, scalars), msm(bases, scalars));
}

#[test]
fn one_thread_and_many() {
    let scalars: Vec<[u8; 32]> = (0..600u32).map(|i| [(i % 251) as u8; 32]).collect();
    for threads in [1, 3, 64] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| check::<G1>(&scalars, Bases::Different, 0));
    }
}

#[test]
fn lengths_must_agree() {
    let bases = PointSlice::<G1>::new(&[]).unwrap();
    let scalars = [[1; 32]];
    let error = MsmError::LengthMismatch { bases: 0, scalars: 1 };
    assert_eq!(msm(bases, ScalarSlice::from(&scalars[..])), Err(error));
    assert!(ScalarSlice::new(&[0; 33]).is_err());
    assert!(PointSlice::<G2>::new(&[0; 96]).is_err());
}

fn check_mul_many<G: CurveGroup>(count: usize) {
    let base = testing::points::<G>(1, 5)[0];
    let mut scalars: Vec<[u8; 32]> = (0..count).map(|i| [(i * 37 % 256) as u8; 32]).collect();
    for (scalar, edge) in
        scalars.iter_mut().zip([Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::TWO_INV])
    {
        *scalar = edge.to_repr();
    }
    let scalars = ScalarSlice::from(&scalars[..]);
    let products = mul_many::<G>(&base, scalars);
    for (index, product) in products.iter().enumerate() {
        let expected = G::to_projective(&base) * scalars.get_reduced(index);
        assert_eq!(G::to_projective(product), expected);
    }
    assert_eq!(products.len(), count);
}

#[test]
fn many_multiples_of_one_point() {
    for count in [0, 1, 5, 511, 512, 513, 1500] {
        check_mul_many::<G1>(count);
    }
    check_mul_many::<G2>(600);
}
