//! The memory of a streamed sum, and its streams.

use super::plan::StreamedPlan;
use crate::gpu::{Device, DeviceSlice, Event, Staging, Stream};
use crate::msm::gpu::{DeviceGroup, Error, Workspace};

/// What a streamed sum needs besides operands that are in device memory: some memory there, a stream for
/// copies, and pinned memory for results and for operands that are in pageable memory, which it
/// keeps the last ones of until it is dropped.
#[derive(Debug)]
pub struct StreamedWorkspace<G> {
    pub(super) plan: StreamedPlan<G>,
    pub(super) copies: Stream,
    /// The caller's stream is where the sum begins: its memory is nobody else's from there on.
    pub(super) begun: Event,
    pub(super) sets: [Set; 2],
    pub(super) staging: Staging,
    /// For each plan those that no sum uses. All have the same device memory: their sums are made one after
    /// the other.
    pub(super) idle: Vec<Vec<Workspace<G>>>,
}

/// Room for the operands of a chunk.
#[derive(Debug)]
pub(super) struct Set {
    pub bases: DeviceSlice<u8>,
    pub scalars: DeviceSlice<u8>,
    /// They are there.
    pub copied: Event,
    /// They are not needed any more.
    pub used: Event,
}

impl<G: DeviceGroup> StreamedWorkspace<G> {
    /// In memory that is there, which others may have too whose sums are made before or after.
    pub(super) fn within(
        device: &Device,
        plan: StreamedPlan<G>,
        memory: &DeviceSlice<u8>,
    ) -> Result<Self, Error> {
        let layout = plan.layout();
        let [even, odd] = layout.sets.map(|set| -> Result<_, Error> {
            Ok(Set {
                bases: memory.slice(set.bases),
                scalars: memory.slice(set.scalars),
                copied: device.event()?,
                used: device.event()?,
            })
        });
        let work = memory.slice(layout.work);
        let mut idle = Vec::new();
        for plan in &plan.plans {
            idle.push(vec![Workspace::within(device, *plan, &work)?]);
        }
        if let (Some(last), Some(plan)) = (idle.last_mut(), plan.plans.last()) {
            // One is queued while the host makes the sum of the other.
            last.push(Workspace::within(device, *plan, &work)?);
        }
        Ok(Self {
            copies: device.stream()?,
            begun: device.event()?,
            sets: [even?, odd?],
            staging: Staging::new(device, plan.piece())?,
            idle,
            plan,
        })
    }

    /// What it is for.
    #[must_use]
    pub fn plan(&self) -> &StreamedPlan<G> {
        &self.plan
    }
}
