//! What happened before what, for the race check.
//!
//! Every warp counts its own time and knows, for each other warp, up to which time that warp's
//! accesses happened before its own. Barriers join what their participants know. Between blocks,
//! and within one, a fence followed by an atomic (or a strong store) publishes what the warp knew
//! at the fence, and an atomic (or a strong load) of the same address takes it up. That is a
//! little kinder than the PTX memory model, which wants a second fence on the reading side.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What is known of other blocks: times of their warps.
pub(crate) type Foreign = HashMap<u64, Arc<Vec<u32>>>;

/// What a warp knew: times in its block, and in others.
type Snapshot = (Arc<Vec<u32>>, Option<Arc<Foreign>>);

/// What one warp knows.
#[derive(Clone, Default)]
struct Knowledge {
    /// Times of the warps of its block; its own is the present.
    block: Vec<u32>,
    foreign: Option<Arc<Foreign>>,
    /// What it knew at its last fence.
    fenced: Option<Snapshot>,
}

/// The clocks of a block.
pub(crate) struct Clocks {
    warps: Vec<Knowledge>,
}

/// What was published at an address.
#[derive(Default)]
pub(crate) struct SyncVars {
    map: Mutex<HashMap<(u64, u64), Foreign>>,
    count: AtomicUsize,
}

impl Clocks {
    pub(crate) fn new(warps: usize, on: bool) -> Self {
        let n = if on { warps } else { 0 };
        let knowledge = |w: usize| {
            let mut block = vec![0; n];
            block[w] = 1;
            Knowledge { block, ..Knowledge::default() }
        };
        Clocks { warps: (0..n).map(knowledge).collect() }
    }

    pub(crate) fn now(&self, warp: u32) -> u32 {
        self.warps.get(warp as usize).map_or(0, |k| k.block[warp as usize])
    }

    /// Whether an access of another thread, at `time` of a warp, happened before the present of
    /// `warp`.
    pub(crate) fn ordered(
        &self,
        warp: u32,
        block: u64,
        other_block: u64,
        other_warp: u32,
        time: u32,
    ) -> bool {
        let Some(k) = self.warps.get(warp as usize) else { return true };
        if block == other_block {
            // Lanes of one warp are only ordered by what lets its clock go on.
            return if other_warp == warp {
                time < k.block[warp as usize]
            } else {
                time <= k.block[other_warp as usize]
            };
        }
        k.foreign
            .as_ref()
            .and_then(|f| f.get(&other_block))
            .is_some_and(|times| times.get(other_warp as usize).is_some_and(|&t| time <= t))
    }

    /// A barrier that these warps have passed.
    pub(crate) fn barrier(&mut self, warps: &[u32]) {
        if self.warps.is_empty() {
            return;
        }
        let mut block = vec![0; self.warps.len()];
        let mut foreign: Option<Arc<Foreign>> = None;
        for &w in warps {
            let k = &self.warps[w as usize];
            join_times(&mut block, &k.block);
            join_foreign(&mut foreign, k.foreign.as_ref());
        }
        for &w in warps {
            let k = &mut self.warps[w as usize];
            k.block.clone_from(&block);
            k.block[w as usize] += 1;
            k.foreign.clone_from(&foreign);
        }
    }

    /// The lanes of a warp have met.
    pub(crate) fn warp_sync(&mut self, warp: u32) {
        if let Some(k) = self.warps.get_mut(warp as usize) {
            k.block[warp as usize] += 1;
        }
    }

    pub(crate) fn fence(&mut self, warp: u32) {
        if let Some(k) = self.warps.get_mut(warp as usize) {
            k.fenced = Some((Arc::new(k.block.clone()), k.foreign.clone()));
            k.block[warp as usize] += 1;
        }
    }

    /// A strong write: publishes what was known at the last fence.
    pub(crate) fn publish(&self, warp: u32, block: u64, key: (u64, u64), vars: &SyncVars) {
        let Some((times, foreign)) = self.warps.get(warp as usize).and_then(|k| k.fenced.as_ref())
        else {
            return;
        };
        let mut map = vars.map.lock().unwrap_or_else(PoisonError::into_inner);
        let var = map.entry(key).or_default();
        merge(var, block, times);
        for (&b, t) in foreign.iter().flat_map(|f| f.iter()) {
            merge(var, b, t);
        }
        vars.count.store(map.len(), Relaxed);
    }

    /// A strong read: takes up what was published there.
    pub(crate) fn take_up(&mut self, warp: u32, block: u64, key: (u64, u64), vars: &SyncVars) {
        if vars.count.load(Relaxed) == 0 {
            return;
        }
        let Some(k) = self.warps.get_mut(warp as usize) else { return };
        let map = vars.map.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(var) = map.get(&key) else { return };
        for (&b, times) in var {
            if b == block {
                let own = k.block[warp as usize];
                join_times(&mut k.block, times);
                k.block[warp as usize] = own;
                continue;
            }
            let known = k.foreign.as_ref().and_then(|f| f.get(&b));
            let news = known.is_none_or(|known| {
                !Arc::ptr_eq(known, times) && times.iter().zip(&**known).any(|(t, k)| t > k)
            });
            if news {
                let foreign = k.foreign.get_or_insert_with(Arc::default);
                merge(Arc::make_mut(foreign), b, times);
            }
        }
    }
}

fn join_times(into: &mut [u32], from: &[u32]) {
    for (a, &b) in into.iter_mut().zip(from) {
        *a = (*a).max(b);
    }
}

fn merge(into: &mut Foreign, block: u64, times: &Arc<Vec<u32>>) {
    match into.get_mut(&block) {
        None => {
            into.insert(block, times.clone());
        }
        Some(old) if Arc::ptr_eq(old, times) => {}
        Some(old) => join_times(Arc::make_mut(old).as_mut_slice(), times),
    }
}

fn join_foreign(into: &mut Option<Arc<Foreign>>, from: Option<&Arc<Foreign>>) {
    let Some(from) = from else { return };
    match into {
        None => *into = Some(from.clone()),
        Some(f) if Arc::ptr_eq(f, from) => {}
        Some(f) => {
            let f = Arc::make_mut(f);
            from.iter().for_each(|(&b, t)| merge(f, b, t));
        }
    }
}
