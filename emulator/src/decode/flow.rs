//! Where threads that part at a branch meet again: the immediate post-dominator.
//!
//! Post-dominators are dominators of the reversed graph; the algorithm is Cooper, Harvey and
//! Kennedy, "A Simple, Fast Dominance Algorithm" (2001), over basic blocks.

use crate::ir::{Inst, Op};

/// Successors of the instruction at `pc`; `end` is the way out of the function.
fn successors(code: &[Inst], pc: usize, mut visit: impl FnMut(usize)) {
    let inst = &code[pc];
    let guarded = inst.guard != crate::ir::NONE;
    match &inst.op {
        Op::Bra { target, .. } => {
            visit(*target as usize);
            if guarded {
                visit(pc + 1);
            }
        }
        Op::Brx { targets, .. } => {
            targets.iter().for_each(|&t| visit(t as usize));
            if guarded {
                visit(pc + 1);
            }
        }
        Op::Ret | Op::Exit | Op::Trap => {
            visit(code.len());
            if guarded {
                visit(pc + 1);
            }
        }
        _ => visit(pc + 1),
    }
}

fn ends_block(inst: &Inst) -> bool {
    matches!(inst.op, Op::Bra { .. } | Op::Brx { .. } | Op::Ret | Op::Exit | Op::Trap)
}

/// The basic blocks of a function.
pub(super) struct Blocks {
    /// First instruction of each; the last is the way out, where there is none.
    pub starts: Vec<usize>,
    /// Blocks that may follow each.
    pub successors: Vec<Vec<usize>>,
}

/// Cuts a function into basic blocks.
pub(super) fn blocks(code: &[Inst]) -> Blocks {
    let n = code.len();
    let mut leader = vec![false; n + 1];
    leader[0] = true;
    leader[n] = true;
    for pc in 0..n {
        if ends_block(&code[pc]) {
            successors(code, pc, |s| leader[s.min(n)] = true);
            leader[pc + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..=n).filter(|&pc| leader[pc]).collect();
    let mut block_of = vec![0usize; n + 1];
    for (b, &start) in starts.iter().enumerate() {
        let end = starts.get(b + 1).copied().unwrap_or(n + 1);
        block_of[start..end].fill(b);
    }
    let mut next = vec![Vec::new(); starts.len()];
    for b in 0..starts.len() - 1 {
        successors(code, starts[b + 1] - 1, |s| next[b].push(block_of[s.min(n)]));
    }
    Blocks { starts, successors: next }
}

/// Fills in `reconv` of every branch.
pub(super) fn set_reconvergence(code: &mut [Inst]) {
    if code.is_empty() {
        return;
    }
    let n = code.len();
    let Blocks { starts, successors: succ } = blocks(code);
    let exit = starts.len() - 1;
    let mut pred: Vec<Vec<usize>> = vec![Vec::new(); starts.len()];
    for (b, next) in succ.iter().enumerate() {
        for &s in next {
            pred[s].push(b);
        }
    }
    let ipdom = post_dominators(&succ, &pred, exit);
    for b in 0..exit {
        let last = starts[b + 1] - 1;
        // A block that never leaves the function meets nobody: the exit will do.
        let meet = ipdom[b].map_or(n, |d| starts[d]) as u32;
        match &mut code[last].op {
            Op::Bra { reconv, .. } | Op::Brx { reconv, .. } => *reconv = meet,
            _ => {}
        }
    }
}

fn post_dominators(succ: &[Vec<usize>], pred: &[Vec<usize>], exit: usize) -> Vec<Option<usize>> {
    // Post-order of the reversed graph from the exit.
    let mut order = Vec::new();
    let mut number = vec![usize::MAX; succ.len()];
    let mut seen = vec![false; succ.len()];
    let mut stack = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((b, next)) = stack.pop() {
        if let Some(&p) = pred[b].get(next) {
            stack.push((b, next + 1));
            if !std::mem::replace(&mut seen[p], true) {
                stack.push((p, 0));
            }
        } else {
            number[b] = order.len();
            order.push(b);
        }
    }
    let mut ipdom: Vec<Option<usize>> = vec![None; succ.len()];
    ipdom[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev().filter(|&&b| b != exit) {
            let mut new: Option<usize> = None;
            for &s in succ[b].iter().filter(|&&s| ipdom[s].is_some()) {
                new = Some(match new {
                    None => s,
                    Some(other) => intersect(&ipdom, &number, s, other),
                });
            }
            if new != ipdom[b] {
                ipdom[b] = new;
                changed = true;
            }
        }
    }
    ipdom
}

fn intersect(ipdom: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = ipdom[a].unwrap_or(b);
        }
        while number[b] < number[a] {
            b = ipdom[b].unwrap_or(a);
        }
    }
    a
}
