//! One field operation a kernel, over and over on registers: what the rate of an operation is
//! measured with.

use crate::field::{Field, Fp, Fr};
use crate::gpu;

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
}
