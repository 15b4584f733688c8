//! Block barriers.

use super::block::{Block, Env};
use super::call::set;
use super::grid::Launch;
use super::step::{fail, line_of};
use super::warp::{Fragment, State, Warp};
use super::{Failure, Step};
use crate::ir::{Bar, BarKind, NONE, Op};
use crate::lanes::{WARP, lanes_of};
use crate::report::Fault;

/// Who has come to a barrier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals {
    /// Threads that wait.
    pub waiting: u32,
    /// Threads that `bar.arrive` counted without waiting.
    pub passed: u32,
    /// Threads wanted; 0 for the whole block.
    pub count: u32,
    /// Bit mask of the warps that arrived without waiting, for the clocks.
    pub passed_warps: u32,
}

fn bar_of<'l>(l: &'l Launch<'_>, func: u32, pc: u32) -> Option<&'l Bar> {
    match &l.module.funcs[func as usize].code.get(pc as usize)?.op {
        Op::Bar(bar) => Some(bar),
        _ => None,
    }
}

/// Comes to a barrier. True if the fragment waits there.
pub(super) fn arrive(
    l: &Launch<'_>,
    env: &mut Env,
    w: &mut Warp,
    f: &mut Fragment,
    bar: &Bar,
    mask: u32,
    line: u32,
) -> Step<bool> {
    let divergence = |detail: &str| {
        let fault = Fault::BarrierDivergence { detail: detail.into() };
        Err(fail(fault, line, w, mask))
    };
    if mask != f.mask {
        return divergence("a predicate lets only some lanes of the warp come to the barrier");
    }
    let lane = mask.trailing_zeros() as usize;
    let ids = l.operand(&w.regs, f.base, bar.id);
    let id = ids[lane] as u32;
    let count =
        if bar.count == NONE { 0 } else { l.operand(&w.regs, f.base, bar.count)[lane] as u32 };
    if id > 15 || (bar.count != NONE && (count == 0 || count % 32 != 0)) {
        return divergence("the barrier's number or thread count is not valid");
    }
    if lanes_of(mask).any(|l| ids[l] as u32 != id) {
        return divergence("lanes of one warp name different barriers");
    }
    let a = &mut env.arrivals[id as usize];
    if a.waiting + a.passed > 0 && a.count != count {
        return divergence("threads come to one barrier with different thread counts");
    }
    a.count = count;
    if bar.kind == BarKind::Arrive {
        a.passed += mask.count_ones();
        a.passed_warps |= 1 << w.index;
        return Ok(false);
    }
    a.waiting += mask.count_ones();
    f.state = State::Barrier(id, count);
    Ok(true)
}

/// Lets everyone go on whose barrier is complete. Returns how many barriers were.
pub(super) fn complete(l: &Launch<'_>, env: &mut Env, warps: &mut [Warp]) -> Step<u64> {
    let mut completed = 0;
    for id in 0..16u32 {
        let a = env.arrivals[id as usize];
        let wanted = if a.count == 0 { env.live } else { a.count };
        if a.waiting == 0 || a.waiting + a.passed < wanted {
            continue;
        }
        check(l, env, warps, id, a)?;
        release(l, env, warps, id);
        env.arrivals[id as usize] = Arrivals::default();
        completed += 1;
    }
    Ok(completed)
}

fn failure(line: u32, warp: u32, lane: u32, detail: String) -> Box<Failure> {
    let fault = Fault::BarrierDivergence { detail }.into();
    Box::new(Failure { fault, line, warp, lane, location: None })
}

