//! Sums of points by way of shared memory, over arrays.

use crate::curve::batch::{denominators, sums};
use crate::curve::shared::SharedXyzz;
use crate::curve::team::TeamXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::batch::Share;
use crate::field::{Field as _, Fp, Fp2};
use crate::gpu;
#[cfg(doc)]
use crate::launch::{BATCH_SLOTS, DENOMINATOR_SLOTS, SUM_SLOTS, TEAM_SLOTS};
use crate::launch::{G1_THREADS, G2_THREADS, TEAM};
use crate::slots::Slots;
use crate::words::{read, write};

/// Defines kernels `name(out, a, b, count)`, of so many threads a block.
macro_rules! shared_sums {
    ($($name:ident($second:ident, $add:ident, $field:ty, $threads:expr);)*) => {
        $(
            /// Element by element over `count` values: `a + b + b − b`, with the sum in shared memory.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The pointers are to
            /// `count` elements in global memory, at multiples of 16; `out` overlaps no input.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut Xyzz<$field>,
                a: *const Xyzz<$field>,
                b: *const $second<$field>,
                count: u32,
            ) {
                // SAFETY: the caller vouches for the launch.
                let slots = unsafe { Slots::<$field, { $threads }>::new() };
                let mut i = gpu::global_index() as usize;
                while i < count as usize {
                    // SAFETY: i < count, and the caller vouches for the arrays.
                    let (a, b) = unsafe { (read(a.add(i)), read(b.add(i))) };
                    let mut sum = SharedXyzz::new(slots, &a);
                    // An odd number of times, and in between as an opposite.
                    let mut round = 0;
                    while round < 3 {
                        sum.$add(&if round < 2 { b } else { -b });
                        round += 1;
                    }
                    // SAFETY: as above.
                    unsafe { write(out.add(i), &sum.get()) };
                    i += gpu::grid_size() as usize;
                }
            }
        )*
    };
}

shared_sums! {
    g1_add_affine_shared(Affine, add_affine, Fp, G1_THREADS);
    g1_add_shared(Xyzz, add, Fp, G1_THREADS);
    g2_add_affine_shared(Affine, add_affine, Fp2, G2_THREADS);
    g2_add_shared(Xyzz, add, Fp2, G2_THREADS);
}

/// Defines kernels `name(out, a, b, count)`, of so many threads a block.
macro_rules! team_sums {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Element by element over `count` values: `a + b + b − b`, each by a team of lanes.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`TEAM_SLOTS`], in blocks of just so many threads. The pointers are to
            /// `count` elements in global memory, at multiples of 16; `out` overlaps no input.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut Xyzz<$field>,
                a: *const Xyzz<$field>,
                b: *const Xyzz<$field>,
                count: u32,
            ) {
                // SAFETY: the caller vouches for the launch.
                let slots = unsafe { Slots::<$field, { $threads }>::new() };
                let sum = TeamXyzz::new(slots);
                let count = TEAM * count;
                // A warp stays together.
                let mut first = gpu::global_index() - gpu::lane();
                while first < count {
                    let i = (first + gpu::lane()) as usize;
                    // SAFETY: a coordinate of an element, and the caller vouches for the arrays.
                    unsafe {
                        let (mut x, mut y) = (<$field>::ZERO, <$field>::ZERO);
                        if i < count as usize {
                            x = read(a.cast::<$field>().add(i));
                            y = read(b.cast::<$field>().add(i));
                        }
                        sum.set(&x);
                        let mut round = 0;
                        while round < 3 {
                            let negative = round == 2 && gpu::lane() % TEAM == 1;
                            sum.add(&if negative { -y } else { y });
                            round += 1;
                        }
                        if i < count as usize {
                            write(out.cast::<$field>().add(i), &sum.get());
                        }
                    }
                    first += gpu::grid_size();
                }
            }
        )*
    };
}

team_sums! {
    g1_add_team(Fp, G1_THREADS);
    g2_add_team(Fp2, G2_THREADS);
}

/// Defines kernels `denominators(products, prefixes, a, b, count)` and `sums(out, prefixes, inverses, a,
/// b, count)`, of so many threads a block.
macro_rules! batch_sums {
    ($($denominators:ident, $sums:ident($field:ty, $threads:expr);)*) => {
        $(
            /// The first step of `count` additions `a + b`: each thread takes every grid's size-th, and
            /// writes the product of their denominators to `products`.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`DENOMINATOR_SLOTS`]. `products` is to as
            /// many elements in global memory as the grid has threads, the others are to `count`; all at
            /// multiples of 16.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $denominators(
                products: *mut $field,
                prefixes: *mut $field,
                a: *const Affine<$field>,
                b: *const Affine<$field>,
                count: u32,
            ) {
                // SAFETY: the caller vouches for the launch and the arrays, and no two threads share
                // an element.
                unsafe {
                    let slots = Slots::<$field, { $threads }>::new();
                    let product = denominators(slots, (a, b), prefixes, Share::of_thread(count));
                    write(products.add(gpu::global_index() as usize), &product);
                }
            }

            /// The last step: `out = a + b`, given the inverses of the products. Its grid is that of
            /// the first.
            ///
            /// # Safety
            ///
            /// As of the first, but for [`BATCH_SLOTS`]. `out` may be `a` or `b`.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $sums(
                out: *mut Affine<$field>,
                prefixes: *const $field,
                inverses: *const $field,
                a: *const Affine<$field>,
                b: *const Affine<$field>,
                count: u32,
            ) {
                // SAFETY: as above.
                unsafe {
                    let slots = Slots::<$field, { $threads }>::new();
                    let inverse = read(inverses.add(gpu::global_index() as usize));
                    sums(slots, out, (a, b), (prefixes, &inverse), Share::of_thread(count));
                }
            }
        )*
    };
}

batch_sums! {
    g1_batch_denominators, g1_batch_sums(Fp, G1_THREADS);
    g2_batch_denominators, g2_batch_sums(Fp2, G2_THREADS);
}
