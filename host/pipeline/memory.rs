//! What lies where in a device's memory, decided before any of it is taken.

use std::fmt;
use std::ops::Range;

use crate::groth16::gpu::{Error, Kernels, KeyResidence, Residence, Sizes};

/// A device's memory, in one allocation: keys, slots, scratch.
///
/// Whatever is too much is left out in this order: tables of the keys' points, in part or all of them; slots,
/// one by one down to a last one, so that nothing is staged while another partition computes; the keys' points,
/// which stay in host memory ([`Sizes::streamed`]), vector by vector.
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
    /// Where its points are, and their tables.
    pub residence: KeyResidence,
    /// Bytes that it takes so.
    pub bytes: usize,
    /// Bytes that it takes with all points in device memory, without tables.
    pub resident_bytes: usize,
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
    /// Bytes of keys but for their points.
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
        let resident = |budget| resident(sizes, budget);
        let none = Self::with(kernels, sizes, wishes, &resident(0))?;
        if none.bytes() > wishes.bytes {
            return Self::smaller(none, kernels, sizes, wishes);
        }
        let most = Self::with(kernels, sizes, wishes, &resident(wishes.tables))?;
        if most.bytes() <= wishes.bytes {
            return Ok(Ok(most));
        }
        // Tables also change what the sums need, so that what is left is known by trying.
        let mut budget = wishes.tables.min(wishes.bytes - none.bytes());
        while budget > 0 {
            let plan = Self::with(kernels, sizes, wishes, &resident(budget))?;
            match plan.bytes().checked_sub(wishes.bytes) {
                None | Some(0) => return Ok(Ok(plan)),
                Some(over) => budget = budget.saturating_sub(over),
            }
        }
        Ok(Ok(none))
    }

    /// The first that fits of those with fewer slots than the `least` so far, and then with points in host memory.
    fn smaller(
        mut least: Self,
        kernels: &Kernels,
        sizes: &[Sizes],
        wishes: Wishes,
    ) -> Result<Result<Self, TooSmall>, Error> {
        let one = Wishes { slots: 1, ..wishes };
        for slots in (1..wishes.slots).rev() {
            least = Self::with(kernels, sizes, Wishes { slots, ..wishes }, &resident(sizes, 0))?;
            if least.bytes() <= wishes.bytes {
                return Ok(Ok(least));
            }
        }
        let mut streamed: Vec<_> = sizes.iter().map(Sizes::streamed).collect();
        // As many steps for each key.
        while let Some(residences) =
            streamed.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>()
        {
            let plan = Self::with(kernels, sizes, one, &residences)?;
            if plan.bytes() <= wishes.bytes {
                return Ok(Ok(plan));
            }
            if plan.bytes() < least.bytes() {
                least = plan;
            }
        }
        Ok(Err(TooSmall {
            keys: least.key_bytes(),
            slot: least.slot_bytes,
            scratch: least.scratch_bytes,
            missing: least.bytes() - wishes.bytes,
        }))
    }

    /// With the keys' points where they are said to be.
    fn with(
        kernels: &Kernels,
        sizes: &[Sizes],
        wishes: Wishes,
        residences: &[KeyResidence],
    ) -> Result<Self, Error> {
        let mut scratch = 0;
        let mut keys = Vec::with_capacity(sizes.len());
        for (sizes, residence) in sizes.iter().zip(residences) {
            scratch = scratch.max(sizes.scratch_bytes(kernels, residence)?);
            keys.push(KeyPlan {
                residence: *residence,
                bytes: sizes.key_bytes(residence),
                resident_bytes: sizes.key_bytes(&sizes.resident(0)),
            });
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

/// All points in device memory, with so many bytes for tables, divided by the keys' sizes.
fn resident(sizes: &[Sizes], budget: usize) -> Vec<KeyResidence> {
    let least: Vec<usize> = sizes.iter().map(|s| s.key_bytes(&s.resident(0))).collect();
    let all = least.iter().sum::<usize>().max(1) as u128;
    let of_key = |(sizes, least): (&Sizes, usize)| {
        let none = sizes.resident(0);
        match (budget as u128 * least as u128 / all) as usize {
            0 => none,
            share => sizes.resident(share.saturating_add(none.bytes(sizes))),
        }
    };
    sizes.iter().zip(least).map(of_key).collect()
}

/// A table of its parts in MiB.
impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        writeln!(f, "{:<28} {:>12}", "part", "MiB")?;
        for (index, key) in self.keys.iter().enumerate() {
            let name = format!("key {index}");
            writeln!(f, "{name:<28} {:>12.1}  {key}", mebibytes(key.bytes))?;
        }
        let slots = format!("slots for a witness: {}", self.slots);
        writeln!(f, "{slots:<28} {:>12.1}", mebibytes(self.slots * self.slot_bytes))?;
        let scratches = format!("scratch: {}", self.scratches);
        let scratch_bytes = self.scratches * self.scratch_bytes;
        writeln!(f, "{scratches:<28} {:>12.1}", mebibytes(scratch_bytes))?;
        write!(f, "{:<28} {:>12.1}", "all", mebibytes(self.bytes()))
    }
}

/// Where its points are.
impl fmt::Display for KeyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vectors = self.residence.vectors();
        let list =
            |vectors: &mut dyn Iterator<Item = String>| vectors.collect::<Vec<_>>().join(", ");
        let mebibytes = self.resident_bytes as f64 / f64::from(1 << 20);
        let chunk = vectors.iter().find_map(|(_, residence)| match residence {
            Residence::Host { chunk } => Some(chunk),
            Residence::Device(_) => None,
        });
        if let Some(chunk) = chunk {
            let streamed = vectors.iter().filter(|(_, residence)| residence.is_host());
            let names = list(&mut streamed.map(|(name, _)| (*name).to_owned()));
            write!(f, "streamed: {names}, {chunk} points at a time; {mebibytes:.1} if resident")
        } else if vectors.iter().all(|(_, residence)| residence.copies() == 1) {
            write!(f, "resident, without tables")
        } else {
            let copies =
                vectors.iter().map(|(name, residence)| format!("{name} {}", residence.copies()));
            let copies = list(&mut copies.into_iter());
            write!(f, "resident, copies of each point: {copies}; {mebibytes:.1} without")
        }
    }
}
