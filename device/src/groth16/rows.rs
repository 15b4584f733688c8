//! Products of a matrix with a witness.

use super::{CUT, MULTIPLY};
use crate::field::{Field, Fr};
use crate::gpu;
use crate::launch::WARP;
use crate::limbs::unroll;
use crate::words::{read, write};

/// Writes a row's sum to its place, or multiplies what is there by it.
///
/// # Safety
///
/// `out` is to 2 to the `log_rows` elements in global memory, at a multiple of 16, and `row` is below
/// that. No other thread has the same one.
#[inline(always)]
unsafe fn put(out: *mut Fr, row: u32, log_rows: u32, sum: Fr, mode: u32) {
    // A shift by 32 would be none.
    let place = (row.reverse_bits() >> 1) >> (31 - log_rows);
    // SAFETY: the caller vouches for it.
    unsafe {
        let out = out.add(place as usize);
        let value = if mode == MULTIPLY { read(out) * sum } else { sum };
        write(out, &value);
    }
}

/// Products of a matrix of 2 to the `log_rows` rows with a witness, up to those of rows that are cut: with
/// `mode` 0 it writes them in bit-reversed order, with 1 it multiplies what is there. What comes after the
/// rows goes to `parts`.
///
/// Values are in Montgomery form, times R; the witness is integers below r. Rows come out in Montgomery
/// form.
///
/// # Safety
///
/// The pointers are to global memory: `out` to 2 to the `log_rows` elements, which are at most 2³¹; `parts`
/// to an element for each piece that comes after the rows. `starts` is to `pieces + 1` elements: where
/// the entries of each row start, then of each piece of rows that are cut, and where the last one's end, with
/// the highest bit set where there is no piece. An entry has a wire in its lower half, of which the witness
/// has the value, and in its upper half the number of one of the `values`. `out`, `parts`, `values` and
/// `witness` are at multiples of 16, and neither `out` nor `parts` overlaps anything else.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn groth16_rows(
    out: *mut Fr,
    parts: *mut Fr,
    starts: *const u32,
    entries: *const u64,
    values: *const Fr,
    witness: *const [u32; 8],
    pieces: u32,
    log_rows: u32,
    mode: u32,
) {
    let mut piece = gpu::global_index() as usize;
    while piece < pieces as usize {
        // SAFETY: below the number of pieces.
        let (start, end) = unsafe { (starts.add(piece).read(), starts.add(piece + 1).read()) };
        if start & CUT == 0 {
            let mut sum = Fr::ZERO;
            let mut i = start;
            while i < end & !CUT {
                // SAFETY: an entry of the piece, of a wire and a value that there are.
                unsafe {
                    let entry = entries.add(i as usize).read();
                    let value = read(values.add((entry >> 32) as usize));
                    let factor = read(witness.add(entry as u32 as usize));
                    sum = sum + value * Fr::from_montgomery_limbs(factor);
                }
                i += 1;
            }
            // SAFETY: a row, or a piece behind the rows; no two threads have the same one.
            unsafe {
                match piece.checked_sub(1 << log_rows) {
                    None => put(out, piece as u32, log_rows, sum, mode),
                    Some(part) => write(parts.add(part), &sum),
                }
            }
        }
        piece += gpu::grid_size() as usize;
    }
}

/// Sums up the parts of `count` rows that are cut, a warp for each, and writes them to their places or
/// multiplies what is there, as [`groth16_rows`] does.
///
/// # Safety
///
/// The pointers are to global memory, at multiples of 16 but for `rows` and `firsts`: `out` and `parts` as
/// [`groth16_rows`] has left them; `rows` to `count` different rows below 2 to the `log_rows`; `firsts`
/// to `count + 1` elements, the first part of each and what would be that of one more. Before the next
/// row's first part is one that does not count. Blocks are of whole warps.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn groth16_cut_rows(
    out: *mut Fr,
    parts: *const Fr,
    rows: *const u32,
    firsts: *const u32,
    count: u32,
    log_rows: u32,
    mode: u32,
) {
    let i = (gpu::global_index() / WARP) as usize;
    if i >= count as usize {
        return;
    }
    // SAFETY: a row that is cut.
    let (first, next) = unsafe { (firsts.add(i).read(), firsts.add(i + 1).read()) };
    let mut sum = Fr::ZERO;
    let mut part = first + gpu::lane();
    while part + 1 < next {
        // SAFETY: a part of it.
        sum = sum + unsafe { read(parts.add(part as usize)) };
        part += WARP;
    }
    let mut distance = WARP / 2;
    while distance > 0 {
        let lane = gpu::lane() ^ distance;
        let mut other = [0; 8];
        unroll!(I in 0..8 => {
            // SAFETY: all lanes have the same row, and are here.
            other[I] = unsafe { gpu::value_of(lane, sum.montgomery_limbs()[I]) };
        });
        sum = sum + Fr::from_montgomery_limbs(other);
        distance /= 2;
    }
    if gpu::lane() == 0 {
        // SAFETY: one thread of one warp has the row.
        unsafe { put(out, rows.add(i).read(), log_rows, sum, mode) };
    }
}
