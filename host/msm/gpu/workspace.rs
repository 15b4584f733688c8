//! The memory of a sum.

use warpfield_device::curve::{Affine, Xyzz};

use super::error::Error;
use super::group::DeviceGroup;
use super::plan::Plan;
use crate::gpu::{Device, DeviceSlice, PinnedBuffer, Plain};

/// What a sum needs besides its operands: one allocation on the device, and a small one of pinned
/// memory for what comes back.
#[derive(Debug)]
pub struct Workspace<G> {
    pub(super) plan: Plan<G>,
    memory: DeviceSlice<u8>,
    results: PinnedBuffer<u8>,
}

/// Its parts, as in [`Layout`](super::plan::Layout).
pub(super) struct Parts<F> {
    pub ends: DeviceSlice<u32>,
    pub starts: DeviceSlice<u32>,
    pub firsts: DeviceSlice<u32>,
    pub tiles: DeviceSlice<u32>,
    pub rests: DeviceSlice<u32>,
    pub order: DeviceSlice<u32>,
    pub entries: DeviceSlice<u32>,
    pub binned: DeviceSlice<u32>,
    pub binned_buckets: DeviceSlice<u16>,
    pub sums: DeviceSlice<Xyzz<F>>,
    pub parts: DeviceSlice<Xyzz<F>>,
    pub part_buckets: DeviceSlice<u32>,
    pub taken: DeviceSlice<u32>,
    pub runs: DeviceSlice<[u32; 4]>,
    pub left: DeviceSlice<Affine<F>>,
    pub before: DeviceSlice<F>,
    pub results: DeviceSlice<Xyzz<F>>,
}

impl<G: DeviceGroup> Workspace<G> {
    pub(super) fn new(device: &Device, plan: Plan<G>) -> Result<Self, Error> {
        let memory = device.alloc(plan.bytes())?;
        Self::within(device, plan, &memory)
    }

    /// In memory that is there, which others may have too whose sums are made before or after.
    pub(super) fn within(
        device: &Device,
        plan: Plan<G>,
        memory: &DeviceSlice<u8>,
    ) -> Result<Self, Error> {
        Ok(Self {
            plan,
            memory: memory.slice(..plan.bytes()),
            results: device.alloc_pinned(plan.layout().results.len())?,
        })
    }

    pub(super) fn into_parts(self) -> (Plan<G>, DeviceSlice<u8>, PinnedBuffer<u8>) {
        (self.plan, self.memory, self.results)
    }

    pub(super) fn from_parts(
        plan: Plan<G>,
        memory: DeviceSlice<u8>,
        results: PinnedBuffer<u8>,
    ) -> Self {
        Self { plan, memory, results }
    }

    /// What it is for.
    #[must_use]
    pub fn plan(&self) -> &Plan<G> {
        &self.plan
    }

    /// The points for the host, in device memory.
    pub(super) fn results(&self) -> DeviceSlice<u8> {
        self.memory.slice(self.plan.layout().results)
    }

    pub(super) fn parts(&self) -> Parts<G::Coordinate> {
        let layout = self.plan.layout();
        Parts {
            ends: cast(&self.memory.slice(layout.ends)),
            starts: cast(&self.memory.slice(layout.starts)),
            firsts: cast(&self.memory.slice(layout.firsts)),
            tiles: cast(&self.memory.slice(layout.tiles)),
            rests: cast(&self.memory.slice(layout.rests)),
            order: cast(&self.memory.slice(layout.order)),
            entries: cast(&self.memory.slice(layout.entries)),
            binned: cast(&self.memory.slice(layout.binned)),
            binned_buckets: cast(&self.memory.slice(layout.binned_buckets)),
            sums: cast(&self.memory.slice(layout.sums)),
            parts: cast(&self.memory.slice(layout.parts)),
            part_buckets: cast(&self.memory.slice(layout.part_buckets)),
            taken: cast(&self.memory.slice(layout.taken)),
            runs: cast(&self.memory.slice(layout.runs)),
            left: cast(&self.memory.slice(layout.left)),
            before: cast(&self.memory.slice(layout.before)),
            results: cast(&self.memory.slice(layout.results)),
        }
    }
}

fn cast<T: Plain>(part: &DeviceSlice<u8>) -> DeviceSlice<T> {
    part.cast().expect("parts are aligned and of whole elements")
}
