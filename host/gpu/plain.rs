//! Types that are the same bytes on host and device.

use blstrs::Scalar;
use warpfield_device::curve::{Affine, Xyzz};
use warpfield_device::field::{Fp, Fp2, Fr};
use warpfield_device::ntt::twiddle::Twiddle;

/// Plain old data: what may be copied as bytes between host and device.
///
/// # Safety
///
/// The type has no padding and an alignment of at most 8, and any bytes are a value of it: device
/// memory starts out undefined, and a kernel may write what it likes.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($why:literal: $($t:ty),*) => {$(
        #[doc = concat!("Plain: ", $why, ".")]
        // SAFETY: as the doc comment says.
        unsafe impl Plain for $t {}
    )*};
}

plain!("an integer": u8, u16, u32, u64, i8, i16, i32, i64);
// A value that is not reduced is a wrong element, and memory-safe.
plain!("an even number of 32-bit limbs, aligned to 8": Fr, Fp, Fp2, Twiddle);

/// Plain: the Montgomery form, in the bytes of [`Fr`].
// SAFETY: Scalar is repr(transparent) around blst_fr, which is four integers of 64 bits; one that is not
// reduced is a wrong element, and memory-safe.
unsafe impl Plain for Scalar {}

// SAFETY: two coordinates without padding between them.
unsafe impl<F: Plain> Plain for Affine<F> {}
// SAFETY: four coordinates without padding between them.
unsafe impl<F: Plain> Plain for Xyzz<F> {}
// SAFETY: elements that follow each other.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The bytes of values.
pub(crate) fn bytes<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: `Plain` types have no padding, so that every byte is initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of values, to be overwritten.
pub(super) fn bytes_mut<T: Plain>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as above, and any bytes are a value.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}
