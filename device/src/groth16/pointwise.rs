//! What is done element by element.

use crate::field::Fr;
use crate::gpu;
use crate::words::{read, write};

/// Defines kernels `name(values, others, count)`: `values[i] = f(values[i], others[i])`.
macro_rules! pointwise {
    ($($name:ident($value:ident, $other:ident) = $body:expr;)*) => {
        $(
            #[doc = concat!("In place, element by element over `count` values: `", stringify!($body), "`.")]
            ///
            /// # Safety
            ///
            /// The pointers are to `count` elements in global memory, at multiples of 16, and do not
            /// overlap.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(values: *mut Fr, others: *const Fr, count: u32) {
                let mut i = gpu::global_index() as usize;
                while i < count as usize {
                    // SAFETY: i < count, and the caller vouches for the arrays.
                    unsafe {
                        let ($value, $other): (Fr, Fr) = (read(values.add(i)), read(others.add(i)));
                        write(values.add(i), &$body);
                    }
                    i += gpu::grid_size() as usize;
                }
            }
        )*
    };
}

pointwise! {
    groth16_multiply(value, other) = value * other;
    groth16_subtract(value, other) = value - other;
}

/// In place, element by element over `count` values: `value * other - less`.
///
/// # Safety
///
/// The pointers are to `count` elements in global memory, at multiples of 16, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn groth16_multiply_subtract(
    values: *mut Fr,
    others: *const Fr,
    less: *const Fr,
    count: u32,
) {
    let mut i = gpu::global_index() as usize;
    while i < count as usize {
        // SAFETY: i < count, and the caller vouches for the arrays.
        unsafe {
            let (value, other): (Fr, Fr) = (read(values.add(i)), read(others.add(i)));
            let less: Fr = read(less.add(i));
            write(values.add(i), &(value * other - less));
        }
        i += gpu::grid_size() as usize;
    }
}

/// Copies the values of `count` wires: `out[i] = values[wires[i]]`.
///
/// # Safety
///
/// The pointers are to global memory: `out` and `wires` to `count` elements, `values` to one for each
/// wire, and `out` and `values` at multiples of 16. `out` overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn groth16_gather(
    out: *mut [u32; 8],
    values: *const [u32; 8],
    wires: *const u32,
    count: u32,
) {
    let mut i = gpu::global_index() as usize;
    while i < count as usize {
        // SAFETY: i < count, and the caller vouches for the arrays.
        unsafe {
            let wire = wires.add(i).read();
            write(out.add(i), &read(values.add(wire as usize)));
        }
        i += gpu::grid_size() as usize;
    }
}
