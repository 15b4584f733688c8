//! Gives registers whose values are never needed at the same time one place.
//!
//! Compilers write PTX with a fresh register for every value, thousands of them. A register of a
//! warp is 256 bytes here, so that what fits into the cache decides the speed. This is the linear
//! scan of Poletto and Sarkar ("Linear scan register allocation", 1999) over hulls of live ranges.
//! Lanes that diverge do no harm: each lane runs one path, for which the ranges hold, and writes
//! touch no other lane.

use super::flow::{Blocks, blocks};
use crate::ir::slots::Role;
use crate::ir::{Func, Inst, NONE, Slot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bits, one a register.
type Set = Vec<u64>;

fn has(set: &Set, r: Slot) -> bool {
    set[r as usize / 64] >> (r % 64) & 1 == 1
}

fn insert(set: &mut Set, r: Slot) {
    set[r as usize / 64] |= 1 << (r % 64);
}

/// Renumbers the registers of a function. The first `pinned` are formal parameters and results,
/// which callers know by number.
pub(super) fn compact(func: &mut Func, pinned: u32) {
    let n = func.regs as usize;
    if n == 0 || func.code.is_empty() {
        return;
    }
    let (starts, live_in, live_out) = liveness(&mut func.code, n);
    // Reads of instruction i happen at 2i + 1, writes at 2i + 2, the entry at 0.
    let mut ranges: Vec<Option<(u32, u32)>> = vec![None; n];
    let mut extend = |r: Slot, at: u32| {
        let range = &mut ranges[r as usize];
        *range = Some(range.map_or((at, at), |(a, b)| (a.min(at), b.max(at))));
    };
    for (i, inst) in func.code.iter_mut().enumerate() {
        let i = 2 * i as u32;
        inst.visit(&mut |r, role| extend(*r, if role == Role::Use { i + 1 } else { i + 2 }));
    }
    for b in 0..live_in.len() {
        let (from, to) = (2 * starts[b] as u32, 2 * starts[b + 1] as u32);
        for r in 0..n as Slot {
            if has(&live_in[b], r) {
                extend(r, from);
            }
            if has(&live_out[b], r) {
                extend(r, to);
            }
        }
    }
    // What is set at entry, or must be zero there, begins there.
    let at_entry = func.frame_init.iter().map(|x| x.0).chain(func.special_init.iter().map(|x| x.0));
    at_entry.for_each(|r| extend(r, 0));
    for r in 0..pinned {
        ranges[r as usize] = Some((0, u32::MAX));
    }
    let (place, used) = scan(&ranges, pinned);
    let renamed = |r: Slot| place[r as usize];
    for inst in &mut func.code {
        inst.visit(&mut |r, _| *r = renamed(*r));
    }
    func.frame_init.iter_mut().for_each(|x| x.0 = renamed(x.0));
    func.special_init.iter_mut().for_each(|x| x.0 = renamed(x.0));
    func.regs = used;
}

/// Places for ranges, and how many there are. Pinned registers keep theirs.
fn scan(ranges: &[Option<(u32, u32)>], pinned: u32) -> (Vec<Slot>, u32) {
    let mut order: Vec<(u32, u32, usize)> = ranges
        .iter()
        .enumerate()
        .skip(pinned as usize)
        .filter_map(|(r, range)| range.map(|(from, to)| (from, to, r)))
        .collect();
    order.sort_unstable();
    let mut place: Vec<Slot> = (0..ranges.len() as Slot).collect();
    let mut busy: BinaryHeap<Reverse<(u32, Slot)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<Slot>> = BinaryHeap::new();
    let mut used = pinned;
    for (from, to, r) in order {
        while let Some(&Reverse((end, slot))) = busy.peek()
            && end < from
        {
            busy.pop();
            free.push(Reverse(slot));
        }
        let slot = match free.pop() {
            Some(Reverse(slot)) => slot,
            None => {
                used += 1;
                used - 1
            }
        };
        place[r] = slot;
        busy.push(Reverse((to, slot)));
    }
    (place, used)
}

/// Starts of the blocks (with the end of the code as the last), and the registers that are live
/// where they begin and end.
fn liveness(code: &mut [Inst], n: usize) -> (Vec<usize>, Vec<Set>, Vec<Set>) {
    let Blocks { starts, successors } = blocks(code);
    let count = starts.len() - 1;
    let empty: Set = vec![0; n.div_ceil(64)];
    let mut uses = vec![empty.clone(); count];
    let mut kills = vec![empty.clone(); count];
    for b in 0..count {
        for inst in &mut code[starts[b]..starts[b + 1]] {
            // A guarded write leaves the old value in some lanes: it needs it.
            let guarded = inst.guard != NONE;
            inst.visit(&mut |r, role| {
                if (role == Role::Use || guarded) && !has(&kills[b], *r) {
                    insert(&mut uses[b], *r);
                }
                if role == Role::Def && !guarded {
                    insert(&mut kills[b], *r);
                }
            });
        }
    }
    let mut live_in = uses.clone();
    let mut live_out = vec![empty; count];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..count).rev() {
            for &s in successors[b].iter().filter(|&&s| s < count) {
                for w in 0..live_out[b].len() {
                    live_out[b][w] |= live_in[s][w];
                }
            }
            for w in 0..live_out[b].len() {
                let new = uses[b][w] | (live_out[b][w] & !kills[b][w]);
                changed |= new != live_in[b][w];
                live_in[b][w] = new;
            }
        }
    }
    (starts, live_in, live_out)
}
