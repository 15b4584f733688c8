//! Entering and leaving functions.

use super::block::Env;
use super::grid::Launch;
use super::warp::{Fragment, Return, Warp};
use super::{Failure, Step};
use crate::ir::{CODE_STEP, CODE_WINDOW, Call, Callee, Func, Place, Slot, Special, Transfer};
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::memory::nibbles;
use crate::report::Fault;

/// Registers of the callers beyond which a call is too deep, whatever local memory is left.
const MOST_REGISTERS: u32 = 1 << 18;

/// Sets up registers and local memory of a function that `f` has just entered.
pub(super) fn enter(l: &Launch<'_>, env: &Env, w: &mut Warp, f: &Fragment, line: u32) -> Step<()> {
    let func = &l.module.funcs[f.func as usize];
    let frames = u64::from(f.frame) + u64::from(func.frame);
    if frames > u64::from(l.local_limit) || f.calls.len() > 10_000 || f.base > MOST_REGISTERS {
        return Err(Box::new(Failure {
            fault: Fault::StackOverflow.into(),
            line,
            warp: w.index,
            lane: f.mask.trailing_zeros(),
            location: None,
        }));
    }
    let top = (f.base + func.regs) as usize;
    if w.regs.len() < top {
        w.regs.resize(top, [0; WARP]);
    }
    w.local.enter(f.frame, func.frame, f.mask);
    for &(slot, offset) in &func.frame_init {
        let value = i64::from(f.frame).wrapping_add(offset) as u64;
        set(&mut w.regs[(f.base + slot) as usize], &[value; WARP], f.mask);
    }
    for &(slot, special) in &func.special_init {
        let value = special_value(l, env, w.index, special);
        set(&mut w.regs[(f.base + slot) as usize], &value, f.mask);
    }
    Ok(())
}

/// Writes the lanes of a mask.
#[inline]
pub(super) fn set(d: &mut Lanes, value: &Lanes, mask: u32) {
    if mask == u32::MAX {
        *d = *value;
        return;
    }
    for l in 0..WARP {
        let m = u64::from(mask >> l & 1).wrapping_neg();
        d[l] = (value[l] & m) | (d[l] & !m);
    }
}

fn special_value(l: &Launch<'_>, env: &Env, warp: u32, special: Special) -> Lanes {
    let axis = |d: crate::report::Dim3, a: u8| u64::from([d.x, d.y, d.z][a as usize]);
    let threads = l.block.count() as u32;
    std::array::from_fn(|lane| {
        let lane = lane as u32;
        let eq = 1u32 << lane;
        match special {
            Special::Tid(a) => axis(l.block.unflatten(u64::from(warp * 32 + lane)), a),
            Special::Ntid(a) => axis(l.block, a),
            Special::Ctaid(a) => axis(env.coords, a),
            Special::Nctaid(a) => axis(l.grid, a),
            Special::Laneid => u64::from(lane),
            Special::Warpid => u64::from(warp),
            Special::Nwarpid => u64::from(threads.div_ceil(32)),
            Special::Smid => 0,
            Special::Nsmid => 1,
            Special::Gridid => l.id,
            Special::LanemaskEq => u64::from(eq),
            Special::LanemaskLt => u64::from(eq - 1),
            Special::LanemaskLe => u64::from(eq | (eq - 1)),
            Special::LanemaskGe => u64::from(!(eq - 1)),
            Special::LanemaskGt => u64::from(!(eq | (eq - 1))),
            Special::DynamicSmem => u64::from(l.dynamic_shared),
            Special::TotalSmem => u64::from(l.shared_bytes),
        }
    })
}

/// Executes a call for the lanes of `f`, which all call the same function.
pub(super) fn call(
    l: &Launch<'_>,
    env: &Env,
    w: &mut Warp,
    f: &mut Fragment,
    c: &Call,
    callee: u32,
    line: u32,
) -> Step<()> {
    let func = &l.module.funcs[f.func as usize];
    let caller = Window { base: f.base, frame: f.frame };
    f.calls.push(Return { func: f.func, pc: f.pc, base: f.base, frame: f.frame });
    f.base += func.regs;
    f.frame += func.frame;
    f.func = callee;
    f.pc = 0;
    enter(l, env, w, f, line)?;
    let inner = Window { base: f.base, frame: f.frame };
    for t in &c.args {
        transfer(l, w, f.mask, (caller, t.caller), (inner, t.callee), t);
    }
    Ok(())
}

