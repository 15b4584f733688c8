//! The interpreter: one decoded instruction after the other, each over the lanes of a fragment.

use super::block::Env;
use super::branch::{table, target_of};
use super::call::{self, set};
use super::grid::Launch;
use super::park::retry_collectives;
use super::warp::{Fragment, NO_JOIN, State, Warp};
use super::{Failure, Step, access, atomics, barrier, collective};
use crate::float::convert;
use crate::ir::{BoolOp, Clock, Inst, NONE, Op};
use crate::lanes::{Lanes, WARP, lanes_of};
use crate::report::Fault;

/// Steps that some lanes may run while others wait at a join before those get their turn.
const PATIENCE: u64 = 1 << 17;

/// Why a fragment stops.
enum Stop {
    /// Its turn is over, or it waits: it stays.
    Keep(Fragment),
    /// It has ended, or waits at a join.
    Gone,
}

/// The PTX line where a fragment is.
pub(super) fn line_of(l: &Launch<'_>, f: &Fragment) -> u32 {
    let code = &l.module.funcs[f.func as usize].code;
    code.get(f.pc as usize).or(code.last()).map_or(0, |i| i.line)
}

/// Runs ready fragments of a warp for about `budget` steps. Returns the steps used.
pub(super) fn run_warp(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    budget: u64,
    choice: u64,
) -> Step<u64> {
    let start = w.steps;
    // One fragment a turn, the last as a rule, so that the others may arrive before it goes far.
    let ready = w.fragments.iter().filter(|f| f.state == State::Ready).count();
    if ready == 0 {
        return Ok(0);
    }
    let nth = if choice & 3 == 0 { (choice >> 2) as usize % ready } else { ready - 1 };
    let index = (0..w.fragments.len())
        .filter(|&i| w.fragments[i].state == State::Ready)
        .nth(nth)
        .unwrap_or(0);
    let f = w.fragments.swap_remove(index);
    if let Stop::Keep(f) = run_fragment(l, env, w, f, budget)? {
        let parked = f.state == State::Collective;
        w.fragments.push(f);
        if parked {
            retry_collectives(l, env, w)?;
        }
    }
    let used = w.steps - start;
    w.lonely = if w.someone_waits() { w.lonely + used } else { 0 };
    if w.lonely > PATIENCE {
        w.lonely = 0;
        w.release_one();
    }
    Ok(used)
}

