//! A device with its memory, and the keys in it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::Options;
use super::error::Error;
use crate::gpu::{Device, DeviceSlice, Module, Stream};
use crate::groth16::Key;
use crate::groth16::gpu::{Contents, DeviceKey, Kernels, Scratch, Sizes};
use crate::pipeline::interlock::{Interlock, Strategy};
use crate::pipeline::memory::{MemoryPlan, Wishes};
use crate::pipeline::monitor::lock;
use crate::pipeline::timeline::DeviceClock;
use crate::ptx;

/// What is between a device's memory and what is taken of it: for the driver, and for what is allocated in the
/// course of things.
const SPARE: u64 = 512 << 20;

/// A device, for all its workers.
pub(super) struct Site {
    pub number: u32,
    pub device: Device,
    /// Those of all sites.
    devices: Vec<Device>,
    pub interlock: Interlock,
    pub plan: MemoryPlan,
    pub keys: Vec<DeviceKey>,
    /// None if nothing is recorded.
    pub clock: Option<DeviceClock>,
    free_slots: Mutex<Vec<usize>>,
    slots: Vec<DeviceSlice<u8>>,
    scratches: Vec<DeviceSlice<u8>>,
    /// By place and key, those that nobody uses.
    spare: Mutex<BTreeMap<(usize, usize), Scratch>>,
    /// Clears memory.
    stream: Stream,
}

/// The kernels, on a device.
pub(super) fn kernels(device: &Device) -> Result<Kernels, Error> {
    Ok(Kernels::new(device, &Module::load(device, ptx::MODULE)?)?)
}

/// The plan for a device's memory.
pub(super) fn plan(
    kernels: &Kernels,
    sizes: &[Sizes],
    options: &Options,
) -> Result<MemoryPlan, Error> {
    let free = kernels.device().memory()?.free.saturating_sub(SPARE);
    let wishes = Wishes {
        bytes: options.device_bytes.unwrap_or(free as usize),
        tables: options.table_bytes,
        slots: options.slots.unwrap_or(options.workers).max(1),
        at_once: options.strategy == Strategy::None,
    };
    Ok(MemoryPlan::new(kernels, sizes, wishes)??)
}

impl Site {
    pub fn new(
        number: u32,
        devices: &[Device],
        keys: &[Arc<dyn Key>],
        contents: &[Contents],
        options: &Options,
    ) -> Result<Self, Error> {
        let device = &devices[number as usize];
        let kernels = kernels(device)?;
        let sizes: Vec<_> = contents.iter().map(Contents::sizes).collect();
        let plan = plan(&kernels, &sizes, options)?;
        let arena = device.alloc::<u8>(plan.bytes())?;
        let [of_keys, slots, scratches] = plan
            .ranges()
            .map(|ranges| ranges.into_iter().map(|range| arena.slice(range)).collect::<Vec<_>>());
        let stream = device.stream()?;
        let keys = keys.iter().zip(contents).zip(of_keys.iter().zip(plan.keys()));
        let keys = keys.map(|((key, contents), (memory, plan))| {
            // Nobody needs the scratch memory yet.
            let room = &scratches[0];
            DeviceKey::load(&kernels, &stream, key.clone(), contents, &plan.residence, memory, room)
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let mut spare = BTreeMap::new();
        for (place, memory) in scratches.iter().enumerate() {
            for (index, key) in keys.iter().enumerate() {
                spare.insert((place, index), Scratch::new(key, memory)?);
            }
        }
        let capacity = plan.slots() * plan.slot_bytes();
        Ok(Self {
            number,
            device: device.clone(),
            devices: devices.to_vec(),
            interlock: Interlock::new(options.strategy, capacity)?,
            keys,
            clock: options
                .timeline
                .is_on()
                .then(|| DeviceClock::new(device, number))
                .transpose()?,
            free_slots: Mutex::new((0..plan.slots()).collect()),
            slots,
            scratches,
            spare: Mutex::new(spare),
            stream,
            plan,
        })
    }

    /// Whether its workers take partitions that any device could. A lost device fails them quicker than the others
    /// prove them, so that it would have them all.
    pub fn takes_any(&self) -> bool {
        let is_lost = |device: &Device| device.check().is_err();
        !is_lost(&self.device) || self.devices.iter().all(is_lost)
    }

    /// The number of a slot that nobody has. The interlock admits no more partitions than there are slots.
    pub fn take_slot(&self) -> usize {
        lock(&self.free_slots).pop().expect("as many as are admitted")
    }

    pub fn give_slot(&self, slot: usize) {
        lock(&self.free_slots).push(slot);
    }

    #[cfg(test)]
    pub fn free_slots(&self) -> usize {
        lock(&self.free_slots).len()
    }

    /// What partitions have.
    #[cfg(test)]
    pub fn memory(&self) -> impl Iterator<Item = &DeviceSlice<u8>> {
        self.slots.iter().chain(&self.scratches)
    }

    pub fn slot(&self, slot: usize) -> &DeviceSlice<u8> {
        &self.slots[slot]
    }

    /// Scratch memory for a partition of a key in a slot; by the compute lock, or by the slot, it is nobody
    /// else's.
    pub fn take_scratch(&self, slot: usize, key: usize) -> Result<Scratch, Error> {
        let place = self.place(slot);
        match lock(&self.spare).remove(&(place, key)) {
            Some(scratch) => Ok(scratch),
            // A partition that failed has lost it.
            None => Ok(Scratch::new(&self.keys[key], &self.scratches[place])?),
        }
    }

    pub fn give_scratch(&self, slot: usize, key: usize, scratch: Scratch) {
        lock(&self.spare).insert((self.place(slot), key), scratch);
    }

    /// Leaves zeros in a slot, and in the scratch memory of a partition there. Nobody uses them.
    pub fn clear_slot(&self, slot: usize, with_scratch: bool) {
        let scratch = with_scratch.then(|| &self.scratches[self.place(slot)]);
        self.clear(std::iter::once(&self.slots[slot]).chain(scratch));
    }

    /// Where partitions in a slot have their scratch memory.
    fn place(&self, slot: usize) -> usize {
        slot % self.scratches.len()
    }

    fn clear<'a>(&self, memory: impl Iterator<Item = &'a DeviceSlice<u8>>) {
        // As much as can be, whatever fails.
        let cleared = memory.map(|memory| self.stream.fill(memory, 0)).fold(Ok(()), Result::and);
        let cleared = cleared.and(self.stream.synchronize());
        // A lost device has nothing that could be read.
        if let (Err(error), Ok(())) = (cleared, self.device.check()) {
            tracing::warn!("device {}: memory of a witness is not cleared: {error}", self.number);
        }
    }
}

/// Leaves zeros where witnesses were, and what follows from them.
impl Drop for Site {
    fn drop(&mut self) {
        self.clear(self.slots.iter().chain(&self.scratches));
    }
}
