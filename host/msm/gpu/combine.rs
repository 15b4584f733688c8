//! What is left for the host.

use group::Group as _;
use rayon::prelude::*;

use crate::curve::{BaseField as _, CurveGroup};

/// Parts of the chain that are computed side by side: each makes the others' doublings once more.
const PARTS: usize = 8;

/// The sum from those of each window: of its buckets, then for each bit of their numbers from the
/// lowest, of the buckets that have it. With bucket k of window w counting 2^(c·w)·(k + 1) it is a
/// number in binary with points for digits.
pub(super) fn combine<G: CurveGroup>(results: &[u8], bits: u32) -> G::Projective {
    let window = 2 * G::BYTES * bits as usize;
    let parts = PARTS.min(rayon::current_num_threads());
    let windows = (results.len() / window).div_ceil(parts);
    let sums = results.par_chunks(windows * window).map(|part| chain::<G>(part, window));
    let sums: Vec<_> = sums.collect();
    sums.iter().rev().fold(G::Projective::identity(), |total, sum| {
        (0..windows as u32 * bits).fold(total, |total, _| total.double()) + sum
    })
}

/// The sum over some windows of so many bytes each.
fn chain<G: CurveGroup>(results: &[u8], window: usize) -> G::Projective {
    let mut total = G::Projective::identity();
    for window in results.chunks(window).rev() {
        let (all, by_bit) = window.split_at(2 * G::BYTES);
        // The numbers of a window's buckets have one bit less than a digit.
        total = total.double();
        for sum in by_bit.chunks(2 * G::BYTES).rev() {
            total = total.double() + point::<G>(sum);
        }
        total += point::<G>(all);
    }
    total
}

/// A point from x, y, zz and zzz, which stand for (x/zz, y/zzz), zz³ = zzz².
fn point<G: CurveGroup>(bytes: &[u8]) -> G::Projective {
    let mut coordinates = bytes.chunks(G::BYTES / 2).map(G::Field::from_limb_bytes);
    let [x, y, zz, zzz] = [0; 4].map(|_| coordinates.next().expect("four coordinates"));
    // z = zzz/zz has z² = zz and z³ = zzz. With z² in the place of z it takes no division:
    // x/zz = x·zz/z⁴ and y/zzz = y·zzz/z⁶.
    G::from_jacobian(&x.mul(&zz), &y.mul(&zzz), &zz)
}
