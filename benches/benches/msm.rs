//! Multi-scalar multiplication in G1 and G2.

use std::hint::black_box;
use std::time::Duration;

use blstrs::{G1Affine, G2Affine, Scalar};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ff::Field;
use group::prime::PrimeCurveAffine;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use warpfield::curve::{CurveGroup, G1, G2, PointSlice, write_points};
use warpfield::msm::{ScalarSlice, msm, mul_many};

const LOG_SIZES: [u32; 3] = [12, 14, 16];

fn bytes(scalars: impl Iterator<Item = Scalar>) -> Vec<u8> {
    scalars.flat_map(|scalar| scalar.to_bytes_le()).collect()
}

fn sums<G: CurveGroup>(criterion: &mut Criterion, generator: &G::Affine) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut group = criterion.benchmark_group(format!("msm {}", G::NAME));
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    for log_size in LOG_SIZES {
        let size = 1 << log_size;
        let full_width = bytes((0..size).map(|_| Scalar::random(&mut rng)));
        let boolean = bytes((0..size).map(|_| Scalar::from(u64::from(rng.next_u32() & 1))));
        let whole = "32 bytes a scalar";
        // The scalars serve to make bases, too: any points will do.
        let bases = mul_many::<G>(generator, ScalarSlice::new(&full_width).expect(whole));
        let bases = write_points::<G>(&bases);
        let bases = PointSlice::<G>::new(&bases).expect("whole points");
        group.throughput(Throughput::Elements(size));
        for (name, scalars) in [("full width", &full_width), ("boolean", &boolean)] {
            let scalars = ScalarSlice::new(scalars).expect(whole);
            let id = BenchmarkId::new(name, size);
            group.bench_function(id, |bencher| {
                bencher.iter(|| msm(black_box(bases), black_box(scalars)));
            });
        }
    }
    group.finish();
}

fn g1(criterion: &mut Criterion) {
    sums::<G1>(criterion, G1Affine::generator().as_ref());
}

fn g2(criterion: &mut Criterion) {
    sums::<G2>(criterion, G2Affine::generator().as_ref());
}

criterion_group!(benches, g1, g2);
criterion_main!(benches);
