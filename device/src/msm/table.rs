//! Multiples of fixed points.

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
macro_rules! table {
    ($($name:ident($field:ty, $threads:expr);)*) => {
        $(
            /// Doubles `count` points so many `times`: each thread every grid's size-th, with one
            /// inversion.
            ///
            /// # Safety
            ///
            /// As [`Slots::new`] for [`SUM_SLOTS`]. The pointers are to `count` elements in global
            /// memory, at multiples of 16, and no two of them overlap.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut Affine<$field>,
                points: *const Affine<$field>,
                doubled: *mut Xyzz<$field>,
                prefixes: *mut $field,
                count: u32,
                times: u32,
            ) {
                let share = Share::of_thread(count);
                // SAFETY: the caller vouches for the launch and the arrays, and no two threads share
                // an element.
                unsafe {
                    let slots = Slots::<$field, { $threads }>::new();
                    let mut i = share.first;
                    while i < share.count {
                        let mut sum = SharedXyzz::new(slots, &Xyzz::from(read(points.add(i))));
                        let mut time = 0;
                        while time < times {
                            sum.double();
                            time += 1;
                        }
                        write(doubled.add(i), &sum.get());
                        i += share.stride;
                    }
                    normalize(slots, out, doubled, prefixes, share);
                }
            }
        )*
    };
}

table! {
    g1_msm_table(Fp, G1_THREADS);
    g2_msm_table(Fp2, G2_THREADS);
}
