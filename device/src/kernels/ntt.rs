//! Transforms: see [`ntt`](crate::ntt).

use crate::field::{Field, Fr};
use crate::gpu;
use crate::ntt::pass::{self, Pass};
use crate::ntt::twiddle::Twiddle;
use crate::words::{read, write};

/// Defines kernels of a pass.
macro_rules! passes {
    ($($name:ident: $transposed:literal, $held:literal;)*) => {
        $(
            /// A pass over `2^log_size` elements; the grid's second dimension is of transforms that lie
            /// one after the other.
            ///
            /// # Safety
            ///
            /// As [`pass::run`]. The grid has a block for each tile, in its first dimension. Of the
            /// input there are `available` elements in each transform's place.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $name(
                out: *mut Fr,
                input: *const Fr,
                twiddles: *const Twiddle,
                available: u64,
                log_size: u32,
                first: u32,
                layers: u32,
                log_columns: u32,
                flags: u32,
            ) {
                let (tile, transform) = gpu::block_index();
                let pass = Pass { log_size, first, layers, log_columns, flags, tile, available };
                let offset = (transform as usize) << log_size;
                // SAFETY: the caller vouches for it.
                unsafe {
                    pass::run::<$transposed, $held>(pass, out.add(offset), input.add(offset), twiddles);
                }
            }
        )*
    };
}

passes! {
    ntt_pass_two: false, 2;
    ntt_pass_two_transposed: true, 2;
    ntt_pass_four: false, 4;
    ntt_pass_four_transposed: true, 4;
}

/// Makes `count` twiddles in bit-reversed order: entry j is the product of `roots[a]` for the bits a
/// of j, where `roots[a]` has order 2ᵃ⁺². With `shifts`, the entry at 2ˡ + j is that entry times
/// `shifts[l]`, which is the coset's shift to the n/2ˡ⁺¹; without it is null.
///
/// # Safety
///
/// The pointers are at multiples of 16; `out` is to `count` elements, `roots` and `shifts` to as many
/// as `count` has bits.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn ntt_twiddles(
    out: *mut Twiddle,
    roots: *const Fr,
    shifts: *const Fr,
    count: u32,
) {
    let mut i = gpu::global_index();
    while i < count {
        let (mut bits, mut product) = (i, Fr::ONE);
        // Entry 0 of layered twiddles is of no layer.
        if !shifts.is_null() && i != 0 {
            let layer = 31 - i.leading_zeros();
            bits = i ^ 1 << layer;
            // SAFETY: a bit of the count.
            product = unsafe { read(shifts.add(layer as usize)) };
        }
        let mut a = 0;
        while bits >> a != 0 {
            if bits >> a & 1 == 1 {
                // SAFETY: a bit of the count.
                product = product * unsafe { read(roots.add(a as usize)) };
            }
            a += 1;
        }
        // SAFETY: i < count.
        unsafe { write(out.add(i as usize), &Twiddle::of(&product)) };
        i += gpu::grid_size();
    }
}

/// Writes `2^log_size` elements in bit-reversed order, of transforms that lie one after the other in
/// the grid's second dimension. Elements from `available` on are zeros.
///
/// # Safety
///
/// The pointers are at multiples of 16, to `2^log_size` elements for each transform, and do not
/// overlap.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn ntt_bit_reverse(
    out: *mut Fr,
    input: *const Fr,
    available: u64,
    log_size: u32,
) {
    let offset = (gpu::block_index().1 as usize) << log_size;
    let mut i = u64::from(gpu::global_index());
    while i < 1 << log_size {
        // SAFETY: i < available.
        let value =
            if i < available { unsafe { read(input.add(offset + i as usize)) } } else { Fr::ZERO };
        // A shift by 64 would be none.
        let place = (i.reverse_bits() >> 1) >> (63 - log_size);
        // SAFETY: below the size.
        unsafe { write(out.add(offset + place as usize), &value) };
        i += u64::from(gpu::grid_size());
    }
}
