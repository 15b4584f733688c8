//! The registers that an instruction reads and writes.

use super::{BarKind, CONST, Callee, Collective, Inst, NONE, Op, Place, Slot};

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Use,
    Def,
}

impl Inst {
    /// Visits every register operand, uses before definitions. Constants and absent operands are
    /// left out.
    pub(crate) fn visit(&mut self, f: &mut dyn FnMut(&mut Slot, Role)) {
        let mut at = |slot: &mut Slot, role: Role| {
            if *slot != NONE && *slot & CONST == 0 {
                f(slot, role);
            }
        };
        at(&mut self.guard, Role::Use);
        visit(&mut self.op, &mut at);
    }
}

fn visit(op: &mut Op, at: &mut dyn FnMut(&mut Slot, Role)) {
    use Role::{Def, Use};
    match op {
        Op::Nop | Op::Fence | Op::Bra { .. } | Op::Ret | Op::Exit | Op::Trap => {}
        Op::Un { d, a, .. } | Op::Cvt { d, a, .. } => {
            at(a, Use);
            at(d, Def);
        }
        Op::Bin { d, a, b, .. } => {
            at(a, Use);
            at(b, Use);
            at(d, Def);
        }
        Op::Tri { d, a, b, c, .. } | Op::Carry { d, a, b, c, .. } => {
            at(a, Use);
            at(b, Use);
            at(c, Use);
            at(d, Def);
        }
        Op::Quad { d, s, .. } => {
            s.iter_mut().for_each(|s| at(s, Use));
            at(d, Def);
        }
        Op::Set { d, q, a, b, with, .. } => {
            at(a, Use);
            at(b, Use);
            if let Some((_, p, _)) = with {
                at(p, Use);
            }
            at(d, Def);
            at(q, Def);
        }
        Op::Pack { d, parts, n, .. } => {
            parts[..usize::from(*n)].iter_mut().for_each(|s| at(s, Use));
            at(d, Def);
        }
        Op::Unpack { parts, n, a, .. } => {
            at(a, Use);
            parts[..usize::from(*n)].iter_mut().for_each(|s| at(s, Def));
        }
        Op::Ld(m) => {
            at(&mut m.addr.base, Use);
            m.regs[..usize::from(m.n)].iter_mut().for_each(|s| at(s, Def));
        }
        Op::St(m) => {
            at(&mut m.addr.base, Use);
            m.regs[..usize::from(m.n)].iter_mut().for_each(|s| at(s, Use));
        }
        Op::Atom(a) => {
            at(&mut a.addr.base, Use);
            at(&mut a.a, Use);
            at(&mut a.b, Use);
            at(&mut a.d, Def);
        }
        Op::Bar(bar) => {
            at(&mut bar.id, Use);
            at(&mut bar.count, Use);
            if let BarKind::RedPopc(d, p, _) | BarKind::RedAnd(d, p, _) | BarKind::RedOr(d, p, _) =
                &mut bar.kind
            {
                at(p, Use);
                at(d, Def);
            }
        }
        Op::Collective { what, members } => {
            at(members, Use);
            collective(what, at);
        }
        Op::ActiveMask { d } | Op::ReadClock { d, .. } => at(d, Def),
        Op::Brx { index, .. } => at(index, Use),
        Op::Call(c) => {
            if let Callee::Indirect(slot) = &mut c.callee {
                at(slot, Use);
            }
            for t in &mut c.args {
                if let Place::Slot(s) = &mut t.caller {
                    at(s, Use);
                }
            }
            for t in &mut c.returns {
                if let Place::Slot(s) = &mut t.caller {
                    at(s, Def);
                }
            }
        }
    }
}

fn collective(what: &mut Collective, at: &mut dyn FnMut(&mut Slot, Role)) {
    use Role::{Def, Use};
    match what {
        Collective::Sync => {}
        Collective::Shfl { d, p, a, b, c, .. } => {
            at(a, Use);
            at(b, Use);
            at(c, Use);
            at(d, Def);
            at(p, Def);
        }
        Collective::Vote { d, p, .. } => {
            at(p, Use);
            at(d, Def);
        }
        Collective::MatchAny { d, a } | Collective::Redux { d, a, .. } => {
            at(a, Use);
            at(d, Def);
        }
        Collective::MatchAll { d, p, a } => {
            at(a, Use);
            at(d, Def);
            at(p, Def);
        }
        Collective::Elect { d, p } => {
            at(d, Def);
            at(p, Def);
        }
    }
}
