//! Loads and stores.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::ir::{Mem, NONE, Op};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Space};

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    match m.name {
        "prefetch" | "prefetchu" => {
            let space = m.find(Space::parse).unwrap_or(Space::Generic);
            m.one_of(&["L1", "L2"]);
            let [a] = exactly(o)?;
            ctx.addr(a, space)?;
            Ok(Op::Nop)
        }
        "st" => access(m, o, ctx, true),
        _ => access(m, o, ctx, false),
    }
}

/// What the modifiers say of order between threads.
pub(super) struct Order {
    pub strong: bool,
    pub acquire: bool,
    pub release: bool,
}

pub(super) fn order(m: &mut Mods<'_>) -> Order {
    let acq_rel = m.take("acq_rel");
    let acquire = m.take("acquire") || acq_rel;
    let release = m.take("release") || acq_rel;
    let relaxed = m.take("relaxed");
    let volatile = m.take("volatile") || m.take("mmio");
    m.take("weak");
    m.one_of(&["cta", "cluster", "gpu", "sys"]);
    Order { strong: acquire || release || relaxed || volatile, acquire, release }
}

fn access(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>, store: bool) -> Res<Op> {
    let Order { strong, acquire, release } = order(m);
    let space = m.find(Space::parse).unwrap_or(Space::Generic);
    let nc = m.take("nc") || m.name == "ldu";
    m.skip_cache_hints();
    let n = match m.one_of(&["v2", "v4"]) {
        None => 1,
        Some("v2") => 2,
        Some(_) => 4,
    };
    let ty = m.ty()?;
    let [first, second] = exactly(o)?;
    let (data, address) = if store { (second, first) } else { (first, second) };
    if ty.kind == Kind::Predicate {
        return Err("a predicate has no place in memory".into());
    }
    if ty.bytes() * n as u32 > 16 {
        return Err(format!("{n} elements of {ty} are more than 16 bytes"));
    }
    if acquire && store || release && !store || nc && (store || strong) {
        return Err(format!("modifiers that do not fit `{}`", m.name));
    }
    let one = std::slice::from_ref(data);
    let parts: &[Operand] = match data {
        Operand::Vector(parts) => parts,
        _ => one,
    };
    if parts.len() != n {
        return Err(format!("{} registers where {n} belong", parts.len()));
    }
    let mut regs = [NONE; 4];
    let mut reg_bits = 64;
    for (slot, part) in regs.iter_mut().zip(parts) {
        let (s, rt) = if store {
            ctx.src_any(part, ty)?
        } else {
            let (s, rt) = ctx.dst_any(part)?;
            (s, Some(rt))
        };
        if let Some(rt) = rt {
            // A narrow type may use a wider register.
            if rt.bits < ty.bits {
                return Err(format!("register of type {rt} is too narrow for {ty}"));
            }
            reg_bits = rt.bits;
        }
        *slot = s;
    }
    let addr = ctx.addr(address, space)?;
    if store && matches!(addr.space, Space::Const | Space::Param) {
        return Err(format!("`st` to .{}, which is read-only", addr.space));
    }
    let mem = Mem { addr, ty, regs, reg_bits, n: n as u8, strong, release, nc };
    Ok(if store { Op::St(Box::new(mem)) } else { Op::Ld(Box::new(mem)) })
}

/// A memory operand of an atomic.
pub(super) fn atomic_space(m: &mut Mods<'_>) -> Res<Space> {
    match m.find(Space::parse).unwrap_or(Space::Generic) {
        s @ (Space::Generic | Space::Global | Space::Shared) => Ok(s),
        s => Err(format!("`{}` in .{s}", m.name)),
    }
}
