//! Many points lose their denominators, with one inversion for all.

use super::{Affine, Xyzz};
use crate::field::{Field, batch::Share};
use crate::slots::Slots;
use crate::words::{read, write};

/// The slots: the running product or inverse, a point's inverse denominators 1/z³ and 1/z², and one of its
/// coordinates.
const U: u32 = 0;
const V: u32 = 1;
const W: u32 = 2;
const T: u32 = 3;

const _: () = assert!(T < crate::launch::SUM_SLOTS);

/// The denominator z³, or 1 for infinity.
#[inline(always)]
unsafe fn denominator<F: Field>(point: *const Xyzz<F>) -> F {
    // SAFETY: the caller's.
    let zzz = unsafe { read(&raw const (*point).zzz) };
    if zzz.is_zero() { F::ONE } else { zzz }
}

/// Writes a share of `points` without denominators to `out`; infinity as (0, 0).
///
/// # Safety
///
/// The pointers are to arrays of `share.count` elements, at multiples of 16, which do not overlap, and of
/// which nobody else accesses this share meanwhile; `prefixes` is overwritten.
#[inline(always)]
pub unsafe fn normalize<F: Field, const THREADS: u32>(
    slots: Slots<F, THREADS>,
    out: *mut Affine<F>,
    points: *const Xyzz<F>,
    prefixes: *mut F,
    Share { first, stride, count }: Share,
) {
    slots.set(U, &F::ONE);
    let mut i = first;
    while i < count {
        // SAFETY: i < count, and it is in the share.
        unsafe {
            write(prefixes.add(i), &slots.get(U));
            slots.set(T, &denominator(points.add(i)));
        }
        slots.multiply(U, U, T);
        i += stride;
    }
    if i == first {
        return;
    }
    slots.set(U, &slots.get(U).invert());
    while i > first {
        i -= stride;
        // SAFETY: as above; a point is four coordinates.
        unsafe {
            let point = points.add(i);
            slots.set(V, &read(prefixes.add(i)));
            slots.set(T, &denominator(point));
            slots.multiply(V, V, U);
            slots.multiply(U, U, T);
            // 1/z² = (z²/z³)².
            slots.set(T, &read(&raw const (*point).zz));
            slots.multiply(W, V, T);
            slots.square(W, W);
            slots.set(T, &read(&raw const (*point).x));
            slots.multiply(W, W, T);
            slots.set(T, &read(&raw const (*point).y));
            slots.multiply(V, V, T);
            let mut affine = Affine { x: slots.get(W), y: slots.get(V) };
            if read(&raw const (*point).zz).is_zero() {
                affine = Affine::INFINITY;
            }
            write(out.add(i), &affine);
        }
    }
}
