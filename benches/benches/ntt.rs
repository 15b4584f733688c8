//! Number-theoretic transforms.

use blstrs::Scalar;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ff::Field;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use warpfield::ntt::{Direction, Domain, Order, RootOfUnity};

const LOG_SIZES: [u32; 4] = [12, 14, 16, 18];

fn transforms(criterion: &mut Criterion) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut group = criterion.benchmark_group("ntt");
    group.sample_size(20);
    for log_size in LOG_SIZES {
        let domain = Domain::new(log_size, RootOfUnity::SNARKJS).expect("a small domain");
        // Each transform takes the output of the one before: the time does not depend on values.
        let mut values: Vec<Scalar> =
            (0..domain.size()).map(|_| Scalar::random(&mut rng)).collect();
        let size = domain.size() as u64;
        group.throughput(Throughput::Elements(size));
        for (name, order) in [("natural to reversed", Order::NR), ("natural", Order::NN)] {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| domain.transform(&mut values, Direction::Forward, order));
            });
        }
        group.bench_function(BenchmarkId::new("to the odd coset", size), |bencher| {
            bencher.iter(|| domain.to_odd_coset(&mut values));
        });
    }
    group.finish();
}

criterion_group!(benches, transforms);
criterion_main!(benches);
