//! What the lanes of a warp do together.

use super::atomic::atom_op;
use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::ir::{AtomOp, Collective, NONE, Op, ShflMode, VoteMode};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Type};

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    if m.name == "activemask" {
        let ty = m.ty()?;
        let [d] = exactly(o)?;
        return Ok(Op::ActiveMask { d: ctx.dst(d, Type { bits: 32, ..ty })? });
    }
    if !m.take("sync") {
        return Err(format!("`{}` without .sync was removed from PTX", m.name));
    }
    match m.name {
        "shfl" => shfl(m, o, ctx),
        "vote" => vote(m, o, ctx),
        "match" => matches(m, o, ctx),
        "redux" => redux(m, o, ctx),
        _ => elect(o, ctx),
    }
}

fn finish(what: Collective, members: &Operand, ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let members = ctx.src(members, Type::B32)?;
    Ok(Op::Collective { what: Box::new(what), members })
}

fn shfl(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let mode = m
        .find(|w| {
            Some(match w {
                "up" => ShflMode::Up,
                "down" => ShflMode::Down,
                "bfly" => ShflMode::Bfly,
                "idx" => ShflMode::Idx,
                _ => return None,
            })
        })
        .ok_or("`shfl` without a mode")?;
    let ty = m.ty()?;
    let [d, a, b, c, members] = exactly(o)?;
    if ty != Type::B32 {
        return Err(format!("`shfl` of {ty}"));
    }
    let (d, p) = ctx.dst_pair(d, ty)?;
    let (a, b, c) = (ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(c, ty)?);
    finish(Collective::Shfl { mode, d, p, a, b, c }, members, ctx)
}

fn vote(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let mode = m
        .find(|w| {
            Some(match w {
                "all" => VoteMode::All,
                "any" => VoteMode::Any,
                "uni" => VoteMode::Uni,
                "ballot" => VoteMode::Ballot,
                _ => return None,
            })
        })
        .ok_or("`vote` without a mode")?;
    let ty = m.ty()?;
    let [d, p, members] = exactly(o)?;
    let expected = if mode == VoteMode::Ballot { Type::B32 } else { Type::PRED };
    if ty != expected {
        return Err(format!("this `vote` gives {expected}, not {ty}"));
    }
    let d = ctx.dst(d, ty)?;
    let (p, negated) = ctx.pred(p)?;
    finish(Collective::Vote { mode, d, p, negated }, members, ctx)
}

fn matches(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let all = match m.one_of(&["any", "all"]) {
        Some(w) => w == "all",
        None => return Err("`match` without .any or .all".into()),
    };
    let ty = m.ty()?;
    let [d, a, members] = exactly(o)?;
    if ty.kind != Kind::Bits || ty.bits < 32 {
        return Err(format!("`match` of {ty}"));
    }
    let (d, p) = ctx.dst_pair(d, Type::B32)?;
    let a = ctx.src(a, ty)?;
    if all {
        return finish(Collective::MatchAll { d, p, a }, members, ctx);
    }
    if p != NONE {
        return Err("`match.any` has no predicate result".into());
    }
    finish(Collective::MatchAny { d, a }, members, ctx)
}

fn redux(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let op = atom_op(m).ok_or("`redux` without an operation")?;
    let ty = m.ty()?;
    let [d, a, members] = exactly(o)?;
    let logic = matches!(op, AtomOp::And | AtomOp::Or | AtomOp::Xor);
    let arith = matches!(op, AtomOp::Add | AtomOp::Min | AtomOp::Max);
    if ty.bits != 32 || !(logic && ty.kind == Kind::Bits || arith && ty.is_int()) {
        return Err(format!("`redux` cannot do this with {ty}"));
    }
    let (d, a) = (ctx.dst(d, ty)?, ctx.src(a, ty)?);
    finish(Collective::Redux { op, signed: ty.is_signed(), d, a }, members, ctx)
}

fn elect(o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let [dst, members] = exactly(o)?;
    let Operand::Pair(d, p) = dst else {
        return Err("`elect.sync` gives d|p".into());
    };
    let d = if **d == Operand::Sink { NONE } else { ctx.dst(d, Type::B32)? };
    let p = ctx.dst(p, Type::PRED)?;
    finish(Collective::Elect { d, p }, members, ctx)
}
