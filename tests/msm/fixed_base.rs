//! Many multiples of one point, each against the product by blst.

use blstrs::{G1Affine, Scalar};
use ff::Field as _;
use group::Group as _;
use warpfield::curve::{CurveGroup as _, G1, G2};
use warpfield::gpu::Plain;
use warpfield::gpu::emulator::{Call, Config};
use warpfield::msm::gpu::{DeviceGroup, Error, FixedBase, Scalars};
use warpfield_device::curve::Affine;
use warpfield_device::field::{Config as _, fr::FrConfig};

use crate::scalars::edges;
use crate::support::{Summer, bytes, emulated, integers, is_emulated, montgomery, points, random};

/// Some point.
fn point<G: DeviceGroup>() -> G::Projective {
    points::<G>(5)[4]
}

/// The products' bytes.
fn products<G: DeviceGroup>(
    summer: &Summer<G>,
    base: &FixedBase<G>,
    scalars: Scalars<'_>,
) -> Result<Vec<u8>, Error> {
    let out = summer.device.alloc::<Affine<G::Coordinate>>(scalars.len())?;
    base.mul_many(&summer.stream, scalars, &out)?;
    let mut found = vec![0; scalars.len() * G::BYTES];
    summer.stream.download(&out.cast().expect("bytes"), &mut found)?;
    Ok(found)
}

fn expected<G: DeviceGroup>(base: G::Projective, scalars: &[Scalar]) -> Vec<u8> {
    let product = |scalar: &Scalar| match bool::from(scalar.is_zero()) {
        true => G::Projective::identity(),
        false => base * scalar,
    };
    bytes::<G>(&scalars.iter().map(product).collect::<Vec<_>>())
}

/// Checks products in both forms of the scalars.
fn check<G: DeviceGroup>(summer: &Summer<G>, bits: u32, base: G::Projective, scalars: &[Scalar]) {
    let expected = expected::<G>(base, scalars);
    let table = FixedBase::with_bits(&summer.msm, &summer.stream, &G::to_affine(&base), bits);
    let table = table.expect("a table");
    let memory = summer.upload(&montgomery(scalars));
    let found = products(summer, &table, Scalars::Montgomery(&memory)).expect("products");
    assert!(found == expected, "{} scalars, {bits} bits, Montgomery", scalars.len());
    let memory = summer.upload(&integers(scalars));
    let found = products(summer, &table, Scalars::Integers(&memory)).expect("products");
    assert!(found == expected, "{} scalars, {bits} bits, integers", scalars.len());
}

fn lengths<G: DeviceGroup>(lengths: &[usize]) {
    for (&length, bits) in lengths.iter().zip([8, 5, 9, 10, 7, 11, 12].into_iter().cycle()) {
        check(&Summer::<G>::new(length as u64), bits, point::<G>(), &random(length));
    }
}

#[test]
fn lengths_g1() {
    lengths::<G1>(&[0, 1, 2, 31, 32, 33]);
    if !is_emulated() {
        lengths::<G1>(&[127, 128, 129, 4_097]);
    }
}

#[test]
fn lengths_g2() {
    lengths::<G2>(&[0, 1, 2, 3, 9]);
    if !is_emulated() {
        lengths::<G2>(&[63, 64, 65, 4_097]);
    }
}

/// Scalars at the ends of their range, and digits of every kind.
#[test]
fn ends() {
    check::<G1>(&Summer::new(1), 6, point::<G1>(), &edges());
    check::<G2>(&Summer::new(1), 11, point::<G2>(), &edges()[..12]);
    for bits in [2, 3, 13] {
        check::<G1>(&Summer::new(2), bits, point::<G1>(), &edges()[..9]);
    }
}

/// Every multiple is infinity, and every sum.
#[test]
fn of_infinity() {
    check::<G1>(&Summer::new(0), 5, blstrs::G1Projective::identity(), &edges()[..9]);
    check::<G2>(&Summer::new(0), 5, blstrs::G2Projective::identity(), &edges()[..4]);
}

