//! Products of field elements on the CPU: blst's.

use std::hint::black_box;
use std::time::Instant;

use blst::{blst_fp, blst_fp2, blst_fr};
use blstrs::{G1Projective, G2Projective, Scalar};
use ff::Field as _;
use group::{Curve as _, Group as _};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

use super::super::memory::Memory;
use super::super::spread::Spread;
use super::super::table::{Machine, Row, Table};
use super::name;
use crate::args::BenchOptions;
use crate::failure::Failure;

/// Values that a thread works on by turns: enough that none waits for the one before.
const CHAINS: usize = 8;

/// Operations on each of them.
const ROUNDS: usize = 1 << 16;

/// Gives the rate of an operation, in operations of all threads a second.
type Rate = Box<dyn Fn() -> f64>;

fn rate<T: Copy + Send + Sync + 'static>(
    first: T,
    step: unsafe extern "C" fn(*mut T, *const T, *const T),
) -> Rate {
    Box::new(move || {
        let start = Instant::now();
        let threads = rayon::broadcast(|_| {
            let mut values = [first; CHAINS];
            for _ in 0..ROUNDS {
                for value in &mut values {
                    let value = std::ptr::from_mut(value);
                    // SAFETY: blst reads two elements and writes one, which may be one of them.
                    unsafe { step(value, value, &first) };
                }
            }
            black_box(values);
        });
        (threads.len() * CHAINS * ROUNDS) as f64 / start.elapsed().as_secs_f64()
    })
}

/// A squaring, with the factor of a product left over.
///
/// # Safety
///
/// As of blst's functions.
unsafe extern "C" fn fp_sqr(out: *mut blst_fp, a: *const blst_fp, _: *const blst_fp) {
    // SAFETY: passed on.
    unsafe { blst::blst_fp_sqr(out, a) };
}

/// Measures all in turns.
pub fn run(options: &BenchOptions) -> Result<(), Failure> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let fr: blst_fr = Scalar::random(&mut rng).into();
    // Abscissas, which are as good as random.
    let fp: blst_fp = G1Projective::random(&mut rng).to_affine().as_ref().x;
    let fp2: blst_fp2 = G2Projective::random(&mut rng).to_affine().as_ref().x;
    let operations = [
        ("Fr multiplication", rate(fr, blst::blst_fr_mul)),
        ("Fp multiplication", rate(fp, blst::blst_fp_mul)),
        ("Fp squaring", rate(fp, fp_sqr)),
        ("Fp2 multiplication", rate(fp2, blst::blst_fp2_mul)),
    ];
    let mut rates = [const { Vec::new() }; 4];
    // The first is not counted.
    for repeat in 0..=options.repeats {
        for ((_, rate), rates) in operations.iter().zip(&mut rates) {
            let rate = rate();
            if repeat > 0 {
                rates.push(rate);
            }
        }
    }
    let rows = operations.iter().zip(rates);
    let rows = rows.map(|((name, _), rates)| Row::new(name, Spread::of(rates))).collect();
    let machine = Machine { device: name(), gpu: None, how: "medians of blst's, all in turns" };
    Table::new(machine, rows, Memory::new(None)).print(options.json)
}
