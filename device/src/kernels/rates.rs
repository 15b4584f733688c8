//! One field operation a kernel, over and over on registers: what the rate of an operation is
//! measured with.

use crate::curve::shared::SharedXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::{Field, Fp, Fp2, Fr};
use crate::gpu;
use crate::launch::{G1_THREADS, G2_THREADS, LIMIT_STEPS};
use crate::limbs::{self, unroll};
use crate::slots::Slots;
use crate::words::{read, write};

/// Defines kernels `name(values, rounds)`: every thread applies `value = f(value, first)` to its
/// own value `rounds` times, where `first` is what the value was before.
macro_rules! rates {
    ($($name:ident($field:ty; $value:ident, $first:ident) = $body:expr;)*) => {
        $(
            #[doc = concat!("Applies `", stringify!($body), "` in a chain of dependent rounds.")]
            ///
            /// # Safety
            ///
            /// `values` is to as many elements in global memory as the grid has threads.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(values: *mut $field, rounds: u32) {
                let index = gpu::global_index() as usize;
                // SAFETY: the caller vouches for the array, and each thread has its own element.
                let mut $value = unsafe { values.add(index).read() };
                let $first = $value;
                let mut round = 0;
                while round < rounds {
                    $value = $body;
                    round += 1;
                }
                // SAFETY: as above.
                unsafe { values.add(index).write($value) };
            }
        )*
    };
}

rates! {
    fr_add_rate(Fr; a, b) = a + b;
    fr_sub_rate(Fr; a, b) = a - b;
    fr_mul_rate(Fr; a, b) = a * b;
    fp_add_rate(Fp; a, b) = a + b;
    fp_sub_rate(Fp; a, b) = a - b;
    fp_mul_rate(Fp; a, b) = a * b;
    fp_sqr_rate(Fp; a, _first) = a.square();
    fp2_mul_rate(Fp2; a, b) = a * b;
}

/// What bounds the others: wide multiply-adds, [`LIMIT_STEPS`] times six a round in each of two
/// chains that do not depend on each other. From `v`, with `e` and `o` its limbs at even and odd
/// places and m the lowest, `v + k·m·e` and `v + k·m·o` modulo 2³⁸⁴ and their sum, after k steps.
///
/// # Safety
///
/// `values` is to as many elements in global memory as the grid has threads.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn mad_rate(values: *mut [u32; 12], rounds: u32) {
    // SAFETY: the caller vouches for the array, and each thread has its own element.
    let value = unsafe { values.add(gpu::global_index() as usize) };
    // SAFETY: as above.
    let first = unsafe { value.read() };
    let (mut x, mut y) = (first, first);
    let mut round = 0;
    while round < rounds {
        unroll!(_I in 0..LIMIT_STEPS => {
            limbs::mad::<12, 0, 0>(&mut x, &first, first[0], 0);
            limbs::mad::<12, 0, 1>(&mut y, &first, first[0], 0);
        });
        round += 1;
    }
    // SAFETY: as above.
    unsafe { value.write(limbs::add(&x, &y).0) };
}

/// The other limit: additions with carry, as many. From `v`, `v + k·v` modulo 2³⁸⁴ twice, and their
/// sum, after k steps.
///
/// # Safety
///
/// As [`mad_rate`].
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn add_rate(values: *mut [u32; 12], rounds: u32) {
    // SAFETY: the caller vouches for the array, and each thread has its own element.
    let value = unsafe { values.add(gpu::global_index() as usize) };
    // SAFETY: as above.
    let first = unsafe { value.read() };
    let (mut x, mut y) = (first, first);
    let mut round = 0;
    while round < rounds {
        unroll!(_I in 0..LIMIT_STEPS => {
            (x, _) = limbs::add(&x, &first);
            (y, _) = limbs::add(&y, &first);
        });
        round += 1;
    }
    // SAFETY: as above.
    unsafe { value.write(limbs::add(&x, &y).0) };
}

/// Defines kernels `name(sums, points, mask, rounds)` of so many threads a block: every thread adds
/// `rounds` points to its own sum, the i-th thread every grid's size-th from i.
macro_rules! sums {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Sums of points, around and around.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`]; `sums` is to as many elements in global memory as the grid
            /// has threads, `points` to `mask + 1`, a power of two.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                sums: *mut Xyzz<$field>,
                points: *const Affine<$field>,
                mask: u32,
                rounds: u32,
            ) {
                let index = gpu::global_index();
                // SAFETY: the caller vouches for the array, and each thread has its own element.
                let first = unsafe { read(sums.add(index as usize)) };
                // SAFETY: the caller vouches for the launch.
                let slots = unsafe { Slots::<$field, { $threads }>::new() };
                let mut sum = SharedXyzz::new(slots, &first);
                let mut round = 0;
                while round < rounds {
                    let place = index.wrapping_add(round.wrapping_mul(gpu::grid_size())) & mask;
                    // SAFETY: at most `mask`.
                    let point = unsafe { read(points.add(place as usize)) };
                    sum.add_affine(&point);
                    round += 1;
                }
                // SAFETY: as above.
                unsafe { write(sums.add(index as usize), &sum.get()) };
            }
        )*
    };
}

sums! {
    g1_add_affine_rate(Fp, G1_THREADS);
    g2_add_affine_rate(Fp2, G2_THREADS);
}
