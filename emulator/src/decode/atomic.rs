//! `atom` and `red`.

use super::ctx::Ctx;
use super::memory::{Order, atomic_space, order};
use super::mods::{Mods, Res};
use crate::ir::{Atom, AtomOp, NONE, Op};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Type};

pub(super) fn atom_op(m: &mut Mods<'_>) -> Option<AtomOp> {
    m.find(|w| {
        Some(match w {
            "add" => AtomOp::Add,
            "min" => AtomOp::Min,
            "max" => AtomOp::Max,
            "and" => AtomOp::And,
            "or" => AtomOp::Or,
            "xor" => AtomOp::Xor,
            "exch" => AtomOp::Exch,
            "cas" => AtomOp::Cas,
            "inc" => AtomOp::Inc,
            "dec" => AtomOp::Dec,
            _ => return None,
        })
    })
}

fn fits(op: AtomOp, ty: Type) -> bool {
    use AtomOp::{Add, And, Cas, Dec, Exch, Inc, Max, Min, Or, Xor};
    let (kind, bits) = (ty.kind, ty.bits);
    match op {
        Add if kind == Kind::Signed => bits == 32,
        Add => matches!(kind, Kind::Unsigned | Kind::Float) && bits >= 32,
        Min | Max => ty.is_int() && bits >= 32,
        And | Or | Xor | Exch | Cas => kind == Kind::Bits && bits >= 32,
        Inc | Dec => kind == Kind::Unsigned && bits == 32,
    }
}

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let red = m.name == "red";
    let Order { release, .. } = order(m);
    let space = atomic_space(m)?;
    let op = atom_op(m).ok_or_else(|| format!("`{}` without an operation", m.name))?;
    m.skip_cache_hints();
    let ty = m.ty()?;
    if !fits(op, ty) || (red && matches!(op, AtomOp::Exch | AtomOp::Cas)) {
        return Err(format!("`{}` cannot do this with {ty}", m.name));
    }
    let (d, rest) = if red {
        (NONE, o)
    } else {
        let (d, rest) = o.split_first().ok_or("`atom` without operands")?;
        (ctx.dst(d, ty)?, rest)
    };
    let (addr, a, b) = match (op == AtomOp::Cas, rest) {
        (false, [addr, a]) => (addr, ctx.src(a, ty)?, NONE),
        (true, [addr, a, b]) => (addr, ctx.src(a, ty)?, ctx.src(b, ty)?),
        _ => return Err(format!("{} operands do not fit `{}`", o.len(), m.name)),
    };
    let addr = ctx.addr(addr, space)?;
    Ok(Op::Atom(Box::new(Atom { op, ty, addr, d, a, b, release })))
}
