//! Entries of a bin become sorted by bucket.

use super::words::{SharedWords, for_all, for_all_of_warps};
use crate::gpu;
use crate::launch::WARP;

/// Writes the entries of a bin, sorted by bucket, and where its buckets start. A bin for each block:
/// the last one for the first block, as those of the highest digits have the most entries.
///
/// # Safety
///
/// The pointers are to global memory: `ends` to where each of `bins` bins ends, with one more
/// before the first; `entries` to as many as there are, as are `values` and `buckets`, which
/// [`msm_partition`](super::partition::msm_partition) has left; `starts` to `bins·2^low + 1` elements.
/// There are `bins` blocks, of whole warps, with the shared memory of
/// [`sort_words`](super::sort_words) for `room` entries.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn msm_sort(
    entries: *mut u32,
    starts: *mut u32,
    values: *const u32,
    buckets: *const u16,
    ends: *const u32,
    bins: u32,
    low: u32,
    room: u32,
) {
    let bin = bins - 1 - gpu::block_index().0;
    // SAFETY: the caller vouches for the arrays, and for the launch.
    unsafe {
        let first = ends.add(bin as usize).read();
        let end = ends.add(bin as usize + 1).read();
        let count = end - first;
        let entries = entries.add(first as usize);
        let bucket = |i: u32| u32::from(buckets.add((first + i) as usize).read());
        let entry = |i: u32| (bucket(i), values.add((first + i) as usize).read());

        let places = SharedWords::first(1 << low);
        places.for_each(|bucket| places.set(bucket, 0));
        gpu::barrier();
        // A bin with more entries than are to be expected has them in few buckets: ones, for instance.
        if count > room {
            for_all_of_warps::<_, 8>(count, bucket, |i, bucket| {
                places.count(if i < count { bucket } else { SharedWords::NONE });
            });
        } else {
            for_all::<_, 8>(count, bucket, |_, bucket| {
                places.add(bucket, 1);
            });
        }
        gpu::barrier();
        places.sum_up(places.after(WARP));
        let starts = starts.add((bin as usize) << low);
        places.for_each(|bucket| starts.add(bucket as usize).write(first + places.get(bucket)));
        if bin == bins - 1 && gpu::thread_index() == 0 {
            starts.add(1 << low).write(end);
        }
        gpu::barrier();
        if count > room {
            for_all_of_warps::<_, 4>(count, entry, |i, (bucket, value)| {
                let place = places.count(if i < count { bucket } else { SharedWords::NONE });
                if i < count {
                    entries.add(place as usize).write(value);
                }
            });
            return;
        }
        // By way of shared memory, so that they go to memory side by side.
        let staged = places.after(room);
        for_all::<_, 4>(count, entry, |_, (bucket, value)| {
            staged.set(places.add(bucket, 1), value);
        });
        gpu::barrier();
        let sorted = |i| staged.get(i);
        for_all::<_, 4>(count, sorted, |i, value| entries.add(i as usize).write(value));
    }
}
