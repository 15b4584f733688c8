//! Additions of points.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective};
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use warpfield::gpu::{Arguments, DeviceBuffer, Error, Plain, Stream};
use warpfield_device::curve::Xyzz;
use warpfield_device::field::{Field, Fp, Fp2};
use warpfield_device::words::Words as _;

use super::operations::{Bench, Operation, Run, same, threads};
use super::samples::{COUNT, ToWords, words};
use crate::failure::Failure;

/// One of the two groups, in blst's types and the kernels'.
pub trait Points: Copy {
    type Affine: ToWords + PrimeCurveAffine<Curve = Self::Projective>;
    type Projective: Group + Curve<AffineRepr = Self::Affine>;
    type Field: Field + Plain;

    /// The group in names of kernels, and its field's.
    const NAMES: (&str, &str);
}

/// G1.
#[derive(Clone, Copy)]
pub struct G1;

impl Points for G1 {
    type Affine = G1Affine;
    type Projective = G1Projective;
    type Field = Fp;

    const NAMES: (&str, &str) = ("g1", "fp");
}

/// G2.
#[derive(Clone, Copy)]
pub struct G2;

impl Points for G2 {
    type Affine = G2Affine;
    type Projective = G2Projective;
    type Field = Fp2;

    const NAMES: (&str, &str) = ("g2", "fp2");
}

/// Sums of affine points in shared memory: each thread adds to its own.
pub fn sums<G: Points>(
    bench: &Bench,
    name: &'static str,
    points: &[G::Affine],
    wide: u32,
) -> Result<Operation, Failure> {
    let kernel = bench.module.kernel(&format!("{}_add_affine_rate", G::NAMES.0))?;
    let config = bench.config(kernel.name(), 40);
    let rounds = bench.few(200);
    let sums: DeviceBuffer<Xyzz<G::Field>> = bench.device.alloc(threads(&config))?;
    let mask = COUNT as u32 - 1;
    let table = bench.repeated(points, COUNT)?;

    // Zeros are infinity.
    bench.stream.fill(&sums, 0)?;
    let run = {
        let (kernel, sums) = (kernel.clone(), sums.slice(..));
        move |stream: &Stream, rounds: u32| {
            // SAFETY: there is a sum for each thread, and COUNT is a power of two.
            unsafe { stream.launch(&kernel, config, (&sums, &table, mask, rounds)) }
        }
    };
    run(&bench.stream, 3)?;
    let mut found = vec![Xyzz::<G::Field>::INFINITY; COUNT.min(sums.len())];
    bench.stream.download(&sums.slice(..found.len()), &mut found)?;
    for (i, sum) in found.iter().enumerate() {
        let point = |round: usize| points[(i + round * threads(&config)) % COUNT].to_curve();
        let expected: G::Projective = (0..3).map(point).sum();
        let mut coordinates = Vec::new();
        sum.to_affine().for_quads(|_, quad| coordinates.extend(quad));
        same(name, &coordinates, &expected.to_affine().to_words())?;
    }

    let count = threads(&config) as f64 * f64::from(rounds);
    let run: Run = Box::new(move |stream| run(stream, rounds));
    Ok(Operation { name, count, wide: Some(wide), kernel: Some(kernel), run })
}

/// Additions of pairs of affine points, with one inversion for the pairs of a thread.
pub fn pairs<G: Points>(
    bench: &Bench,
    name: &'static str,
    points: &[G::Affine],
    wide: u32,
) -> Result<Operation, Failure> {
    // On a large GPU 20 blocks for each multiprocessor, and their pairs, take 14 GB.
    let blocks = if bench.device.memory()?.free >> 30 < 64 { 4 } else { 20 };
    let (group, field) = G::NAMES;
    let kernel = |name: String| bench.module.kernel(&name);
    let denominators = kernel(format!("{group}_batch_denominators"))?;
    let invert = kernel(format!("{field}_inv"))?;
    let sums = kernel(format!("{group}_batch_sums"))?;
    let [first, last] = [&denominators, &sums].map(|kernel| bench.config(kernel.name(), blocks));
    let config = first.shared_bytes(0);
    let count = threads(&config) * bench.few(128) as usize;
    let length = u32::try_from(count).map_err(Failure::other)?;

    let mut others = points.to_vec();
    others.rotate_left(1);
    let (a, b) = (bench.repeated(points, count)?, bench.repeated(&others, count)?);
    let size = words(&points[..1]).len();
    let word_buffer = |words| bench.device.alloc::<u32>(words);
    let out = word_buffer(size * count)?;
    let prefixes = word_buffer(size / 2 * count)?;
    let products = word_buffer(size / 2 * threads(&config))?;
    let inverses = word_buffer(size / 2 * threads(&config))?;

    let lanes = threads(&config) as u32;
    let run = {
        let (sums, out) = (sums.clone(), out.slice(..));
        move |stream: &Stream| -> Result<(), Error> {
            // SAFETY: products and inverses are one for each thread, the others one for each pair.
            unsafe {
                stream.launch(&denominators, first, (&products, &prefixes, &a, &b, length))?;
                stream.launch(&invert, config, (&inverses, &products, lanes))?;
                let arrays = (&out, &prefixes, &inverses, &a, &b, length);
                stream.launch(&sums, last, arrays.into_list())
            }
        }
    };
    run(&bench.stream)?;
    let pair = |(a, b): (&G::Affine, &G::Affine)| (a.to_curve() + b).to_affine();
    let expected: Vec<G::Affine> = points.iter().zip(&others).map(pair).collect();
    let expected = words(&expected);
    same(name, &bench.first(&out, expected.len())?, &expected)?;
    let run: Run = Box::new(run);
    Ok(Operation { name, count: count as f64, wide: Some(wide), kernel: Some(sums), run })
}
