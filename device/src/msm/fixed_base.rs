//! Many multiples of one point.

use super::MONTGOMERY;
use super::digits::Digits;
use crate::curve::normal::normalize;
use crate::curve::shared::SharedXyzz;
use crate::curve::{Affine, Xyzz};
use crate::field::batch::Share;
use crate::field::{Fp, Fp2};
#[cfg(doc)]
use crate::launch::SUM_SLOTS;
use crate::launch::{G1_THREADS, G2_THREADS};
use crate::slots::Slots;
use crate::words::{read, write};

/// Defines kernels `name(…)`, of so many threads a block.
macro_rules! fixed_base {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Multiplies one point by `count` scalars: each thread every grid's size-th, with one
            /// inversion.
            ///
            /// `table` has, window by window, the multiples of 2^(`bits`·w) times the point by 1, 2, …,
            /// 2^(`bits` − 1): a product is the sum of one of them a window, or its opposite.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The pointers are to global memory, at multiples of
            /// 16, and no two of them overlap: `table` to 2^(`bits` − 1) elements for each window, the
            /// others to `count`. The scalars' form is [`MONTGOMERY`], or else
            /// [`INTEGERS`](super::INTEGERS). `bits` is one of [`BITS`](super::digits::BITS) and
            /// `windows` the windows of so many.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut Affine<$field>,
                sums: *mut Xyzz<$field>,
                prefixes: *mut $field,
                table: *const Affine<$field>,
                scalars: *const [u32; 8],
                count: u32,
                form: u32,
                windows: u32,
                bits: u32,
            ) {
                let share = Share::of_thread(count);
                // SAFETY: the caller vouches for the launch and the arrays, and no two threads share
                // an element.
                unsafe {
                    let slots = Slots::<$field, { $threads }>::new();
                    let mut i = share.first;
                    while i < share.count {
                        let scalar = read(scalars.add(i));
                        let mut digits = if form == MONTGOMERY {
                            Digits::of_montgomery(&scalar)
                        } else {
                            Digits::of_integer(&scalar)
                        };
                        let mut sum = SharedXyzz::new(slots, &Xyzz::INFINITY);
                        let (mut window, mut multiples) = (0, table);
                        while window < windows {
                            let digit = digits.take(bits);
                            if digit.absolute != 0 {
                                let point = read(multiples.add(digit.absolute as usize - 1));
                                sum.add_signed(&point, digit.negative);
                            }
                            multiples = multiples.add(1 << (bits - 1));
                            window += 1;
                        }
                        write(sums.add(i), &sum.get());
                        i += share.stride;
                    }
                    normalize(slots, out, sums, prefixes, share);
                }
            }
        )*
    };
}

fixed_base! {
    g1_msm_fixed_base(Fp, G1_THREADS);
    g2_msm_fixed_base(Fp2, G2_THREADS);
}
