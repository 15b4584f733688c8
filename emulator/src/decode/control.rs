//! Branches, calls, barriers, fences.

use super::ctx::Ctx;
use super::function::{Decoded, exactly};
use super::mods::{Mods, Res};
use super::scope::Named;
use crate::ir::{Bar, BarKind, Call, Callee, Collective, NONE, Op, Place, Transfer};
use crate::ptx::ast::{Formal, Operand, Signature};
use crate::ptx::types::Type;

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Decoded> {
    Ok(Decoded::Op(match m.name {
        "bra" => {
            m.take("uni");
            let [Operand::Name(label, 0)] = exactly(o)? else {
                return Err("`bra` needs a label".into());
            };
            return Ok(Decoded::Branch(label.clone()));
        }
        "brx" => {
            m.take("uni");
            if !m.take("idx") {
                return Err("`brx` without .idx".into());
            }
            let [index, Operand::Name(list, 0)] = exactly(o)? else {
                return Err("`brx.idx` needs an index and a list of labels".into());
            };
            return Ok(Decoded::Table(ctx.src(index, Type::U32)?, list.clone()));
        }
        "ret" => {
            m.take("uni");
            let [] = exactly(o)?;
            Op::Ret
        }
        "exit" => {
            let [] = exactly(o)?;
            Op::Exit
        }
        "trap" | "brkpt" => {
            let [] = exactly(o)?;
            Op::Trap
        }
        "nanosleep" => {
            m.ty()?;
            Op::Nop
        }
        "call" => call(m, o, ctx)?,
        "membar" | "fence" => {
            if m.one_of(&["cta", "gl", "gpu", "sys", "cluster"]).is_none() {
                return Err(format!("`{}` without a scope", m.name));
            }
            m.one_of(&["sc", "acq_rel", "acquire", "release"]);
            let [] = exactly(o)?;
            Op::Fence
        }
        _ => barrier(m, o, ctx)?,
    }))
}

fn barrier(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    // `bar` is the aligned form of `barrier`.
    let bar = m.name == "bar";
    if bar && m.take("warp") {
        if !m.take("sync") {
            return Err("`bar.warp` without .sync".into());
        }
        let [members] = exactly(o)?;
        let members = ctx.src(members, Type::B32)?;
        return Ok(Op::Collective { what: Box::new(Collective::Sync), members });
    }
    m.take("cta");
    let aligned = m.take("aligned") || bar;
    let (kind, rest) = match m.one_of(&["sync", "arrive", "red"]) {
        Some("sync") => (BarKind::Sync, o),
        Some("arrive") => (BarKind::Arrive, o),
        Some(_) => {
            let op = m.one_of(&["popc", "and", "or"]).ok_or("barrier reduction of what?")?;
            let ty = m.ty()?;
            let expected = if op == "popc" { Type::U32 } else { Type::PRED };
            if ty != expected {
                return Err(format!("this reduction gives {expected}, not {ty}"));
            }
            let (Some((d, middle)), Some((p, _))) = (o.split_first(), o.split_last()) else {
                return Err("barrier reduction without operands".into());
            };
            let d = ctx.dst(d, ty)?;
            let (p, negated) = ctx.pred(p)?;
            let kind = match op {
                "popc" => BarKind::RedPopc(d, p, negated),
                "and" => BarKind::RedAnd(d, p, negated),
                _ => BarKind::RedOr(d, p, negated),
            };
            (kind, &middle[..middle.len().saturating_sub(1)])
        }
        None => return Err(format!("`{}` without .sync, .arrive or .red", m.name)),
    };
    let (id, count) = match rest {
        [id] => (id, NONE),
        [id, count] => (id, ctx.src(count, Type::U32)?),
        _ => return Err(format!("{} operands do not fit a barrier", o.len())),
    };
    if kind == BarKind::Arrive && count == NONE {
        return Err("an arrival needs the number of threads".into());
    }
    let id = ctx.src(id, Type::U32)?;
    Ok(Op::Bar(Box::new(Bar { kind, id, count, aligned })))
}

fn call(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    m.take("uni");
    let (returns, rest) = match o {
        [Operand::List(r), rest @ ..] => (r.as_slice(), rest),
        _ => (&[][..], o),
    };
    let Some((Operand::Name(target, 0), rest)) = rest.split_first() else {
        return Err("`call` needs a function".into());
    };
    let (args, rest) = match rest {
        [Operand::List(a), rest @ ..] => (a.as_slice(), rest),
        _ => (&[][..], rest),
    };
    let (callee, signature) = match ctx.named(target)? {
        Named::Func(f) => {
            if !ctx.shared.defined[f as usize] {
                return Err(format!("`{target}` has no body in this module"));
            }
            ctx.calls.push(f);
            (Callee::Function(f), ctx.shared.signatures[f as usize].clone())
        }
        Named::Reg(slot, ty) if ty.bits == 64 => {
            let [Operand::Name(prototype, 0)] = rest else {
                return Err("an indirect call needs a prototype".into());
            };
            let signature = ctx
                .scopes
                .find_prototype(prototype)
                .ok_or_else(|| format!("no .callprototype `{prototype}`"))?;
            ctx.indirect = true;
            (Callee::Indirect(slot), signature)
        }
        _ => return Err(format!("`{target}` is not a function")),
    };
    let Signature { returns: formal_returns, params } = &signature;
    let (params, at) = layout(params, (0, 0));
    let (formal_returns, _) = layout(formal_returns, at);
    Ok(Op::Call(Box::new(Call {
        callee,
        args: transfers(args, &params, ctx, false)?,
        returns: transfers(returns, &formal_returns, ctx, true)?,
    })))
}

/// Where the callee has a formal, its type and its bytes.
type Placed = (Place, Type, u32);

/// Formals as the callee has them, and the frame and registers used so far. Registers are numbered, and parameters placed, in the order of
/// declaration, exactly as `function::formals` does it.
fn layout(formals: &[Formal], from: (u32, u32)) -> (Vec<Placed>, (u32, u32)) {
    let (mut frame, mut reg) = from;
    let list = formals
        .iter()
        .map(|f| match f {
            Formal::Param(v) => {
                let offset = super::align_up(frame, v.align.max(4));
                frame = offset.saturating_add(v.size);
                (Place::Frame { offset }, v.ty, v.size)
            }
            Formal::Reg(r) => {
                reg += 1;
                (Place::Slot(reg - 1), r.ty, r.ty.bytes())
            }
        })
        .collect();
    (list, (frame, reg))
}

fn transfers(
    actual: &[Operand],
    formal: &[Placed],
    ctx: &mut Ctx<'_, '_>,
    result: bool,
) -> Res<Box<[Transfer]>> {
    if actual.len() != formal.len() {
        return Err(format!("{} arguments or results where {} belong", actual.len(), formal.len()));
    }
    actual
        .iter()
        .zip(formal)
        .map(|(o, &(callee, ty, bytes))| {
            let frame = match o {
                Operand::Name(name, 0) => match ctx.named(name)? {
                    Named::Frame(offset) => Some(offset),
                    _ => None,
                },
                _ => None,
            };
            let caller = match frame {
                Some(offset) => Place::Frame { offset },
                None if result => Place::Slot(ctx.dst(o, ty)?),
                None => Place::Slot(ctx.src(o, ty)?),
            };
            Ok(Transfer { caller, callee, bytes })
        })
        .collect()
}
