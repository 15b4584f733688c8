//! Transforms of fewer elements than a thread of a pass holds, by their definition.

use super::flags;
use crate::field::{Field, Fr};
use crate::words::{read, write};

/// The transform of 2 to the `log_size` elements, fewer than eight, by one thread.
///
/// With `constants` = ω, g, h and c, output j is `c·hʲ·Σ xᵢ·(g·ωʲ)ⁱ`.
///
/// # Safety
///
/// The pointers are at multiples of 16: `out` to as many elements, `input` to the first `available` of
/// them, `constants` to four. `out` may be `input`.
#[inline(always)]
pub unsafe fn run(
    out: *mut Fr,
    input: *const Fr,
    constants: *const Fr,
    available: u64,
    log_size: u32,
    flag: u32,
) {
    // SAFETY: there are four.
    let [root, shift, scale, first] = [0, 1, 2, 3].map(|i| unsafe { read(constants.add(i)) });
    let size = 1 << log_size;
    let place =
        |i: u32, reversed: bool| if reversed && log_size == 2 { i >> 1 | (i & 1) << 1 } else { i };
    let element = |i: u32| {
        let place = place(i, flag & flags::INPUT_REVERSED != 0);
        if i < size && u64::from(place) < available {
            // SAFETY: there are so many.
            unsafe { read(input.add(place as usize)) }
        } else {
            Fr::ZERO
        }
    };
    let x = [element(0), element(1), element(2), element(3)];
    let (mut point, mut factor) = (shift, first);
    let mut j = 0;
    while j < size {
        let value = (((x[3] * point + x[2]) * point + x[1]) * point + x[0]) * factor;
        let place = place(j, flag & flags::REVERSED != 0);
        // SAFETY: below the size; the input has been read.
        unsafe { write(out.add(place as usize), &value) };
        (point, factor) = (point * root, factor * scale);
        j += 1;
    }
}
