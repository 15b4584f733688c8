//! A block: its warps take turns, chosen by the seed, between barriers.

use super::barrier::{self, Arrivals};
use super::call;
use super::clock::Clocks;
use super::grid::{Launch, Stats};
use super::park;
use super::step;
use super::warp::{State, Warp};
use super::{Failure, FailureKind};
use crate::memory::SharedMemory;
use crate::report::{Access, Dim3, Fault, Report, Side};
use crate::schedule::Rng;

/// What the warps of a block share.
pub(crate) struct Env {
    pub coords: Dim3,
    /// Number of the block in the grid.
    pub number: u64,
    pub shared: SharedMemory,
    pub clocks: Clocks,
    /// Threads that have not exited.
    pub live: u32,
    pub arrivals: [Arrivals; 16],
    pub thread_instructions: u64,
    /// Index of the allocation that was hit last.
    pub hint: usize,
}

/// A block in execution.
pub(crate) struct Block {
    pub env: Env,
    pub warps: Vec<Warp>,
    rng: Rng,
    started: bool,
    barriers: u64,
}

/// Whether a block has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Running,
    Done,
}

impl Block {
    pub(crate) fn new(l: &Launch<'_>, number: u64) -> Self {
        let threads = l.block.count() as u32;
        let func = l.entry.func;
        let regs = l.module.funcs[func as usize].regs;
        let warps: Vec<Warp> = (0..threads.div_ceil(32))
            .map(|i| {
                let lanes = (threads - i * 32).min(32);
                Warp::new(i, u32::MAX >> (32 - lanes), func, regs)
            })
            .collect();
        Block {
            env: Env {
                coords: l.grid.unflatten(number),
                number,
                shared: SharedMemory::new(l.shared_bytes, l.checks.races),
                clocks: Clocks::new(warps.len(), l.checks.races),
                live: threads,
                arrivals: Default::default(),
                thread_instructions: 0,
                hint: 0,
            },
            warps,
            rng: Rng::new(l.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number),
            started: false,
            barriers: 0,
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats {
            thread_instructions: self.env.thread_instructions,
            warp_instructions: self.warps.iter().map(|w| w.steps).sum(),
            barriers: self.barriers,
        }
    }

    /// Runs for about `budget` warp instructions.
    pub(crate) fn run(&mut self, l: &Launch<'_>, budget: u64) -> Result<Progress, Box<Report>> {
        self.advance(l, budget).map_err(|f| self.report(l, *f))
    }

    fn advance(&mut self, l: &Launch<'_>, budget: u64) -> Result<Progress, Box<Failure>> {
        if !self.started {
            self.started = true;
            for w in &mut self.warps {
                let f = w.fragments[0].clone();
                call::enter(l, &self.env, w, &f, 0)?;
            }
        }
        let mut left = budget;
        loop {
            let ready = self.warps.iter().filter(|w| w.is_ready()).count() as u64;
            if ready == 0 {
                if self.warps.iter().all(|w| w.fragments.is_empty()) {
                    return Ok(Progress::Done);
                }
                if !self.unblock(l)? {
                    return Err(barrier::stuck(l, self));
                }
                continue;
            }
            if left == 0 {
                return Ok(Progress::Running);
            }
            let pick = self.rng.below(ready) as usize;
            // Short turns mix the warps, long ones are fast.
            let slice = (1 << (2 + self.rng.below(12))).min(left);
            let Some(w) = self.warps.iter_mut().filter(|w| w.is_ready()).nth(pick) else {
                continue;
            };
            let choice = self.rng.next();
            let used = step::run_warp(l, &mut self.env, w, slice, choice)?;
            left = left.saturating_sub(used.max(1));
            if !l.spend(used) {
                let (warp, lane) = (w.index, w.alive.trailing_zeros() & 31);
                let line = w.fragments.first().map_or(0, |f| step::line_of(l, f));
                let fault = Fault::StepLimit.into();
                return Err(Box::new(Failure { fault, line, warp, lane, location: None }));
            }
            self.barriers += barrier::complete(l, &mut self.env, &mut self.warps)?;
        }
    }

    /// Nobody is ready: whatever lets somebody go on. False if nothing does.
    fn unblock(&mut self, l: &Launch<'_>) -> Result<bool, Box<Failure>> {
        let completed = barrier::complete(l, &mut self.env, &mut self.warps)?;
        self.barriers += completed;
        if completed > 0 {
            return Ok(true);
        }
        for w in &mut self.warps {
            let parked = w.fragments.iter().any(|f| f.state == State::Collective);
            if parked && park::retry_collectives(l, &mut self.env, w)? {
                return Ok(true);
            }
        }
        // Lanes at a join may be the ones that the others wait for, as when half a warp has to
        // reach a shuffle. Not before a barrier: there it would hide divergence.
        for w in &mut self.warps {
            let parked = w.fragments.iter().any(|f| f.state == State::Collective);
            if parked && w.release_one() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn report(&self, l: &Launch<'_>, f: Failure) -> Box<Report> {
        let line = |n: u32| l.text.line(n);
        let thread = |warp: u32, lane: u32| l.block.unflatten(u64::from(warp * 32 + lane));
        let fault = match f.fault {
            FailureKind::Fault(fault) => fault,
            FailureKind::Race { access, other, other_wrote } => {
                let per_block = l.warps_per_block();
                Fault::Race {
                    access,
                    other: Box::new(Side {
                        access: match (other.strong(), other_wrote) {
                            (true, _) => Access::Atomic,
                            (false, true) => Access::Write,
                            (false, false) => Access::Read,
                        },
                        block: l.grid.unflatten(u64::from(other.warp / per_block)),
                        thread: thread(other.warp % per_block, other.lane()),
                        line: line(other.line()),
                    }),
                }
            }
        };
        Box::new(Report {
            kernel: l.module.funcs[l.entry.func as usize].name.clone(),
            fault,
            line: line(f.line),
            block: self.env.coords,
            thread: thread(f.warp, f.lane),
            location: f.location,
        })
    }
}
