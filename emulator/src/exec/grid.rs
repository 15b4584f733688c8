//! A launch: blocks over host threads.

use super::block::{Block, Progress};
use super::clock::SyncVars;
use crate::config::Checks;
use crate::decode::{Decoded, Entry};
use crate::ir::{CONST, Slot};
use crate::lanes::Lanes;
use crate::memory::{GlobalMemory, View};
use crate::report::{Dim3, Report};
use crate::schedule::Rng;
use crate::text::Text;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Everything that the blocks of a launch share.
pub(crate) struct Launch<'a> {
    pub module: &'a Decoded,
    pub entry: &'a Entry,
    /// Lines of the PTX text, for reports.
    pub text: &'a Text,
    pub memory: &'a GlobalMemory,
    pub view: View,
    /// The constant pool, each value in all lanes.
    pub consts: Vec<Lanes>,
    pub params: Vec<u8>,
    pub grid: Dim3,
    pub block: Dim3,
    pub dynamic_shared: u32,
    pub shared_bytes: u32,
    /// Name, offset and size of the shared variables.
    pub shared_vars: Vec<(String, u32, u32)>,
    pub local_limit: u32,
    pub checks: Checks,
    pub id: u64,
    pub seed: u64,
    pub threads: usize,
    pub cooperative: bool,
    /// Warp instructions left.
    pub budget: AtomicU64,
    pub sync: SyncVars,
    /// Locks of 64-bit atomics, which are two words.
    pub locks: Vec<Mutex<()>>,
}

/// Counts of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Instructions, each counted once for every lane that executed it.
    pub thread_instructions: u64,
    /// Instructions, each counted once a warp.
    pub warp_instructions: u64,
    /// Barriers completed, summed over blocks.
    pub barriers: u64,
}

impl Stats {
    fn add(&mut self, other: Stats) {
        self.thread_instructions += other.thread_instructions;
        self.warp_instructions += other.warp_instructions;
        self.barriers += other.barriers;
    }
}

impl Launch<'_> {
    /// The value of a slot in a window.
    #[inline(always)]
    pub(super) fn operand<'r>(&'r self, regs: &'r [Lanes], base: u32, slot: Slot) -> &'r Lanes {
        if slot & CONST == 0 {
            &regs[(base + slot) as usize]
        } else {
            &self.consts[(slot & !CONST) as usize]
        }
    }

    /// Takes warp instructions from the budget; false when it is spent.
    pub(super) fn spend(&self, steps: u64) -> bool {
        self.budget.fetch_update(Relaxed, Relaxed, |b| b.checked_sub(steps)).is_ok()
    }

    pub(super) fn warps_per_block(&self) -> u32 {
        (self.block.count() as u32).div_ceil(32)
    }
}

/// What the host threads report to.
struct Outcome {
    stats: Stats,
    /// The fault of the lowest block that had one.
    failed: Option<(u64, Box<Report>)>,
}

/// Runs all blocks.
pub(crate) fn run(l: &Launch<'_>) -> Result<Stats, Box<Report>> {
    let blocks = l.grid.count();
    let outcome = Mutex::new(Outcome { stats: Stats::default(), failed: None });
    let stop = AtomicBool::new(false);
    let threads = (l.threads as u64).min(blocks).max(1);
    let finish = |result: Result<Stats, (u64, Box<Report>)>| {
        let mut o = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(s) => o.stats.add(s),
            Err((block, report)) => {
                stop.store(true, Relaxed);
                if o.failed.as_ref().is_none_or(|(b, _)| block < *b) {
                    o.failed = Some((block, report));
                }
            }
        }
    };
    // The seed turns the order of blocks.
    let mut rng = Rng::new(l.seed ^ l.id.wrapping_mul(0x9e37_79b9));
    let (start, backwards) = (rng.below(blocks), l.seed != 0 && rng.below(2) == 1);
    let start = if l.seed == 0 { 0 } else { start };
    let order = move |i: u64| {
        let n = (i + start) % blocks;
        if backwards { blocks - 1 - n } else { n }
    };
    let next = AtomicU64::new(0);
    let work = |shares: &[u64]| {
        if l.cooperative {
            let share = |&first: &u64| (first..blocks).step_by(threads as usize).map(order);
            finish(resident(l, shares.iter().flat_map(share).collect(), shares[0], &stop));
            return;
        }
        loop {
            let i = next.fetch_add(1, Relaxed);
            if i >= blocks || stop.load(Relaxed) {
                return;
            }
            let n = order(i);
            let mut block = Block::new(l, n);
            finish(match block.run(l, u64::MAX) {
                Ok(_) => Ok(block.stats()),
                Err(report) => Err((n, report)),
            });
        }
    };
    std::thread::scope(|s| {
        let work = &work;
        let mut own = vec![0];
        for share in 1..threads {
            let thread = std::thread::Builder::new().spawn_scoped(s, move || work(&[share]));
            if thread.is_err() {
                // No more threads than there can be.
                own.push(share);
            }
        }
        work(&own);
    });
    let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    match outcome.failed {
        Some((_, report)) => Err(report),
        None => Ok(outcome.stats),
    }
}

/// Runs blocks side by side, so that they can wait for each other.
fn resident(
    l: &Launch<'_>,
    mine: Vec<u64>,
    thread: u64,
    stop: &AtomicBool,
) -> Result<Stats, (u64, Box<Report>)> {
    let mut rng = Rng::new(l.seed.wrapping_add(thread));
    let mut stats = Stats::default();
    let mut live: Vec<(u64, Block)> = mine.into_iter().map(|n| (n, Block::new(l, n))).collect();
    while !live.is_empty() && !stop.load(Relaxed) {
        let i = rng.below(live.len() as u64) as usize;
        let slice = 1 + rng.below(2000);
        let (n, block) = &mut live[i];
        match block.run(l, slice) {
            Ok(Progress::Running) => {}
            Ok(Progress::Done) => {
                stats.add(block.stats());
                live.swap_remove(i);
            }
            Err(report) => return Err((*n, report)),
        }
    }
    Ok(stats)
}