/// Of a point of order three a third of the multiples are infinity, and sums meet equal and opposite points.
#[test]
fn of_order_three() {
    let point = blstrs::G1Projective::from(G1Affine::from_raw_unchecked(0.into(), 2.into(), false));
    assert_eq!(point.double(), -point);
    let summer = Summer::<G1>::new(0);
    let affine = G1::to_affine(&point);
    // Such a point has no multiples by scalars modulo r, but by integers: up to (r − 1)/2 they are themselves.
    let values: Vec<u64> = (0..40).chain([u64::MAX, u64::MAX - 1, 0x1234_5678_9abc_def0]).collect();
    let scalars: Vec<Scalar> = values.iter().map(|&value| value.into()).collect();
    let multiples = [blstrs::G1Projective::identity(), point, -point];
    let expected: Vec<_> = values.iter().map(|value| multiples[(value % 3) as usize]).collect();
    for bits in [2, 3, 4, 7] {
        let table = FixedBase::<G1>::with_bits(&summer.msm, &summer.stream, &affine, bits);
        let memory = summer.upload(&montgomery(&scalars));
        let found = products(&summer, &table.expect("a table"), Scalars::Montgomery(&memory));
        assert!(found.expect("products") == bytes::<G1>(&expected), "{bits} bits");
    }
}

#[test]
fn integers_count_modulo_r() {
    let order = FrConfig::MODULUS;
    let less = std::array::from_fn(|i| order[i] - u32::from(i == 0));
    let words = [order, less, [u32::MAX; 8], [0, 0, 0, 0, 0, 0, 0, 1 << 31]];
    let value = |words: &[u32; 8]| {
        words.iter().rev().fold(Scalar::ZERO, |value, word| {
            value * Scalar::from(1 << 32) + Scalar::from(u64::from(*word))
        })
    };
    let scalars: Vec<_> = words.iter().map(value).collect();
    assert_eq!(scalars[..2], [Scalar::ZERO, -Scalar::ONE]);
    let summer = Summer::<G1>::new(0);
    let base = G1::to_affine(&point::<G1>());
    let table = FixedBase::<G1>::new(&summer.msm, &summer.stream, &base, words.len()).unwrap();
    let memory = summer.upload(&words);
    let found = products(&summer, &table, Scalars::Integers(&memory)).expect("products");
    assert!(found == expected::<G1>(point::<G1>(), &scalars));
}

/// Zeros but for every so many-th.
fn sparse(length: usize, step: usize) -> Vec<Scalar> {
    let random = random(length.div_ceil(step));
    let at = |i: usize| if i % step == step - 1 { random[i / step] } else { Scalar::ZERO };
    (0..length).map(at).collect()
}

/// Several products a thread, and more than are made at a time, where a multiprocessor holds one block.
#[test]
fn in_parts() {
    let mut config = Config::default();
    config.shared_limit = 44 << 10;
    let summer = Summer::<G1>::on(emulated(config.clone()));
    check::<G1>(&summer, 8, point::<G1>(), &sparse(300, 7));
    check::<G1>(&summer, 8, point::<G1>(), &sparse(128 * 16 + 1, 683));
    check::<G2>(&Summer::on(emulated(config)), 8, point::<G2>(), &sparse(150, 15));
    if !is_emulated() {
        check::<G1>(&Summer::new(0), 14, point::<G1>(), &sparse(3_000_001, 997));
        check::<G2>(&Summer::new(0), 14, point::<G2>(), &sparse(1_500_001, 997));
    }
}

