//! Many inverses for the price of one and three products each.

use super::Field;
#[cfg(target_arch = "nvptx64")]
use crate::gpu;

/// Every `stride`-th of `count` elements, from `first` on: what one thread of a grid takes.
///
/// Neighbouring threads take neighbouring elements, so that a warp's accesses are to one run of
/// memory.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// The first element: the thread's index.
    pub first: usize,
    /// How far apart they are: the number of threads. Not 0.
    pub stride: usize,
    /// The length of the array.
    pub count: usize,
}

#[cfg(target_arch = "nvptx64")]
impl Share {
    /// What this thread takes of an array of `count` elements.
    #[inline(always)]
    pub fn of_thread(count: u32) -> Self {
        Self {
            first: gpu::global_index() as usize,
            stride: gpu::grid_size() as usize,
            count: count as usize,
        }
    }
}

/// Writes the inverses of a share of `values` to the same places of `out`; zero stays zero.
///
/// Montgomery's trick: `prefixes` gets the product of the elements before each one, and the inverse
/// of the product of all is then taken apart from the end. Zeros are passed over.
///
/// # Safety
///
/// The pointers are to arrays of `share.count` elements, of which nobody else accesses this share
/// meanwhile. Two of them may be the same, but for `values` and `prefixes`; else they do not overlap.
#[inline]
pub unsafe fn invert_batch<F: Field>(
    out: *mut F,
    values: *const F,
    prefixes: *mut F,
    share: Share,
) {
    let Share { first, stride, count } = share;
    let mut product = F::ONE;
    let mut i = first;
    while i < count {
        // SAFETY: i < count, and it is in the share.
        unsafe {
            prefixes.add(i).write(product);
            product = product * or_one(values.add(i).read());
        }
        i += stride;
    }
    if i == first {
        return;
    }
    let mut inverse = product.invert();
    while i > first {
        i -= stride;
        // SAFETY: as above; a place is read before it is written.
        unsafe {
            let value = values.add(i).read();
            let inverted = inverse * prefixes.add(i).read();
            out.add(i).write(if value.is_zero() { F::ZERO } else { inverted });
            inverse = inverse * or_one(value);
        }
    }
}

/// One in place of zero: the factor that passes it over, without a branch around a product.
#[inline(always)]
fn or_one<F: Field>(value: F) -> F {
    if value.is_zero() { F::ONE } else { value }
}
