//! One operation a kernel, over arrays: what the tests of generated code call.

use crate::curve::{G1Affine, G1Xyzz, G2Affine, G2Xyzz};
use crate::field::{Field, Fp, Fp2, Fr};
use crate::gpu;

/// Defines kernels `name(out, a, …, count)`: `out[i] = f(a[i], …)` for `i < count`.
macro_rules! elementwise {
    ($($name:ident($($arg:ident: $type:ty),+) -> $out:ty = $body:expr;)*) => {
        $(
            #[doc = concat!("Element by element over `count` values: `", stringify!($body), "`.")]
            ///
            /// # Safety
            ///
            /// The pointers are to `count` elements in global memory; `out` overlaps no input.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut $out,
                $($arg: *const $type,)+
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
    fr_add(a: Fr, b: Fr) -> Fr = a + b;
    fr_sub(a: Fr, b: Fr) -> Fr = a - b;
    fr_neg(a: Fr) -> Fr = -a;
    fr_mul(a: Fr, b: Fr) -> Fr = a * b;
    fr_sqr(a: Fr) -> Fr = a.square();
    fr_inv(a: Fr) -> Fr = a.invert();
    fp_add(a: Fp, b: Fp) -> Fp = a + b;
    fp_sub(a: Fp, b: Fp) -> Fp = a - b;
    fp_neg(a: Fp) -> Fp = -a;
    fp_mul(a: Fp, b: Fp) -> Fp = a * b;
    fp_sqr(a: Fp) -> Fp = a.square();
    fp_inv(a: Fp) -> Fp = a.invert();
    fp2_mul(a: Fp2, b: Fp2) -> Fp2 = a * b;
    fp2_sqr(a: Fp2) -> Fp2 = a.square();
    g1_add_affine(a: G1Xyzz, b: G1Affine) -> G1Xyzz = a.add_affine(&b);
    g1_add(a: G1Xyzz, b: G1Xyzz) -> G1Xyzz = a.add(&b);
    g2_add_affine(a: G2Xyzz, b: G2Affine) -> G2Xyzz = a.add_affine(&b);
    g2_add(a: G2Xyzz, b: G2Xyzz) -> G2Xyzz = a.add(&b);
}
