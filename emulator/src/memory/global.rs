//! Device memory: allocations at addresses that are never used twice, with gaps between them.

use super::words::zeroed;
use super::{FIRST_ADDRESS, PageTable, nibbles};
use crate::error::Error;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Alignment of an allocation, as the driver has it.
const ALIGN: u64 = 512;
/// Bytes between two allocations that belong to nobody.
const GAP: u64 = 1 << 20;

/// One allocation. Threads of a launch share it as atomics, so that a race in a kernel is never
/// one of the emulator.
pub(crate) struct Alloc {
    pub base: u64,
    pub size: u64,
    /// `allocation #3`, or the name of a module variable.
    pub name: String,
    pub read_only: bool,
    words: Box<[AtomicU32]>,
    /// A bit a byte, eight words in one; absent if not asked for.
    init: Option<Box<[AtomicU32]>>,
    pub races: PageTable,
    freed: AtomicBool,
}

impl Alloc {
    pub(crate) fn is_freed(&self) -> bool {
        self.freed.load(Relaxed)
    }

    #[inline]
    pub(crate) fn word(&self, index: u64) -> &AtomicU32 {
        &self.words[index as usize]
    }

    #[inline]
    pub(crate) fn load(&self, index: u64) -> u32 {
        self.words[index as usize].load(Relaxed)
    }

    /// Writes the bytes of a word that `nibble` names.
    #[inline]
    pub(crate) fn store(&self, index: u64, value: u32, nibble: u8) {
        let word = &self.words[index as usize];
        if nibble == 0xf {
            word.store(value, Relaxed);
            return;
        }
        let mask = spread(nibble);
        let merge = |old: u32| Some((old & !mask) | (value & mask));
        // The closure never declines.
        let _ = word.fetch_update(Relaxed, Relaxed, merge);
    }

    #[inline]
    pub(crate) fn is_init(&self, index: u64, nibble: u8) -> bool {
        self.init.as_ref().is_none_or(|init| {
            let bits = u32::from(nibble) << (4 * (index % 8));
            init[(index / 8) as usize].load(Relaxed) & bits == bits
        })
    }

    #[inline]
    pub(crate) fn set_init(&self, index: u64, nibble: u8) {
        if let Some(init) = &self.init {
            let bits = u32::from(nibble) << (4 * (index % 8));
            let word = &init[(index / 8) as usize];
            if word.load(Relaxed) & bits != bits {
                word.fetch_or(bits, Relaxed);
            }
        }
    }

    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) {
        for (w, nibble) in nibbles(offset, bytes.len() as u32) {
            let mut value = [0u8; 4];
            for (i, v) in value.iter_mut().enumerate() {
                let at = (w * 4 + i as u64).wrapping_sub(offset);
                *v = bytes.get(at as usize).copied().unwrap_or(0);
            }
            self.store(w, u32::from_le_bytes(value), nibble);
            self.set_init(w, nibble);
        }
    }

    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) {
        let end = offset + bytes.len() as u64;
        for w in offset / 4..end.div_ceil(4) {
            for (i, v) in self.load(w).to_le_bytes().into_iter().enumerate() {
                let at = (w * 4 + i as u64).wrapping_sub(offset);
                if let Some(b) = bytes.get_mut(at as usize) {
                    *b = v;
                }
            }
        }
    }

    pub(crate) fn fill(&self, offset: u64, value: u8, bytes: u64) {
        let word = u32::from_le_bytes([value; 4]);
        let end = offset + bytes;
        for w in offset / 4..end.div_ceil(4) {
            let from = offset.saturating_sub(w * 4).min(4);
            let to = (end - w * 4).min(4);
            let nibble = (0xfu8 >> (4 - to)) & (0xf << from);
            self.store(w, word, nibble);
            self.set_init(w, nibble);
        }
    }

    /// Copies bytes with their initialised bits.
    pub(crate) fn copy_from(&self, offset: u64, source: &Alloc, from: u64, bytes: u64) {
        let mut buffer = vec![0u8; bytes as usize];
        source.read(from, &mut buffer);
        let known: Vec<bool> =
            (from..from + bytes).map(|b| source.is_init(b / 4, 1 << (b % 4))).collect();
        for (i, (&byte, &known)) in buffer.iter().zip(&known).enumerate() {
            let at = offset + i as u64;
            self.store(at / 4, u32::from(byte) << (8 * (at % 4)), 1 << (at % 4));
            if known {
                self.set_init(at / 4, 1 << (at % 4));
            }
        }
    }
}

/// A mask of bytes as a mask of bits.
pub(crate) fn spread(nibble: u8) -> u32 {
    (0..4).filter(|i| nibble >> i & 1 == 1).fold(0, |m, i| m | 0xff << (8 * i))
}

#[derive(Default)]
struct State {
    live: BTreeMap<u64, Arc<Alloc>>,
    /// Base to size and name of what was freed.
    freed: BTreeMap<u64, (u64, String)>,
    used: u64,
    next: u64,
    count: u64,
}

