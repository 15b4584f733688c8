//! Digits become entries, bin by bin.

use core::num::NonZeroU32;

use super::bins::Bins;
use super::words::{SharedWords, for_all};
use super::{DIGITS, NO_BUCKET, SIGN};
use crate::gpu;

/// Writes the entries of [`DIGITS`] digits a thread of one window to their bins: what they are, and
/// their buckets in the bins.
///
/// The block sorts its entries by bin in shared memory, so that those of a bin go to memory side by
/// side, and takes room in each bin once.
///
/// # Safety
///
/// The pointers are to global memory: `values`, `buckets` and `digits` to `windows·count` elements,
/// the last as [`msm_digits`](super::count::msm_digits) has left them; `ends` to where the next
/// entry of each bin goes, which is in the end where the bin ends. A copy of the points has
/// `points` of them. The grid has as many columns as take the digits of a window, and a row for each
/// window. Blocks are of whole warps, with the shared memory of [`partition_words`](super::partition_words).
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_partition(
    values: *mut u32,
    buckets: *mut u16,
    ends: *mut u32,
    digits: *const u32,
    count: u32,
    points: u32,
    groups: u32,
    bits: u32,
    low: u32,
) {
    let Some(groups) = NonZeroU32::new(groups) else { return };
    let bins = Bins { groups, bits, low };
    let (tile, window) = gpu::block_index();
    let room = DIGITS * gpu::block_size();
    let first = tile * room;
    // SAFETY: of this window, and below the count of the tile.
    let digit = |i| unsafe { digits.add((window * count + first + i) as usize).read() };
    let count = (count - first).min(room);

    // SAFETY: the caller vouches for the launch. One counter more becomes the sum of all.
    let places = unsafe { SharedWords::first(bins.of_group() + 1) };
    let offsets = places.after(bins.of_group());
    let tile = offsets.after(room);
    let order = tile.after(room / 2);
    places.for_each(|bin| places.set(bin, 0));
    gpu::barrier();
    for_all::<_, 8>(count, digit, |i, digit| {
        tile.set(i, digit);
        if digit != NO_BUCKET {
            places.add(bins.bin(digit), 1);
        }
    });
    gpu::barrier();
    // SAFETY: all threads are here. The order comes later.
    unsafe { places.sum_up(order) };

    // From a place in the order to that among all entries.
    offsets.for_each(|bin| {
        let start = places.get(bin);
        let entries = places.get(bin + 1) - start;
        if entries != 0 {
            let counter = (window % groups) * bins.of_group() + bin;
            // SAFETY: a counter for each bin.
            let end = unsafe { gpu::fetch_add(ends.add(counter as usize), entries) };
            offsets.set(bin, end.wrapping_sub(start));
        }
    });
    let total = places.get(bins.of_group());
    gpu::barrier();
    let own = |i| tile.get(i);
    for_all::<_, 4>(count, own, |i, digit| {
        if digit != NO_BUCKET {
            order.set_half(places.add(bins.bin(digit), 1), i);
        }
    });
    gpu::barrier();
    let index = (window / groups) * points + first;
    let entry = |place| {
        let i = order.get_half(place);
        (i, tile.get(i))
    };
    for_all::<_, 4>(total, entry, |place, (i, digit)| {
        let to = place.wrapping_add(offsets.get(bins.bin(digit))) as usize;
        // SAFETY: there is room for the entries that were counted.
        unsafe {
            values.add(to).write(index + i | digit & SIGN);
            buckets.add(to).write(bins.bucket(digit) as u16);
        }
    });
}
