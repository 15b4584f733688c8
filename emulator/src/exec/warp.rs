//! A warp: its registers, and which of its lanes are where.
//!
//! Lanes that are at the same place form a fragment. A divergent branch splits a fragment and
//! makes a join at the branch's post-dominator; fragments that arrive there wait until all lanes
//! of the join have come or exited, and go on as one. Fragments are independent otherwise, so
//! that one may spin until another of the same warp lets it go.

use crate::lanes::{Lanes, WARP};
use crate::memory::LocalMemory;

/// No join.
pub(crate) const NO_JOIN: u32 = u32::MAX;

/// Where a call came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Return {
    pub func: u32,
    /// The call instruction.
    pub pc: u32,
    pub base: u32,
    pub frame: u32,
}

/// What a fragment is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// At the barrier of this number, for this many threads (0: the whole block).
    Barrier(u32, u32),
    /// At an instruction that other lanes must reach too.
    Collective,
}

/// Lanes that execute together.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub mask: u32,
    pub func: u32,
    pub pc: u32,
    /// First register of the window, first byte of the frame.
    pub base: u32,
    pub frame: u32,
    pub join: u32,
    pub calls: Vec<Return>,
    pub state: State,
}

/// A place where lanes meet again.
#[derive(Clone, Debug)]
struct Join {
    pc: u32,
    depth: u32,
    expected: u32,
    arrived: u32,
    parent: u32,
    waiting: Option<Fragment>,
}

/// A warp.
pub(crate) struct Warp {
    /// Its number in the block.
    pub index: u32,
    pub regs: Vec<Lanes>,
    /// CC.CF.
    pub carry: Lanes,
    pub alive: u32,
    pub fragments: Vec<Fragment>,
    joins: Vec<Option<Join>>,
    pub local: LocalMemory,
    /// Warp instructions so far.
    pub steps: u64,
    /// Steps since lanes last met, while some wait at a join.
    pub lonely: u64,
}

impl Warp {
    pub(crate) fn new(index: u32, alive: u32, func: u32, regs: u32) -> Self {
        let fragment = Fragment {
            mask: alive,
            func,
            pc: 0,
            base: 0,
            frame: 0,
            join: NO_JOIN,
            calls: Vec::new(),
            state: State::Ready,
        };
        Warp {
            index,
            regs: vec![[0; WARP]; regs as usize],
            carry: [0; WARP],
            alive,
            fragments: vec![fragment],
            joins: Vec::new(),
            local: LocalMemory::default(),
            steps: 0,
            lonely: 0,
        }
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.fragments.iter().any(|f| f.state == State::Ready)
    }

    /// Where `f` must stop and wait: a position of its function, or none.
    #[inline]
    pub(crate) fn meeting(&self, f: &Fragment) -> u32 {
        match self.joins.get(f.join as usize) {
            Some(Some(j)) if j.depth == f.calls.len() as u32 => j.pc,
            _ => u32::MAX,
        }
    }

    /// Splits `mask` off `f`; both meet at `pc`. The lanes split off go to `to`.
    pub(crate) fn split(&mut self, f: &mut Fragment, mask: u32, to: u32, pc: u32) {
        let same = self.meeting(f) == pc;
        if !same {
            let join = Join {
                pc,
                depth: f.calls.len() as u32,
                expected: f.mask,
                arrived: 0,
                parent: f.join,
                waiting: None,
            };
            f.join = match self.joins.iter().position(Option::is_none) {
                Some(free) => {
                    self.joins[free] = Some(join);
                    free as u32
                }
                None => {
                    self.joins.push(Some(join));
                    self.joins.len() as u32 - 1
                }
            };
        }
        let part = Fragment { mask, pc: to, ..f.clone() };
        f.mask &= !mask;
        self.fragments.push(part);
    }

    /// `f` is where it must wait. Returns the fragment that goes on, if all have come.
    pub(crate) fn arrive(&mut self, mut f: Fragment) -> Option<Fragment> {
        let index = f.join as usize;
        let Some(Some(join)) = self.joins.get_mut(index) else {
            return Some(f);
        };
        join.arrived |= f.mask;
        if join.arrived == join.expected {
            f.mask = join.arrived;
            f.join = join.parent;
            self.joins[index] = None;
            self.lonely = 0;
            return Some(f);
        }
        join.waiting = Some(f);
        None
    }

    /// Lanes end. Joins no longer wait for them.
    pub(crate) fn exit(&mut self, mask: u32) {
        self.alive &= !mask;
        for slot in &mut self.joins {
            let Some(join) = slot else { continue };
            join.expected &= !mask;
            join.arrived &= !mask;
            if join.expected == 0 {
                *slot = None;
            } else if join.arrived == join.expected
                && let Some(mut f) = join.waiting.take()
            {
                f.mask = join.arrived;
                f.join = join.parent;
                *slot = None;
                self.fragments.push(f);
            }
        }
    }

    /// Whether lanes wait at a join.
    pub(crate) fn someone_waits(&self) -> bool {
        self.joins.iter().flatten().any(|j| j.waiting.is_some())
    }

    /// Lanes wait at a join while others may wait for them: lets one group go on. Hardware gives
    /// every thread its turn in the same way. False if none waits.
    pub(crate) fn release_one(&mut self) -> bool {
        for join in self.joins.iter_mut().flatten() {
            if let Some(mut f) = join.waiting.take() {
                f.mask = join.arrived;
                f.join = join.parent;
                join.expected &= !join.arrived;
                join.arrived = 0;
                self.fragments.push(f);
                return true;
            }
        }
        false
    }

    /// Fragments at the same place, in the same calls, bound for the same join, become one.
    pub(crate) fn merge(&mut self) {
        let mut i = 0;
        while i < self.fragments.len() {
            let mut j = i + 1;
            while j < self.fragments.len() {
                let (a, b) = (&self.fragments[i], &self.fragments[j]);
                let same = a.state == b.state
                    && a.state == State::Ready
                    && (a.func, a.pc, a.base, a.join) == (b.func, b.pc, b.base, b.join)
                    && a.calls.len() == b.calls.len()
                    && a.calls
                        .iter()
                        .zip(&b.calls)
                        .all(|(x, y)| (x.func, x.pc, x.base) == (y.func, y.pc, y.base));
                if same {
                    let mask = self.fragments.swap_remove(j).mask;
                    self.fragments[i].mask |= mask;
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }
}
