//! One operation a kernel, over arrays: what the tests of generated code call.

use crate::curve::{G1Affine, G1Xyzz, G2Affine, G2Xyzz};
use crate::field::{Field, Fp, Fp2, Fr};
use crate::gpu;
use crate::ntt::{residue::Residue, twiddle::Twiddle};
use crate::words::{read, write};

/// Defines kernels `name(out, a, …, count)`: `out[i] = f(a[i], …)` for `i < count`.
macro_rules! elementwise {
    ($($name:ident($($arg:ident: $type:ty),+) -> $out:ty = $body:expr;)*) => {
        $(
            #[doc = concat!("Element by element over `count` values: `", stringify!($body), "`.")]
            ///
            /// # Safety
            ///
            /// The pointers are to `count` elements in global memory, at multiples of 16; `out` overlaps no
            /// input.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut $out,
                $($arg: *const $type,)+
                count: u32,
            ) {
                let mut i = gpu::global_index() as usize;
                while i < count as usize {
                    // SAFETY: i < count, and the caller vouches for the arrays.
                    unsafe {
                        $(let $arg = read($arg.add(i));)+
                        write(out.add(i), &$body);
                    }
                    i += gpu::grid_size() as usize;
                }
            }
        )*
    };
}

elementwise! {
    fr_add(a: Fr, b: Fr) -> Fr = a + b;
    fr_sub(a: Fr, b: Fr) -> Fr = a - b;
    fr_neg(a: Fr) -> Fr = -a;
    fr_double(a: Fr) -> Fr = a.double();
    fr_mul(a: Fr, b: Fr) -> Fr = a * b;
    fr_sqr(a: Fr) -> Fr = a.square();
    fr_inv(a: Fr) -> Fr = a.invert();
    fr_from_canonical(a: [u32; 8]) -> Fr = Fr::from_canonical(&a);
    fr_to_canonical(a: Fr) -> [u32; 8] = a.to_canonical();
    residue_plus(a: [u32; 8], b: [u32; 8]) -> [u32; 8] =
        *Residue::from_limbs(a).plus(Residue::from_limbs(b)).limbs();
    residue_minus(a: [u32; 8], b: [u32; 8]) -> [u32; 8] =
        *Residue::from_limbs(a).minus(Residue::from_limbs(b)).limbs();
    residue_times(a: [u32; 8], b: Fr) -> [u32; 8] =
        *Residue::from_limbs(a).times(&Twiddle::of(&b)).limbs();
    fp_add(a: Fp, b: Fp) -> Fp = a + b;
    fp_sub(a: Fp, b: Fp) -> Fp = a - b;
    fp_neg(a: Fp) -> Fp = -a;
    fp_double(a: Fp) -> Fp = a.double();
    fp_mul(a: Fp, b: Fp) -> Fp = a * b;
    fp_sqr(a: Fp) -> Fp = a.square();
    fp_inv(a: Fp) -> Fp = a.invert();
    fp_from_canonical(a: [u32; 12]) -> Fp = Fp::from_canonical(&a);
    fp_to_canonical(a: Fp) -> [u32; 12] = a.to_canonical();
    fp2_add(a: Fp2, b: Fp2) -> Fp2 = a + b;
    fp2_sub(a: Fp2, b: Fp2) -> Fp2 = a - b;
    fp2_neg(a: Fp2) -> Fp2 = -a;
    fp2_double(a: Fp2) -> Fp2 = a.double();
    fp2_mul(a: Fp2, b: Fp2) -> Fp2 = a * b;
    fp2_sqr(a: Fp2) -> Fp2 = a.square();
    fp2_inv(a: Fp2) -> Fp2 = a.invert();
    g1_neg(a: G1Xyzz) -> G1Xyzz = -a;
    g1_neg_affine(a: G1Affine) -> G1Affine = -a;
    g1_from_affine(a: G1Affine) -> G1Xyzz = G1Xyzz::from(a);
    g1_to_affine(a: G1Xyzz) -> G1Affine = a.to_affine();
    g1_double(a: G1Xyzz) -> G1Xyzz = a.double();
    g1_add_affine(a: G1Xyzz, b: G1Affine) -> G1Xyzz = a.add_affine(&b);
    g1_add(a: G1Xyzz, b: G1Xyzz) -> G1Xyzz = a.add(&b);
    g2_neg(a: G2Xyzz) -> G2Xyzz = -a;
    g2_neg_affine(a: G2Affine) -> G2Affine = -a;
    g2_from_affine(a: G2Affine) -> G2Xyzz = G2Xyzz::from(a);
    g2_to_affine(a: G2Xyzz) -> G2Affine = a.to_affine();
    g2_double(a: G2Xyzz) -> G2Xyzz = a.double();
    g2_add_affine(a: G2Xyzz, b: G2Affine) -> G2Xyzz = a.add_affine(&b);
    g2_add(a: G2Xyzz, b: G2Xyzz) -> G2Xyzz = a.add(&b);
}
