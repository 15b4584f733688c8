//! A device with its memory, and the keys in it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::Options;
use super::error::Error;
use crate::gpu::{Device, DeviceSlice, Module};
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
        device: &Device,
        keys: &[Arc<dyn Key>],
        contents: &[Contents],
        options: &Options,
    ) -> Result<Self, Error> {
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
            plan,
        })
    }

    /// The number of a slot that nobody has. The interlock admits no more partitions than there are slots.
    pub fn take_slot(&self) -> usize {
        lock(&self.free_slots).pop().expect("as many as are admitted")
    }

    pub fn give_slot(&self, slot: usize) {
        lock(&self.free_slots).push(slot);
    }

    pub fn slot(&self, slot: usize) -> &DeviceSlice<u8> {
        &self.slots[slot]
    }

    /// Scratch memory for a partition of a key in a slot; by the compute lock, or by the slot, it is nobody
    /// else's.
    pub fn take_scratch(&self, slot: usize, key: usize) -> Result<Scratch, Error> {
        let place = slot % self.scratches.len();
        match lock(&self.spare).remove(&(place, key)) {
            Some(scratch) => Ok(scratch),
            // A partition that failed has lost it.
            None => Ok(Scratch::new(&self.keys[key], &self.scratches[place])?),
        }
    }

    pub fn give_scratch(&self, slot: usize, key: usize, scratch: Scratch) {
        lock(&self.spare).insert((slot % self.scratches.len(), key), scratch);
    }
}

/// Leaves zeros where witnesses were, and what follows from them.
impl Drop for Site {
    fn drop(&mut self) {
        let clear = || {
            let stream = self.device.stream()?;
            let memory = self.slots.iter().chain(&self.scratches);
            memory.into_iter().try_for_each(|memory| stream.fill(memory, 0))?;
            stream.synchronize()
        };
        // A lost device has nothing that could be read.
        let _: Result<(), crate::gpu::Error> = clear();
    }
}