/// Returns the lanes of `f` from their innermost call.
pub(super) fn leave(l: &Launch<'_>, w: &mut Warp, f: &mut Fragment) {
    let Some(back) = f.calls.pop() else { return };
    let inner = Window { base: f.base, frame: f.frame };
    let caller = Window { base: back.base, frame: back.frame };
    let func = &l.module.funcs[back.func as usize];
    if let crate::ir::Op::Call(c) = &func.code[back.pc as usize].op {
        for t in &c.returns {
            transfer(l, w, f.mask, (inner, t.callee), (caller, t.caller), t);
        }
    }
    f.func = back.func;
    f.pc = back.pc + 1;
    f.base = back.base;
    f.frame = back.frame;
}

/// The function that an address means.
pub(super) fn function_at(funcs: &[Func], address: u64) -> Option<u32> {
    let offset = address.checked_sub(CODE_WINDOW)?;
    let index = offset / CODE_STEP;
    let exists = offset % CODE_STEP == 0 && index < funcs.len() as u64;
    (exists && !funcs[index as usize].code.is_empty()).then_some(index as u32)
}

/// An indirect call must agree with its target on where parameters lie.
pub(super) fn fits(c: &Call, func: &Func) -> bool {
    let same = |a: &[Transfer], b: &[(Place, u32)]| {
        a.len() == b.len()
            && a.iter().zip(b).all(|(t, &(place, bytes))| {
                t.bytes == bytes
                    && match (t.callee, place) {
                        (Place::Slot(x), Place::Slot(y)) => x == y,
                        (Place::Frame { offset: x }, Place::Frame { offset: y }) => x == y,
                        _ => false,
                    }
            })
    };
    same(&c.args, &func.params) && same(&c.returns, &func.returns)
}

/// The slot of an indirect call's target.
pub(super) fn indirect(c: &Call) -> Option<Slot> {
    match c.callee {
        Callee::Function(_) => None,
        Callee::Indirect(slot) => Some(slot),
    }
}

#[derive(Clone, Copy)]
struct Window {
    base: u32,
    frame: u32,
}

fn transfer(
    l: &Launch<'_>,
    w: &mut Warp,
    mask: u32,
    from: (Window, Place),
    to: (Window, Place),
    t: &Transfer,
) {
    let word_count = t.bytes.div_ceil(4).max(1);
    for lane in lanes_of(mask) {
        for i in 0..u64::from(word_count) {
            let bytes = (t.bytes - (i as u32 * 4).min(t.bytes)).min(4);
            let Some((_, nibble)) = nibbles(0, bytes).next() else { continue };
            let (value, known) = match from.1 {
                Place::Slot(s) => {
                    let v = l.operand(&w.regs, from.0.base, s)[lane];
                    ((v >> (32 * i)) as u32, nibble)
                }
                Place::Frame { offset } => {
                    let word = u64::from((from.0.frame + offset) / 4) + i;
                    let known = (0..4)
                        .filter(|b| w.local.is_init(lane, word, 1 << b))
                        .fold(0, |k, b| k | 1 << b);
                    (w.local.load(lane, word), known & nibble)
                }
            };
            match to.1 {
                Place::Slot(s) => {
                    let d = &mut w.regs[(to.0.base + s) as usize][lane];
                    let old = if i == 0 { 0 } else { *d };
                    *d = old | u64::from(value) << (32 * i);
                    if t.bytes < 8 {
                        *d &= (1 << (8 * t.bytes)) - 1;
                    }
                }
                Place::Frame { offset } => {
                    let word = u64::from((to.0.frame + offset) / 4) + i;
                    w.local.store(lane, word, value, known);
                }
            }
        }
    }
}
