//! A partition's slot.

use super::device::Site;
use super::error::Error;
use crate::groth16::gpu::Scratch;

/// A slot that a partition has, and the scratch memory that goes with it. No stream uses them between
/// [`upload`](super::partition::upload) and [`Compute::run`](super::partition::Compute::run), nor after them, so that
/// it can be given back at any time. Whatever became of the partition, nothing of it is left there.
pub(super) struct Room<'a> {
    site: &'a Site,
    /// The slot's number.
    pub slot: usize,
    has_scratch: bool,
    /// By the partition itself.
    is_cleared: bool,
}

impl<'a> Room<'a> {
    /// For a partition that is admitted.
    pub fn take(site: &'a Site) -> Self {
        Self { site, slot: site.take_slot(), has_scratch: false, is_cleared: false }
    }

    /// Scratch memory for the partition, which is one of this key and may compute.
    pub fn take_scratch(&mut self, key: usize) -> Result<Scratch, Error> {
        self.has_scratch = true;
        self.site.take_scratch(self.slot, key)
    }

    /// Gives the scratch memory back after [`Compute::run`](super::partition::Compute::run), which cleared the slot.
    pub fn give_scratch(&mut self, key: usize, scratch: Scratch) {
        self.site.give_scratch(self.slot, key, scratch);
        self.is_cleared = true;
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if !self.is_cleared {
            self.site.clear_slot(self.slot, self.has_scratch);
        }
        self.site.give_slot(self.slot);
    }
}
