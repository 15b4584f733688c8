//! The race check of one instruction.

use super::address::{Hit, Place, Site, fault};
use super::block::Env;
use super::grid::Launch;
use super::warp::Warp;
use super::{FailureKind, Step};
use crate::memory::{Alloc, Found, PageGuard, Record, Touch, nibbles};
use crate::report::{Access, Fault};

/// Checks the lanes of an instruction one after the other. It holds the shadow page of the last
/// lane, since the next one is mostly on the same.
pub(super) struct Racer<'l> {
    on: bool,
    kind: Touch,
    strong: bool,
    line: u32,
    page: Option<(*const Alloc, PageGuard<'l>)>,
}

impl<'l> Racer<'l> {
    pub(super) fn new(l: &Launch<'_>, kind: Touch, strong: bool, line: u32) -> Self {
        Racer { on: l.checks.races, kind, strong, line, page: None }
    }

    #[inline]
    pub(super) fn touch(
        &mut self,
        l: &Launch<'_>,
        env: &mut Env,
        w: &Warp,
        site: Site,
        h: Hit<'l>,
    ) -> Step<()> {
        if !self.on {
            return Ok(());
        }
        let per_block = l.warps_per_block();
        let number = (env.number as u32).wrapping_mul(per_block).wrapping_add(w.index);
        let who = Record::new(number, h.lane, env.clocks.now(w.index), self.line, self.strong);
        let (block, warp) = (env.number, w.index);
        let found = match h.place {
            Place::Global(a, _) if a.read_only => None,
            Place::Global(a, at) => {
                let clocks = &env.clocks;
                let ordered = |r: Record| {
                    let (b, o) = (u64::from(r.warp / per_block), r.warp % per_block);
                    clocks.ordered(warp, block, b, o, r.clock)
                };
                let mut found = None;
                for (word, nibble) in nibbles(at, site.bytes) {
                    let kept = self
                        .page
                        .as_ref()
                        .is_some_and(|(of, page)| std::ptr::eq(*of, a) && page.holds(word));
                    if !kept {
                        // The old page first: a thread holds one lock at a time.
                        self.page = None;
                        self.page = Some((a, a.races.lock(word, l.id)));
                    }
                    if let Some((_, page)) = &mut self.page {
                        let cell = page.cell(word);
                        let of = |w: u32| w / per_block;
                        found = found.or(cell.touch(self.kind, nibble, who, ordered, of));
                    }
                }
                found
            }
            Place::Shared(at) => {
                let Env { clocks, shared, .. } = env;
                let mut found = None;
                for (word, nibble) in nibbles(at, site.bytes) {
                    let ordered =
                        |r: Record| clocks.ordered(warp, block, block, r.warp % per_block, r.clock);
                    let cell = &mut shared.cells[word as usize];
                    found = found.or(cell.touch(self.kind, nibble, who, ordered, |w| w));
                }
                found
            }
            Place::Local(_) | Place::Param(_) => None,
        };
        let Some(found) = found else { return Ok(()) };
        let kind = match found {
            Found::NonCoherent => Fault::NonCoherent.into(),
            Found::Race { other, other_wrote } => {
                let access = if self.strong { Access::Atomic } else { site.access };
                FailureKind::Race { access, other, other_wrote }
            }
        };
        Err(fault(l, w, site, h.address, h.lane, kind))
    }
}
