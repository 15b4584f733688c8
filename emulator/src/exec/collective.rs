//! Shuffles, votes, matches and reductions over the lanes of a member mask.

use super::atomics::reduce;
use super::block::Env;
use super::call::set;
use super::grid::Launch;
use super::warp::{Fragment, Warp};
use super::{Failure, Step};
use crate::ir::{Collective, NONE, ShflMode, Slot, VoteMode};
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::ptx::types::{Kind, Type};
use crate::report::Fault;

/// Whether the lanes that execute are all that their masks name.
pub(super) fn ready(
    l: &Launch<'_>,
    w: &Warp,
    f: &Fragment,
    mask: u32,
    members: Slot,
    line: u32,
) -> Step<bool> {
    present(l, w, f, mask, members, mask, line)
}

/// The same when lanes of other fragments have come too.
pub(super) fn present(
    l: &Launch<'_>,
    w: &Warp,
    f: &Fragment,
    mask: u32,
    members: Slot,
    present: u32,
    line: u32,
) -> Step<bool> {
    let members = l.operand(&w.regs, f.base, members);
    let mut all = true;
    for lane in lanes_of(mask) {
        let m = members[lane] as u32;
        if m >> lane & 1 == 0 {
            return Err(Box::new(Failure {
                fault: Fault::MemberMask { mask: m }.into(),
                line,
                warp: w.index,
                lane: lane as u32,
                location: None,
            }));
        }
        all &= m & w.alive & !present == 0;
    }
    Ok(all)
}

/// Executes for lanes that may be in several fragments: `(mask, first register)` of each.
pub(super) fn execute(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    parts: &[(u32, u32)],
    what: &Collective,
    members: Slot,
) {
    let active = parts.iter().fold(0, |m, p| m | p.0);
    let gather = |w: &Warp, slot: Slot| {
        let mut all: Lanes = [0; WARP];
        for &(mask, base) in parts {
            set(&mut all, l.operand(&w.regs, base, slot), mask);
        }
        all
    };
    let masks = gather(w, members);
    // Lanes with the same mask form a group.
    let group = |lane: usize| masks[lane] as u32 & active;
    let mut first: Lanes = [0; WARP];
    let mut second: Lanes = [0; WARP];
    let (d, p) = match *what {
        Collective::Sync => {
            env.clocks.warp_sync(w.index);
            return;
        }
        Collective::Shfl { mode, d, p, a, b, c } => {
            let (a, b, c) = (gather(w, a), gather(w, b), gather(w, c));
            for lane in lanes_of(active) {
                let (from, inside) = source(mode, lane as u32, b[lane] as u32, c[lane] as u32);
                // A lane outside the group has no defined value: the own one stands in.
                let from = if group(lane) >> from & 1 == 1 { from as usize } else { lane };
                first[lane] = a[from];
                second[lane] = u64::from(inside);
            }
            (d, p)
        }
        Collective::Vote { mode, d, p, negated } => {
            let p = gather(w, p);
            let ballot = super::step::predicate(&p) ^ if negated { u32::MAX } else { 0 };
            for lane in lanes_of(active) {
                let g = group(lane);
                let yes = ballot & g;
                first[lane] = match mode {
                    VoteMode::All => u64::from(yes == g),
                    VoteMode::Any => u64::from(yes != 0),
                    VoteMode::Uni => u64::from(yes == 0 || yes == g),
                    VoteMode::Ballot => u64::from(yes),
                };
            }
            (d, NONE)
        }
        Collective::MatchAny { d, a } => {
            let a = gather(w, a);
            for lane in lanes_of(active) {
                let same = lanes_of(group(lane)).filter(|&o| a[o] == a[lane]);
                first[lane] = same.fold(0, |m, o| m | 1 << o);
            }
            (d, NONE)
        }
        Collective::MatchAll { d, p, a } => {
            let a = gather(w, a);
            for lane in lanes_of(active) {
                let all = lanes_of(group(lane)).all(|o| a[o] == a[lane]);
                first[lane] = if all { u64::from(group(lane)) } else { 0 };
                second[lane] = u64::from(all);
            }
            (d, p)
        }
        Collective::Redux { op, signed, d, a } => {
            let a = gather(w, a);
            let kind = if signed { Kind::Signed } else { Kind::Unsigned };
            let ty = Type { kind, bits: 32 };
            for lane in lanes_of(active) {
                let values = lanes_of(group(lane)).map(|o| a[o]);
                first[lane] = values.reduce(|x, y| reduce(op, ty, x, y)).unwrap_or(0);
            }
            (d, NONE)
        }
        Collective::Elect { d, p } => {
            for lane in lanes_of(active) {
                let leader = group(lane).trailing_zeros();
                first[lane] = u64::from(leader);
                second[lane] = u64::from(leader == lane as u32);
            }
            (d, p)
        }
    };
    for &(mask, base) in parts {
        if d != NONE {
            set(&mut w.regs[(base + d) as usize], &first, mask);
        }
        if p != NONE {
            set(&mut w.regs[(base + p) as usize], &second, mask);
        }
    }
}

/// The lane that a shuffle reads, and whether it is within bounds.
fn source(mode: ShflMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let last = (lane & segment) | (clamp & !segment);
    let first = lane & segment;
    let (from, inside) = match mode {
        ShflMode::Up => {
            let from = lane as i32 - b as i32;
            (from, from >= last as i32)
        }
        ShflMode::Down => {
            let from = (lane + b) as i32;
            (from, from <= last as i32)
        }
        ShflMode::Bfly => {
            let from = (lane ^ b) as i32;
            (from, from <= last as i32)
        }
        ShflMode::Idx => {
            let from = (first | (b & !segment)) as i32;
            (from, from <= last as i32)
        }
    };
    if inside { (from as u32 & 31, true) } else { (lane, false) }
}
