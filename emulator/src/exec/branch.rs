//! Branches through tables, and calls: where each lane goes.

use super::grid::Launch;
use super::step::fail;
use super::warp::{Fragment, Warp};
use super::{Step, call};
use crate::ir::{Call, Callee, Inst};
use crate::lanes::{Lanes, lanes_of};
use crate::report::Fault;

/// `brx.idx`: one fragment a target.
pub(super) fn table(
    w: &mut Warp,
    f: &mut Fragment,
    mask: u32,
    index: &Lanes,
    targets: &[u32],
    reconv: u32,
    line: u32,
) -> Step<()> {
    let mut rest = mask;
    let stay = f.mask & !mask;
    let fall_through = f.pc + 1;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        let Some(&target) = targets.get(index[lane] as usize) else {
            return Err(fail(Fault::BadTarget(index[lane]), line, w, 1 << lane));
        };
        let same = lanes_of(rest).filter(|&l| index[l] == index[lane]).fold(0, |m, l| m | 1 << l);
        rest &= !same;
        if rest == 0 && stay == 0 {
            f.pc = target;
            return Ok(());
        }
        w.split(f, same, target, reconv);
    }
    f.pc = fall_through;
    Ok(())
}

/// The function that the lanes call. None if they had to be divided first.
pub(super) fn target_of(
    l: &Launch<'_>,
    w: &mut Warp,
    f: &mut Fragment,
    c: &Call,
    mask: u32,
    inst: &Inst,
) -> Step<Option<u32>> {
    let next = f.pc + 1;
    if mask != f.mask {
        // The others meet the callers behind the call.
        let (stay, here) = (f.mask & !mask, f.pc);
        w.split(f, stay, next, next);
        f.pc = here;
        return Ok(None);
    }
    let Some(slot) = call::indirect(c) else {
        return Ok(match c.callee {
            Callee::Function(n) => Some(n),
            Callee::Indirect(_) => None,
        });
    };
    let addresses = *l.operand(&w.regs, f.base, slot);
    let lane = mask.trailing_zeros() as usize;
    let same =
        lanes_of(mask).filter(|&i| addresses[i] == addresses[lane]).fold(0, |m, i| m | 1 << i);
    if same != mask {
        let here = f.pc;
        w.split(f, mask & !same, here, next);
        return Ok(None);
    }
    let funcs = &l.module.funcs;
    match call::function_at(funcs, addresses[lane]) {
        Some(n) if call::fits(c, &funcs[n as usize]) => Ok(Some(n)),
        _ => Err(fail(Fault::BadTarget(addresses[lane]), inst.line, w, 1 << lane)),
    }
}
