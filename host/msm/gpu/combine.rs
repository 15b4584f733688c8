//! What is left for the host.
//!
//! The windows' sums, with a window's doublings between them, are a chain of about 255 doublings that
//! nothing shortens. The sum of a window alone is a short chain: threads that have nothing else to do make
//! those meanwhile. Nobody waits for a thread that is busy: what none has begun becomes a part of the long
//! chain.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use group::Group as _;

use crate::curve::{BaseField as _, CurveGroup};

/// Threads that are asked for sums of windows: as many as keep ahead of the chain.
const HELPERS: usize = 6;

/// Looks at a sum before others get the processor.
const SPINS: u32 = 1 << 10;

/// The sum from those of each window: of its buckets, then for each bit of their numbers from the
/// lowest, of the buckets that have it. With bucket k of window w counting 2^(c·w)·(k + 1) it is a
/// number in binary with points for digits.
pub(super) fn combine<G: CurveGroup>(results: &[u8], bits: u32) -> G::Projective {
    let windows = Arc::new(Windows::<G>::new(results, bits));
    let count = windows.sums.len();
    for _ in 0..HELPERS.min(count - 1) {
        let windows = windows.clone();
        rayon::spawn(move || windows.help());
    }
    (0..count).fold(G::Projective::identity(), |total, i| {
        if windows.claim(i) {
            return windows.append(total, i);
        }
        (0..bits).fold(total, |total, _| total.double()) + windows.wait(i)
    })
}

/// The windows, from the highest, and those sums that helpers have made.
struct Windows<G: CurveGroup> {
    results: Vec<u8>,
    /// Bytes of a window.
    size: usize,
    sums: Vec<OnceLock<G::Projective>>,
    /// The first that nobody makes yet. The first of all is for whoever combines.
    next: AtomicUsize,
}

impl<G: CurveGroup> Windows<G> {
    fn new(results: &[u8], bits: u32) -> Self {
        let size = 2 * G::BYTES * bits as usize;
        let sums = results.chunks(size).map(|_| OnceLock::new()).collect();
        Self { results: results.to_vec(), size, sums, next: AtomicUsize::new(0) }
    }

    /// Whether a window, of those before it all are somebody's, was nobody's, and is the caller's now.
    fn claim(&self, i: usize) -> bool {
        self.next.compare_exchange(i, i + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Makes sums as long as there are some to be made.
    fn help(&self) {
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(sum) = self.sums.get(i) else { break };
            sum.get_or_init(|| self.append(G::Projective::identity(), i));
        }
    }

    /// The sum that a helper makes, which takes microseconds unless it is interrupted.
    fn wait(&self, i: usize) -> &G::Projective {
        loop {
            for _ in 0..SPINS {
                if let Some(sum) = self.sums[i].get() {
                    return sum;
                }
                hint::spin_loop();
            }
            thread::yield_now();
        }
    }

    /// The sum of windows of which the last is this one, from that of those before.
    fn append(&self, before: G::Projective, i: usize) -> G::Projective {
        let at = (self.sums.len() - 1 - i) * self.size;
        let (all, by_bit) = self.results[at..][..self.size].split_at(2 * G::BYTES);
        // The numbers of a window's buckets have one bit less than a digit.
        let sums = by_bit.chunks(2 * G::BYTES).rev();
        let sum = sums.fold(before.double(), |sum, bit| sum.double() + point::<G>(bit));
        sum + point::<G>(all)
    }
}

/// A point from x, y, zz and zzz, which stand for (x/zz, y/zzz), zz³ = zzz².
fn point<G: CurveGroup>(bytes: &[u8]) -> G::Projective {
    let mut coordinates = bytes.chunks(G::BYTES / 2).map(G::Field::from_limb_bytes);
    let [x, y, zz, zzz] = [0; 4].map(|_| coordinates.next().expect("four coordinates"));
    // z = zzz/zz has z² = zz and z³ = zzz. With z² in the place of z it takes no division:
    // x/zz = x·zz/z⁴ and y/zzz = y·zzz/z⁶.
    G::from_jacobian(&x.mul(&zz), &y.mul(&zzz), &zz)
}
