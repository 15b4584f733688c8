//! One field operation a kernel, over arrays: what the tests of generated code call.

use crate::field::{Field, Fp, Fr};
use crate::gpu;

/// Defines kernels `name(out, a, …, count)`: `out[i] = f(a[i], …)` for `i < count`.
macro_rules! elementwise {
    ($($name:ident($field:ty; $($arg:ident),+) = $body:expr;)*) => {
        $(
            #[doc = concat!("Element by element over `count` values: `", stringify!($body), "`.")]
            ///
            /// # Safety
            ///
            /// The pointers are to `count` elements in global memory; `out` overlaps no input.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut $field,
                $($arg: *const $field,)+
                count: u32,
            ) {
                let mut i = gpu::global_index();
                while i < count {
                    // SAFETY: i < count, and the caller vouches for the arrays.
                    unsafe {
                        $(let $arg = $arg.add(i as usize).read();)+
                        out.add(i as usize).write($body);
                    }
                    i += gpu::grid_size();
                }
            }
        )*
    };
}

elementwise! {
    fr_add(Fr; a, b) = a + b;
    fr_sub(Fr; a, b) = a - b;
    fr_neg(Fr; a) = -a;
    fr_mul(Fr; a, b) = a * b;
    fr_sqr(Fr; a) = a.square();
    fp_add(Fp; a, b) = a + b;
    fp_sub(Fp; a, b) = a - b;
    fp_neg(Fp; a) = -a;
    fp_mul(Fp; a, b) = a * b;
    fp_sqr(Fp; a) = a.square();
}