/// All of a device's memory.
pub(crate) struct GlobalMemory {
    total: u64,
    track_init: bool,
    state: Mutex<State>,
}

/// What an address that no allocation holds is next to.
pub(crate) enum Near {
    Freed(String, i64),
    Live(String, i64),
    Nothing,
}

impl GlobalMemory {
    pub(crate) fn new(total: u64, track_init: bool) -> Self {
        let state = State { next: FIRST_ADDRESS, ..State::default() };
        GlobalMemory { total, track_init, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements that can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        self.total - self.state().used
    }

    /// `name` is for variables; they do not count as memory that a user allocates.
    pub(crate) fn alloc(
        &self,
        size: u64,
        name: Option<&str>,
        read_only: bool,
    ) -> Result<Arc<Alloc>, Error> {
        let mut s = self.state();
        let free = self.total - s.used;
        // No host can back more than this, whatever the device is said to have.
        if size > free || size > 1 << 46 {
            return Err(Error::OutOfMemory { requested: size, free, total: self.total });
        }
        let words = size.div_ceil(4) as usize;
        let number = s.count;
        let alloc = Arc::new(Alloc {
            base: s.next,
            size,
            name: name.map_or_else(|| format!("allocation #{number}"), |n| format!("`{n}`")),
            read_only,
            words: zeroed(words),
            init: self.track_init.then(|| zeroed(words.div_ceil(8))),
            races: PageTable::new(words as u64),
            freed: AtomicBool::new(false),
        });
        s.count += u64::from(name.is_none());
        s.used += size;
        s.next = (s.next + size).next_multiple_of(ALIGN) + GAP;
        s.live.insert(alloc.base, alloc.clone());
        Ok(alloc)
    }

    /// Frees by first address.
    pub(crate) fn free(&self, base: u64) -> Result<(), Error> {
        let mut s = self.state();
        let why = match s.live.get(&base) {
            Some(a) if a.read_only || a.name.starts_with('`') => "it is a module variable",
            Some(_) => {
                let Some(a) = s.live.remove(&base) else { return Ok(()) };
                a.freed.store(true, Relaxed);
                s.used -= a.size;
                s.freed.insert(base, (a.size, a.name.clone()));
                return Ok(());
            }
            None if s.freed.contains_key(&base) => "it was freed before",
            None => "it is not the start of an allocation",
        };
        Err(Error::BadAddress { what: "free", address: base, bytes: 0, why })
    }

    /// The allocation that holds these bytes, for a copy.
    pub(crate) fn range(
        &self,
        what: &'static str,
        address: u64,
        bytes: u64,
    ) -> Result<(Arc<Alloc>, u64), Error> {
        let s = self.state();
        let inside = |base: u64, size: u64| {
            address >= base && address - base <= size && bytes <= size - (address - base)
        };
        if let Some((&base, a)) = s.live.range(..=address).next_back()
            && inside(base, a.size)
        {
            return Ok((a.clone(), address - base));
        }
        let freed = s.freed.range(..=address).next_back();
        let why = match freed {
            Some((&base, (size, _))) if inside(base, *size) => "it was freed",
            _ => "it is not inside one allocation",
        };
        Err(Error::BadAddress { what, address, bytes, why })
    }

    pub(crate) fn near(&self, address: u64) -> Near {
        let s = self.state();
        if let Some((&base, (size, name))) = s.freed.range(..=address).next_back()
            && address - base < (*size).max(1)
        {
            return Near::Freed(name.clone(), (address - base) as i64);
        }
        let below = s.live.range(..=address).next_back();
        let above = s.live.range(address..).next();
        match (below, above) {
            (Some((&base, a)), _) if address - base < a.size + GAP / 2 => {
                Near::Live(a.name.clone(), (address - base) as i64)
            }
            (_, Some((&base, a))) if base - address < GAP / 2 => {
                Near::Live(a.name.clone(), -((base - address) as i64))
            }
            _ => Near::Nothing,
        }
    }

    /// What a launch sees.
    pub(crate) fn view(&self) -> View {
        View { allocs: self.state().live.values().cloned().collect() }
    }
}

/// The allocations that were live when a launch began, by address.
pub(crate) struct View {
    allocs: Vec<Arc<Alloc>>,
}

impl View {
    /// The allocation at an address; `hint` is the index of the last hit.
    #[inline]
    pub(crate) fn find(&self, address: u64, bytes: u64, hint: &mut usize) -> Option<&Alloc> {
        if let Some(a) = self.allocs.get(*hint)
            && holds(a, address, bytes)
        {
            return Some(a);
        }
        let index = self.allocs.partition_point(|a| a.base <= address).checked_sub(1)?;
        let a = &self.allocs[index];
        *hint = index;
        holds(a, address, bytes).then_some(a)
    }
}

#[inline]
fn holds(a: &Alloc, address: u64, bytes: u64) -> bool {
    let offset = address.wrapping_sub(a.base);
    offset < a.size && bytes <= a.size - offset
}