/// Two at once on streams of their own, with one table.
#[test]
fn two_at_once() {
    for seed in 0..if is_emulated() { 2 } else { 20 } {
        let summer = Summer::<G1>::new(seed);
        let other = summer.device.stream().expect("a stream");
        let scalars = random(20);
        let base = G1::to_affine(&point::<G1>());
        let table = FixedBase::<G1>::with_bits(&summer.msm, &summer.stream, &base, 8).unwrap();
        let memory = summer.upload(&montgomery(&scalars));
        let out = summer.device.alloc(30).expect("memory");
        for (stream, from, to) in [(&summer.stream, 0..20, 0..20), (&other, 5..15, 20..30)] {
            let (from, to) = (memory.slice(from), out.slice(to));
            table.mul_many(stream, Scalars::Montgomery(&from), &to).expect("launches");
        }
        other.synchronize().expect("no fault");
        let mut found = vec![0; 30 * 96];
        summer.stream.download(&out.cast().expect("bytes"), &mut found).expect("a copy");
        let all = [&scalars[..], &scalars[5..15]].concat();
        assert!(found == expected::<G1>(point::<G1>(), &all), "seed {seed}");
    }
}

/// Any call of the device may fail: the error comes, and all memory is back.
#[test]
fn every_call_may_fail_once() {
    if !is_emulated() {
        // A GPU's calls fail as they like.
        return;
    }
    let summer = Summer::<G1>::new(0);
    let scalars = random(2);
    let memory = summer.upload(&montgomery(&scalars));
    let base = G1::to_affine(&point::<G1>());
    let all = || {
        let table = FixedBase::<G1>::with_bits(&summer.msm, &summer.stream, &base, 7)?;
        products(&summer, &table, Scalars::Montgomery(&memory))
    };
    let emulated = summer.device.as_emulated().expect("an emulated one");
    let free = emulated.free_memory();
    for (call, least) in [(Call::Alloc, 4), (Call::Copy, 37), (Call::Launch, 1)] {
        let before = emulated.calls(call);
        assert!(all().expect("products") == expected::<G1>(point::<G1>(), &scalars));
        let count = emulated.calls(call) - before;
        assert!(count >= least, "{count} calls");
        // Of the copies of the table some.
        for k in (0..count).filter(|k| count < 10 || k % 9 == 0 || k + 2 >= count) {
            emulated.fail_at(call, emulated.calls(call) + k);
            assert!(all().is_err(), "{call} {k}");
            summer.stream.synchronize().expect("no fault");
            assert_eq!(emulated.free_memory(), free, "{call} {k}");
        }
    }
}

#[test]
fn refused() {
    let summer = Summer::<G1>::new(0);
    let base = G1::to_affine(&point::<G1>());
    for bits in [0, 1, 25] {
        let result = FixedBase::<G1>::with_bits(&summer.msm, &summer.stream, &base, bits);
        assert!(matches!(result, Err(Error::Bits(found)) if found == bits));
    }
    let table = FixedBase::<G1>::with_bits(&summer.msm, &summer.stream, &base, 4).expect("a table");
    assert_eq!((table.bits(), table.bytes()), (4, 64 * 8 * 96));
    fn at<T: Plain>(
        words: &warpfield::gpu::DeviceSlice<u32>,
        from: usize,
        len: usize,
    ) -> warpfield::gpu::DeviceSlice<T> {
        words.slice(from..from + len).cast().expect("whole values")
    }
    let words = summer.upload(&[0u32; 8 + 24 + 2]);
    let run = |scalars, out| {
        table.mul_many(&summer.stream, Scalars::Integers(&scalars), &out).unwrap_err()
    };
    let error = run(at(&words, 0, 8), at(&words, 8, 0));
    assert!(matches!(error, Error::Products { scalars: 1, room: 0 }), "{error}");
    let error = run(at(&words, 2, 8), at(&words, 8, 24));
    assert!(matches!(error, Error::Misaligned(_)), "{error}");
    let error = run(at(&words, 0, 8), at(&words, 10, 24));
    assert!(matches!(error, Error::Misaligned(_)), "{error}");
}
