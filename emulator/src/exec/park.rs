//! Fragments that wait at a warp-wide instruction for other lanes of the warp.

use super::block::Env;
use super::grid::Launch;
use super::step::predicate;
use super::warp::{Fragment, State, Warp};
use super::{Step, collective};
use crate::ir::{Collective, NONE, Op};

/// Executes collectives whose lanes have all come, in whichever fragments. True if any did.
pub(super) fn retry_collectives(l: &Launch<'_>, env: &mut Env, w: &mut Warp) -> Step<bool> {
    let parked: Vec<usize> =
        (0..w.fragments.len()).filter(|&i| w.fragments[i].state == State::Collective).collect();
    for &first in &parked {
        let (func, pc) = (w.fragments[first].func, w.fragments[first].pc);
        let inst = &l.module.funcs[func as usize].code[pc as usize];
        let Op::Collective { what, members } = &inst.op else { continue };
        let sync = matches!(**what, Collective::Sync);
        let together: Vec<usize> = parked
            .iter()
            .copied()
            .filter(|&i| {
                let f = &w.fragments[i];
                (f.func, f.pc) == (func, pc) || (sync && is_sync(l, f))
            })
            .collect();
        let parts: Vec<(u32, u32)> =
            together.iter().map(|&i| (guarded(l, w, i), w.fragments[i].base)).collect();
        let present = parts.iter().fold(0, |m, p| m | p.0);
        let complete = together.iter().try_fold(true, |all, &i| {
            let f = w.fragments[i].clone();
            let inst = &l.module.funcs[f.func as usize].code[f.pc as usize];
            let Op::Collective { members, .. } = &inst.op else { return Ok(false) };
            let mask = guarded(l, w, i);
            collective::present(l, w, &f, mask, *members, present, inst.line).map(|p| all && p)
        })?;
        if !complete {
            continue;
        }
        collective::execute(l, env, w, &parts, what, *members);
        w.steps += 1;
        for &i in &together {
            w.fragments[i].state = State::Ready;
            w.fragments[i].pc += 1;
        }
        w.merge();
        return Ok(true);
    }
    Ok(false)
}

fn is_sync(l: &Launch<'_>, f: &Fragment) -> bool {
    let inst = &l.module.funcs[f.func as usize].code[f.pc as usize];
    matches!(&inst.op, Op::Collective { what, .. } if matches!(**what, Collective::Sync))
}

/// The lanes of a parked fragment that its guard lets execute.
fn guarded(l: &Launch<'_>, w: &Warp, index: usize) -> u32 {
    let f = &w.fragments[index];
    let inst = &l.module.funcs[f.func as usize].code[f.pc as usize];
    if inst.guard == NONE {
        return f.mask;
    }
    let p = predicate(l.operand(&w.regs, f.base, inst.guard));
    f.mask & if inst.guard_negated { !p } else { p }
}
