//! `cvt`.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::float::Rounding;
use crate::ir::{Cvt, Op};
use crate::lanes::tri;
use crate::ptx::ast::Operand;
use crate::ptx::types::Type;

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let integral = m.find(|w| {
        Some(match w {
            "rni" => Rounding::Nearest,
            "rzi" => Rounding::Zero,
            "rmi" => Rounding::Down,
            "rpi" => Rounding::Up,
            _ => return None,
        })
    });
    let rounding = m.rounding();
    let (ftz, sat) = (m.take("ftz"), m.take("sat"));
    let (to, from) = (m.ty()?, m.ty()?);
    let [d, a] = exactly(o)?;
    check(to, from, integral, rounding)?;
    if ftz && !(to.is_float() && to.bits == 32 || from.is_float() && from.bits == 32) {
        return Err("`.ftz` fits only .f32".into());
    }
    let (d, reg) = ctx.dst_any(d)?;
    let (a, source) = ctx.src_any(a, from)?;
    if reg.bits < to.bits || source.is_some_and(|s| s.bits < from.bits) {
        return Err("a register is too narrow for its type".into());
    }
    let plain = !to.is_float() && !from.is_float() && !sat;
    if plain && (reg.bits == to.bits || to.bits >= from.bits && !to.is_signed()) {
        return Ok(extend(to, from, d, a, ctx));
    }
    let cvt = Cvt {
        from,
        to,
        rounding: integral.or(rounding).unwrap_or(Rounding::Nearest),
        integral: integral.is_some(),
        sat,
        ftz,
        reg_bits: reg.bits,
    };
    Ok(Op::Cvt { cvt: Box::new(cvt), d, a })
}

/// Which rounding modifiers the manual wants for which pair.
fn check(to: Type, from: Type, integral: Option<Rounding>, rounding: Option<Rounding>) -> Res<()> {
    let fits = match (to.is_float(), from.is_float()) {
        (false, false) => to.is_int() && from.is_int() && integral.is_none() && rounding.is_none(),
        (true, false) => from.is_int() && integral.is_none() && rounding.is_some(),
        (false, true) => to.is_int() && integral.is_some() && rounding.is_none(),
        (true, true) if to.bits < from.bits => integral.is_none() && rounding.is_some(),
        (true, true) if to.bits > from.bits => integral.is_none() && rounding.is_none(),
        (true, true) => rounding.is_none(),
    };
    if fits { Ok(()) } else { Err(format!("rounding of `cvt` from {from} to {to}")) }
}

/// Between integers without saturation: one extension from the narrower of the two.
fn extend(to: Type, from: Type, d: u32, a: u32, ctx: &mut Ctx<'_, '_>) -> Op {
    let shift = ctx.value(u64::from(64 - from.bits));
    let mask = ctx.value(to.mask());
    let f = if from.is_signed() {
        tri!(u64 => u64, |a, shift, mask| ((a << shift) as i64 >> shift) as u64 & mask)
    } else {
        tri!(u64 => u64, |a, shift, mask| a << shift >> shift & mask)
    };
    Op::Tri { f, d, a, b: shift, c: mask }
}
