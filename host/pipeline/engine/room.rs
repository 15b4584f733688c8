//! A partition's slot.

use super::device::Site;

/// A slot that a partition has. No stream uses it between [`upload`](super::partition::upload) and
/// [`Compute::run`](super::partition::Compute::run), nor after them, so that it can be given back at any time.
pub(super) struct Room<'a> {
    site: &'a Site,
    /// The slot's number.
    pub slot: usize,
}

impl<'a> Room<'a> {
    /// For a partition that is admitted.
    pub fn take(site: &'a Site) -> Self {
        Self { site, slot: site.take_slot() }
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.site.give_slot(self.slot);
    }
}
