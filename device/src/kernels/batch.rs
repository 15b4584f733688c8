//! Batch inverses, over arrays.

use crate::field::batch::{Share, invert_batch};
use crate::field::{Fp, Fp2, Fr};

/// Defines kernels `name(out, values, prefixes, count)`.
macro_rules! batch_inverses {
    ($($name:ident($field:ty);)*) => {
        $(
            /// Inverts `count` values: each thread every grid's size-th, with one inversion.
            ///
            /// # Safety
            ///
            /// The pointers are to `count` elements in global memory. `out` may be `values` or
            /// `prefixes`, of which the former is kept otherwise and the latter is overwritten.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut $field,
                values: *const $field,
                prefixes: *mut $field,
                count: u32,
            ) {
                let share = Share::of_thread(count);
                // SAFETY: the caller vouches for the arrays, and no two threads share an element.
                unsafe { invert_batch(out, values, prefixes, share) }
            }
        )*
    };
}

batch_inverses! {
    fr_batch_inverse(Fr);
    fp_batch_inverse(Fp);
    fp2_batch_inverse(Fp2);
}
