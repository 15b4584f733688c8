//! Moves, packing, and addresses of variables.

use super::ctx::{Ctx, window};
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::ir::{Clock, NONE, Op, WINDOW_SIZE};
use crate::lanes::{F1, F3, bin, tri, un};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Space, Type};

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    match m.name {
        "mov" => mov(m, o, ctx),
        "cvta" => cvta(m, o, ctx),
        _ => isspacep(m, o, ctx),
    }
}

fn copy() -> F1 {
    un!(u64 => u64, |a| a)
}

fn mov(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = m.ty()?;
    let [d, a] = exactly(o)?;
    match (d, a) {
        (Operand::Vector(parts), _) => {
            let (parts, n, bits) = split(parts, ty, |o, ty| ctx.dst(o, ty))?;
            return Ok(Op::Unpack { parts, n, bits, a: ctx.src(a, ty)? });
        }
        (_, Operand::Vector(parts)) => {
            let (parts, n, bits) = split(parts, ty, |o, ty| ctx.src(o, ty))?;
            return Ok(Op::Pack { d: ctx.dst(d, ty)?, parts, n, bits });
        }
        _ => {}
    }
    if let Operand::Name(name, 0) = a
        && let Some((clock, width)) = clock(name)
    {
        if ty.bits != width {
            return Err(format!("`{name}` has {width} bits"));
        }
        return Ok(Op::ReadClock { d: ctx.dst(d, ty)?, clock });
    }
    Ok(Op::Un { f: copy(), d: ctx.dst(d, ty)?, a: ctx.src(a, ty)? })
}

fn clock(name: &str) -> Option<(Clock, u32)> {
    Some(match name {
        "%clock" | "%globaltimer_lo" => (Clock::Low, 32),
        "%clock_hi" | "%globaltimer_hi" => (Clock::High, 32),
        "%clock64" | "%globaltimer" => (Clock::Whole, 64),
        _ => return None,
    })
}

type Parts = ([u32; 4], u8, u32);

fn split(
    parts: &[Operand],
    ty: Type,
    mut slot: impl FnMut(&Operand, Type) -> Res<u32>,
) -> Res<Parts> {
    if ty.kind != Kind::Bits || !matches!(parts.len(), 2 | 4) || ty.bits / (parts.len() as u32) < 8
    {
        return Err(format!("{} parts of {ty}", parts.len()));
    }
    let bits = ty.bits / parts.len() as u32;
    let mut slots = [NONE; 4];
    for (s, o) in slots.iter_mut().zip(parts) {
        *s = slot(o, Type { kind: Kind::Bits, bits })?;
    }
    Ok((slots, parts.len() as u8, bits))
}

/// Between generic addresses and those of a space. Device memory has the same in both.
fn cvta(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let to = m.take("to");
    let space = m.find(Space::parse).ok_or("`cvta` without a state space")?;
    let ty = m.ty()?;
    let [d, a] = exactly(o)?;
    if !matches!(ty.bits, 32 | 64) || ty.kind != Kind::Unsigned {
        return Err(format!("`cvta` of {ty}"));
    }
    let a = ctx.src(a, ty)?;
    let d = ctx.dst(d, ty)?;
    let b = ctx.value(window(space));
    let f = if to {
        bin!(u64 => u64, |a, b| a.wrapping_sub(b))
    } else {
        bin!(u64 => u64, |a, b| a.wrapping_add(b))
    };
    Ok(Op::Bin { f, d, a, b })
}

/// Whether a generic address lies in a space.
fn isspacep(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let space = m.find(Space::parse).ok_or("`isspacep` without a state space")?;
    let [d, a] = exactly(o)?;
    let a = ctx.src(a, Type::U64)?;
    let d = ctx.dst(d, Type::PRED)?;
    let (from, to) = match window(space) {
        0 if space == Space::Global => (crate::memory::FIRST_ADDRESS, u64::MAX),
        0 => return Err(format!("`isspacep` of .{space} is not supported")),
        w => (w, w + WINDOW_SIZE),
    };
    let (b, c) = (ctx.value(from), ctx.value(to));
    let f: F3 = tri!(u64 => bool, |a, b, c| b <= a && a < c);
    Ok(Op::Tri { f, d, a, b, c })
}