/// The lanes of a warp must be at the same aligned barrier, and nobody may have left.
fn check(l: &Launch<'_>, env: &Env, warps: &[Warp], id: u32, a: Arrivals) -> Step<()> {
    for w in warps {
        let mut here = w.fragments.iter().filter(|f| waits(f.state, id));
        let Some(first) = here.next() else { continue };
        let line = line_of(l, first);
        let lane = first.mask.trailing_zeros();
        let aligned = bar_of(l, first.func, first.pc).is_some_and(|b| b.aligned);
        let mut together = first.mask;
        for f in here {
            if aligned && (f.func, f.pc) != (first.func, first.pc) {
                let detail = format!(
                    "lanes of one warp wait at different barriers, the others in PTX line {}",
                    line_of(l, f)
                );
                return Err(failure(line, w.index, lane, detail));
            }
            together |= f.mask;
        }
        if aligned && together != w.alive {
            let detail = format!(
                "lanes {:#010x} of the warp wait here without lanes {:#010x}",
                together,
                w.alive & !together
            );
            return Err(failure(line, w.index, lane, detail));
        }
        let threads = l.block.count() as u32;
        if l.checks.barriers && a.count == 0 && env.live < threads {
            let detail = format!("{} threads of the block have exited", threads - env.live);
            return Err(failure(line, w.index, lane, detail));
        }
    }
    Ok(())
}

fn waits(state: State, id: u32) -> bool {
    matches!(state, State::Barrier(i, _) if i == id)
}

fn release(l: &Launch<'_>, env: &mut Env, warps: &mut [Warp], id: u32) {
    // The reductions are over all threads that wait.
    let (mut population, mut all, mut any) = (0u64, 1u64, 0u64);
    for w in warps.iter() {
        for f in w.fragments.iter().filter(|f| waits(f.state, id)) {
            let Some(bar) = bar_of(l, f.func, f.pc) else { continue };
            if let BarKind::RedPopc(_, p, n) | BarKind::RedAnd(_, p, n) | BarKind::RedOr(_, p, n) =
                bar.kind
            {
                let values = l.operand(&w.regs, f.base, p);
                for lane in lanes_of(f.mask) {
                    let v = values[lane] ^ u64::from(n);
                    population += v;
                    all &= v;
                    any |= v;
                }
            }
        }
    }
    let passed = env.arrivals[id as usize].passed_warps;
    let mut participants: Vec<u32> = lanes_of(passed).map(|w| w as u32).collect();
    for w in warps.iter_mut() {
        let mut hit = false;
        let Warp { fragments, regs, .. } = w;
        for f in fragments.iter_mut().filter(|f| waits(f.state, id)) {
            if let Some(bar) = bar_of(l, f.func, f.pc) {
                let result = match bar.kind {
                    BarKind::RedPopc(d, ..) => Some((d, population)),
                    BarKind::RedAnd(d, ..) => Some((d, all)),
                    BarKind::RedOr(d, ..) => Some((d, any)),
                    BarKind::Sync | BarKind::Arrive => None,
                };
                if let Some((d, v)) = result {
                    set(&mut regs[(f.base + d) as usize], &[v; WARP], f.mask);
                }
            }
            f.state = State::Ready;
            f.pc += 1;
            hit = true;
        }
        if hit {
            if !participants.contains(&w.index) {
                participants.push(w.index);
            }
            w.merge();
        }
    }
    env.clocks.barrier(&participants);
}

/// Nobody can go on: says who waits where.
pub(super) fn stuck(l: &Launch<'_>, block: &Block) -> Box<Failure> {
    let waiting = block.warps.iter().flat_map(|w| w.fragments.iter().map(move |f| (w, f)));
    let mut places: Vec<(u32, u32)> = Vec::new();
    let mut first: Option<(u32, u32, u32)> = None;
    for (w, f) in waiting {
        let line = line_of(l, f);
        first = first.or(Some((line, w.index, f.mask.trailing_zeros())));
        match places.iter_mut().find(|p| p.0 == line) {
            Some(p) => p.1 += f.mask.count_ones(),
            None => places.push((line, f.mask.count_ones())),
        }
    }
    let mut detail = String::from("no thread of the block can go on:");
    for (line, threads) in &places {
        detail.push_str(&format!(" {threads} wait in PTX line {line},"));
    }
    let waiting: u32 = places.iter().map(|p| p.1).sum();
    detail.push_str(&format!(
        " {} wait where lanes of their warp should meet, {} have exited",
        block.env.live.saturating_sub(waiting),
        (l.block.count() as u32).saturating_sub(block.env.live)
    ));
    let (line, warp, lane) = first.unwrap_or_default();
    failure(line, warp, lane, detail)
}
