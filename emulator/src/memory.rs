//! The memories: of the device, of a block, of a thread, and the shadow that finds races.

mod global;
mod shadow;
mod small;
mod words;

pub(crate) use global::{Alloc, GlobalMemory, Near, View, spread};
pub(crate) use shadow::{Cell, Found, PageGuard, PageTable, Record, Touch};
pub(crate) use small::{LocalMemory, SharedMemory};

/// Device memory starts here, above the windows of the other spaces.
pub(crate) const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;

/// The bytes of a word that an access touches: `(word, nibble)` for a run of bytes.
pub(crate) fn nibbles(offset: u64, bytes: u32) -> impl Iterator<Item = (u64, u8)> {
    let end = offset + u64::from(bytes);
    (offset / 4..end.div_ceil(4)).map(move |w| {
        let from = offset.saturating_sub(w * 4).min(4);
        let to = (end - w * 4).min(4);
        (w, (0xfu8 >> (4 - to)) & (0xf << from))
    })
}
