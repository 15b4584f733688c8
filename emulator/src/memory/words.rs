//! Zeroed arrays of atomics without touching their pages.

use std::sync::atomic::AtomicU32;

/// `len` zeros. The pages come from the system on first use, so that an arena of many gigabytes
/// costs what is used of it.
pub(crate) fn zeroed(len: usize) -> Box<[AtomicU32]> {
    let words = Box::<[AtomicU32]>::new_zeroed_slice(len);
    // SAFETY: an AtomicU32 has the representation of a u32, for which all zeros is a value.
    unsafe { words.assume_init() }
}
