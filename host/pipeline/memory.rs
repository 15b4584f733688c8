//! What lies where in a device's memory, decided before any of it is taken.

use std::fmt;
use std::ops::Range;

use crate::groth16::gpu::{Error, Kernels, KeyTables, Sizes};

/// A device's memory, in one allocation: keys, slots, scratch.
///
/// Whatever is too much is left out in this order: tables of the keys' points, in part or all of them; slots,
/// one by one down to a last one, so that nothing is staged while another partition computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    keys: Vec<KeyPlan>,
    slots: usize,
    slot_bytes: usize,
    scratches: usize,
    scratch_bytes: usize,
}

/// Of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPlan {
    /// The tables of its points.
    pub tables: KeyTables,
    /// Bytes that it takes with them.
    pub bytes: usize,
    /// Bytes that it takes without.
    pub least_bytes: usize,
}

/// What a [`MemoryPlan`] is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// Bytes that there are.
    pub bytes: usize,
    /// Bytes of them for tables, at most.
    pub tables: usize,
    /// Partitions that are on the device at a time.
    pub slots: usize,
    /// Whether they compute at the same time, and so need scratch memory each.
    pub at_once: bool,
}

/// A device's memory is not enough for any plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the device's memory is {missing} bytes too small: {keys} bytes for keys, {slot} for a witness and {scratch} for \
     its sums; give it more, or prove on the CPU"
)]
pub struct TooSmall {
    /// Bytes of keys without tables.
    pub keys: usize,
    /// Bytes of one slot.
    pub slot: usize,
    /// Bytes of scratch for one partition.
    pub scratch: usize,
    /// Bytes that all this is more than there are.
    pub missing: usize,
}

/// Where parts begin.
const ALIGNMENT: usize = 256;

impl MemoryPlan {
    /// The largest that fits, for keys of these sizes.
    ///
    /// # Errors
    ///
    /// [`TooSmall`] inside; too many points for a sum, and the driver's.
    pub fn new(
        kernels: &Kernels,
        sizes: &[Sizes],
        wishes: Wishes,
    ) -> Result<Result<Self, TooSmall>, Error> {
        let none = Self::with(kernels, sizes, wishes, 0)?;
        if none.bytes() > wishes.bytes {
            let mut one = none;
            for slots in (1..wishes.slots).rev() {
                one = Self::with(kernels, sizes, Wishes { slots, ..wishes }, 0)?;
                if one.bytes() <= wishes.bytes {
                    return Ok(Ok(one));
                }
            }
            return Ok(Err(TooSmall {
                keys: one.key_bytes(),
                slot: one.slot_bytes,
                scratch: one.scratch_bytes,
                missing: one.bytes() - wishes.bytes,
            }));
        }
        let most = Self::with(kernels, sizes, wishes, wishes.tables)?;
        if most.bytes() <= wishes.bytes {
            return Ok(Ok(most));
        }
        // Tables also change what the sums need, so that what is left is known by trying.
        let mut budget = wishes.tables.min(wishes.bytes - none.bytes());
        while budget > 0 {
            let plan = Self::with(kernels, sizes, wishes, budget)?;
            match plan.bytes().checked_sub(wishes.bytes) {
                None | Some(0) => return Ok(Ok(plan)),
                Some(over) => budget = budget.saturating_sub(over),
            }
        }
        Ok(Ok(none))
    }

    /// With so many bytes more for tables, divided by the keys' sizes.
    fn with(
        kernels: &Kernels,
        sizes: &[Sizes],
        wishes: Wishes,
        budget: usize,
    ) -> Result<Self, Error> {
        let least: Vec<usize> = sizes.iter().map(|s| s.key_bytes(&s.tables(0))).collect();
        let all = least.iter().sum::<usize>().max(1) as u128;
        let mut scratch = 0;
        let mut keys = Vec::with_capacity(sizes.len());
        for (sizes, &least_bytes) in sizes.iter().zip(&least) {
            let share = (budget as u128 * least_bytes as u128 / all) as usize;
            let tables = match share {
                0 => sizes.tables(0),
                _ => sizes.tables(share.saturating_add(sizes.points_bytes(&sizes.tables(0)))),
            };
            scratch = scratch.max(sizes.scratch_bytes(kernels, &tables)?);
            keys.push(KeyPlan { tables, bytes: sizes.key_bytes(&tables), least_bytes });
        }
        let slot = sizes.iter().map(Sizes::staging_bytes).max().unwrap_or(0);
        Ok(Self {
            keys,
            slots: wishes.slots,
            slot_bytes: slot.next_multiple_of(ALIGNMENT),
            scratches: if wishes.at_once { wishes.slots } else { 1 },
            scratch_bytes: scratch.next_multiple_of(ALIGNMENT),
        })
    }

    /// The keys, in the order of their sizes.
    #[must_use]
    pub fn keys(&self) -> &[KeyPlan] {
        &self.keys
    }

    /// Partitions that are on the device at a time.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Bytes of each slot, which has a partition's witness.
    #[must_use]
    pub fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    /// Partitions that compute at the same time.
    #[must_use]
    pub fn scratches(&self) -> usize {
        self.scratches
    }

    /// Bytes of the scratch memory of each.
    #[must_use]
    pub fn scratch_bytes(&self) -> usize {
        self.scratch_bytes
    }

    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.key_bytes() + self.slots * self.slot_bytes + self.scratches * self.scratch_bytes
    }

    fn key_bytes(&self) -> usize {
        self.keys.iter().map(|key| key.bytes.next_multiple_of(ALIGNMENT)).sum()
    }

    /// Where each key, each slot, and each scratch is.
    pub(super) fn ranges(&self) -> [Vec<Range<usize>>; 3] {
        let mut taken = 0;
        let mut take = |bytes: usize| {
            let start = taken;
            taken += bytes.next_multiple_of(ALIGNMENT);
            start..start + bytes
        };
        [
            self.keys.iter().map(|key| take(key.bytes)).collect(),
            (0..self.slots).map(|_| take(self.slot_bytes)).collect(),
            (0..self.scratches).map(|_| take(self.scratch_bytes)).collect(),
        ]
    }
}

/// A table of its parts in MiB.
impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        writeln!(f, "{:<28} {:>12}", "part", "MiB")?;
        for (index, KeyPlan { tables, bytes, least_bytes }) in self.keys.iter().enumerate() {
            let KeyTables { a, b1, b2, c, h } = tables;
            let copies = [a, b1, b2, c, h].map(|tables| tables.copies);
            let name = format!("key {index}");
            write!(f, "{name:<28} {:>12.1}", mebibytes(*bytes))?;
            if copies.iter().all(|&copies| copies == 1) {
                writeln!(f, "  resident, without tables")?;
            } else {
                let [a, b1, b2, c, h] = copies;
                write!(
                    f,
                    "  resident, copies of each point: A {a}, B {b1} and {b2}, C {c}, H {h}; "
                )?;
                writeln!(f, "{:.1} without", mebibytes(*least_bytes))?;
            }
        }
        let slots = format!("slots for a witness: {}", self.slots);
        writeln!(f, "{slots:<28} {:>12.1}", mebibytes(self.slots * self.slot_bytes))?;
        let scratches = format!("scratch: {}", self.scratches);
        let scratch_bytes = self.scratches * self.scratch_bytes;
        writeln!(f, "{scratches:<28} {:>12.1}", mebibytes(scratch_bytes))?;
        write!(f, "{:<28} {:>12.1}", "all", mebibytes(self.bytes()))
    }
}