fn run_fragment(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    mut f: Fragment,
    budget: u64,
) -> Step<Stop> {
    let mut out: Lanes = [0; WARP];
    let end = w.steps.saturating_add(budget);
    // Again whenever the function or the place to meet may have changed.
    'place: loop {
        let code: &[Inst] = &l.module.funcs[f.func as usize].code;
        let meeting = w.meeting(&f);
        loop {
            if f.pc == meeting {
                match w.arrive(f) {
                    Some(next) => {
                        f = next;
                        continue 'place;
                    }
                    None => return Ok(Stop::Gone),
                }
            }
            let Some(inst) = code.get(f.pc as usize) else {
                if f.calls.is_empty() {
                    exit(env, w, &mut f, u32::MAX);
                    return Ok(Stop::Gone);
                }
                call::leave(l, w, &mut f);
                continue 'place;
            };
            if w.steps >= end {
                return Ok(Stop::Keep(f));
            }
            let mut mask = f.mask;
            if inst.guard != NONE {
                let p = predicate(l.operand(&w.regs, f.base, inst.guard));
                mask &= if inst.guard_negated { !p } else { p };
            }
            w.steps += 1;
            env.thread_instructions += u64::from(mask.count_ones());
            if mask == 0 {
                f.pc += 1;
                continue;
            }
            macro_rules! src {
                ($slot:expr) => {
                    l.operand(&w.regs, f.base, $slot)
                };
            }
            macro_rules! put {
                ($slot:expr) => {
                    set(&mut w.regs[(f.base + $slot) as usize], &out, mask)
                };
            }
            match &inst.op {
                Op::Un { f: op, d, a } => {
                    op(src!(*a), &mut out);
                    put!(*d);
                }
                Op::Bin { f: op, d, a, b } => {
                    op(src!(*a), src!(*b), &mut out);
                    put!(*d);
                }
                Op::Tri { f: op, d, a, b, c } => {
                    op(src!(*a), src!(*b), src!(*c), &mut out);
                    put!(*d);
                }
                Op::Quad { f: op, d, s: [s, t, u, v] } => {
                    op(src!(*s), src!(*t), src!(*u), src!(*v), &mut out);
                    put!(*d);
                }
                Op::Carry { f: op, d, a, b, c, reads, writes } => {
                    let mut flags: Lanes = [0; WARP];
                    let zero: Lanes = [0; WARP];
                    let carry = if *reads { &w.carry } else { &zero };
                    op(src!(*a), src!(*b), src!(*c), carry, &mut out, &mut flags);
                    put!(*d);
                    if *writes {
                        set(&mut w.carry, &flags, mask);
                    }
                }
                Op::Set { cmp, d, q, a, b, with, truth } => {
                    let mut other: Lanes = [0; WARP];
                    cmp(src!(*a), src!(*b), &mut out);
                    for (other, out) in other.iter_mut().zip(&out) {
                        *other = out ^ 1;
                    }
                    if let Some((op, slot, negated)) = with {
                        let p = src!(*slot);
                        combine(*op, p, *negated, &mut out);
                        combine(*op, p, *negated, &mut other);
                    }
                    if *truth != 1 {
                        out.iter_mut().for_each(|v| *v *= truth);
                    }
                    put!(*d);
                    if *q != NONE {
                        set(&mut w.regs[(f.base + q) as usize], &other, mask);
                    }
                }
                Op::Cvt { cvt, d, a } => {
                    let a = src!(*a);
                    for lane in lanes_of(mask) {
                        out[lane] = convert(cvt, a[lane]);
                    }
                    put!(*d);
                }
                Op::Pack { d, parts, n, bits } => {
                    let mut whole: Lanes = [0; WARP];
                    for (i, &part) in parts[..*n as usize].iter().enumerate() {
                        for (whole, part) in whole.iter_mut().zip(src!(part)) {
                            *whole |= part << (*bits * i as u32);
                        }
                    }
                    set(&mut w.regs[(f.base + d) as usize], &whole, mask);
                }
                Op::Unpack { parts, n, bits, a } => {
                    let whole = *src!(*a);
                    let keep = u64::MAX >> (64 - bits);
                    for (i, &part) in parts[..*n as usize].iter().enumerate() {
                        for (out, whole) in out.iter_mut().zip(&whole) {
                            *out = (whole >> (*bits * i as u32)) & keep;
                        }
                        put!(part);
                    }
                }
                Op::Ld(mem) => access::load(l, env, w, f.base, mem, mask, inst.line)?,
                Op::St(mem) => access::store(l, env, w, f.base, mem, mask, inst.line)?,
                Op::Atom(atom) => atomics::atom(l, env, w, f.base, atom, mask, inst.line)?,
                Op::Fence => env.clocks.fence(w.index),
                Op::Nop => {}
                Op::ActiveMask { d } => {
                    out = [u64::from(mask); WARP];
                    put!(*d);
                }
                Op::ReadClock { d, clock } => {
                    let now = w.steps;
                    out = [match clock {
                        Clock::Low => now & 0xffff_ffff,
                        Clock::High => now >> 32,
                        Clock::Whole => now,
                    }; WARP];
                    put!(*d);
                }
                Op::Bra { target, reconv } => {
                    if mask == f.mask {
                        f.pc = *target;
                        continue;
                    }
                    f.pc += 1;
                    w.split(&mut f, mask, *target, *reconv);
                    continue 'place;
                }
                Op::Brx { index, targets, reconv } => {
                    let index = *src!(*index);
                    table(w, &mut f, mask, &index, targets, *reconv, inst.line)?;
                    continue 'place;
                }
                Op::Ret | Op::Exit if mask != f.mask => {
                    if matches!(inst.op, Op::Exit) || f.calls.is_empty() {
                        exit(env, w, &mut f, mask);
                        f.pc += 1;
                        continue 'place;
                    }
                    f.pc += 1;
                    w.split(&mut f, mask, code.len() as u32, code.len() as u32);
                    continue 'place;
                }
                Op::Ret if !f.calls.is_empty() => {
                    f.pc = code.len() as u32;
                    continue;
                }
                Op::Ret | Op::Exit => {
                    exit(env, w, &mut f, mask);
                    return Ok(Stop::Gone);
                }
                Op::Trap => return Err(fail(Fault::Trap, inst.line, w, mask)),
                Op::Call(c) => {
                    let Some(callee) = target_of(l, w, &mut f, c, mask, inst)? else {
                        continue 'place;
                    };
                    call::call(l, env, w, &mut f, c, callee, inst.line)?;
                    continue 'place;
                }
                Op::Collective { what, members } => {
                    if !collective::ready(l, w, &f, mask, *members, inst.line)? {
                        // The guard must not divide those who wait.
                        f.state = State::Collective;
                        w.steps -= 1;
                        return Ok(Stop::Keep(f));
                    }
                    let parts = [(mask, f.base)];
                    collective::execute(l, env, w, &parts, what, *members);
                }
                Op::Bar(bar) => {
                    if barrier::arrive(l, env, w, &mut f, bar, mask, inst.line)? {
                        return Ok(Stop::Keep(f));
                    }
                }
            }
            f.pc += 1;
        }
    }
}

pub(super) fn fail(fault: Fault, line: u32, w: &Warp, mask: u32) -> Box<Failure> {
    let lane = mask.trailing_zeros() & 31;
    Box::new(Failure { fault: fault.into(), line, warp: w.index, lane, location: None })
}

/// A predicate register as a mask.
#[inline]
pub(super) fn predicate(p: &Lanes) -> u32 {
    let mut mask = 0;
    for (l, v) in p.iter().enumerate() {
        mask |= (*v as u32 & 1) << l;
    }
    mask
}

fn combine(op: BoolOp, p: &Lanes, negated: bool, d: &mut Lanes) {
    let flip = u64::from(negated);
    for l in 0..WARP {
        let p = p[l] ^ flip;
        d[l] = match op {
            BoolOp::And => d[l] & p,
            BoolOp::Or => d[l] | p,
            BoolOp::Xor => d[l] ^ p,
        };
    }
}

/// Lanes of `f` end.
fn exit(env: &mut Env, w: &mut Warp, f: &mut Fragment, mask: u32) {
    let mask = mask & f.mask;
    f.mask &= !mask;
    env.live -= mask.count_ones();
    w.exit(mask);
    if f.mask == 0 {
        f.join = NO_JOIN;
    }
}
