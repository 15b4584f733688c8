//! Integer arithmetic without carries.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::ir::Op;
use crate::lanes::{F2, F3, WideMul, bin, ints, tri, un};
use crate::ptx::ast::Operand;
use crate::ptx::types::Type;

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    match m.name {
        "abs" | "neg" => unary(m, o, ctx),
        "mul" => multiply(m, o, ctx),
        "mad" => multiply_add(m, o, ctx),
        "mul24" | "mad24" => narrow(m, o, ctx),
        "sad" => sum_of_differences(m, o, ctx),
        "dp4a" => dot(m, o, ctx),
        _ => binary(m, o, ctx),
    }
}

fn int_type(m: &mut Mods<'_>) -> Res<Type> {
    let ty = m.ty()?;
    if ty.is_int() { Ok(ty) } else { Err(format!("type {ty} does not fit `{}`", m.name)) }
}

fn unary(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = int_type(m)?;
    let [d, a] = exactly(o)?;
    let f = match (m.name, ty.is_signed()) {
        ("neg", true) => ints!(ty, un, |a| a.wrapping_neg())?,
        ("abs", true) => match ty.bits {
            16 => un!(i16 => i16, |a| a.wrapping_abs()),
            32 => un!(i32 => i32, |a| a.wrapping_abs()),
            _ => un!(i64 => i64, |a| a.wrapping_abs()),
        },
        _ => return Err(format!("`{}` needs a signed type", m.name)),
    };
    Ok(Op::Un { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)? })
}

fn binary(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = int_type(m)?;
    let [d, a, b] = exactly(o)?;
    let sat = m.take("sat");
    let f: F2 = match m.name {
        _ if sat => {
            if ty.bits != 32 || !ty.is_signed() || !matches!(m.name, "add" | "sub") {
                return Err(format!("`.sat` does not fit this `{}`", m.name));
            }
            if m.name == "add" {
                bin!(i32 => i32, |a, b| a.saturating_add(b))
            } else {
                bin!(i32 => i32, |a, b| a.saturating_sub(b))
            }
        }
        "add" => ints!(ty, bin, |a, b| a.wrapping_add(b))?,
        "sub" => ints!(ty, bin, |a, b| a.wrapping_sub(b))?,
        // The manual leaves division by zero open; hardware gives all ones.
        "div" => ints!(ty, bin, |a, b| if b == 0 { !b } else { a.wrapping_div(b) })?,
        "rem" => ints!(ty, bin, |a, b| if b == 0 { !b } else { a.wrapping_rem(b) })?,
        "min" => ints!(ty, bin, |a, b| a.min(b))?,
        "max" => ints!(ty, bin, |a, b| a.max(b))?,
        _ => return Err(format!("unknown instruction `{}`", m.name)),
    };
    Ok(Op::Bin { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)?, b: ctx.src(b, ty)? })
}

fn multiply(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let half = half(m)?;
    let ty = int_type(m)?;
    let [d, a, b] = exactly(o)?;
    let (f, to): (F2, Type) = match half {
        "lo" => (ints!(ty, bin, |a, b| a.wrapping_mul(b))?, ty),
        "hi" => (ints!(ty, bin, |a, b| a.hi(b))?, ty),
        _ => {
            let f = match (ty.is_signed(), ty.bits) {
                (false, 16) => bin!(u16 => u32, |a, b| a.wide(b)),
                (false, 32) => bin!(u32 => u64, |a, b| a.wide(b)),
                (true, 16) => bin!(i16 => i32, |a, b| a.wide(b)),
                (true, 32) => bin!(i32 => i64, |a, b| a.wide(b)),
                _ => return Err(format!("`mul.wide` of {ty}")),
            };
            (f, ty.widened())
        }
    };
    Ok(Op::Bin { f, d: ctx.dst(d, to)?, a: ctx.src(a, ty)?, b: ctx.src(b, ty)? })
}

fn half(m: &mut Mods<'_>) -> Res<&'static str> {
    m.one_of(&["lo", "hi", "wide"]).ok_or_else(|| format!("`{}` without .lo, .hi, .wide", m.name))
}

fn multiply_add(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let half = half(m)?;
    let sat = m.take("sat");
    let ty = int_type(m)?;
    let [d, a, b, c] = exactly(o)?;
    let (f, to): (F3, Type) = match half {
        "hi" if sat => {
            if !ty.is_signed() || ty.bits != 32 {
                return Err("`mad.hi.sat` needs .s32".into());
            }
            (tri!(i32 => i32, |a, b, c| a.hi(b).saturating_add(c)), ty)
        }
        _ if sat => return Err("`.sat` fits only `mad.hi.s32`".into()),
        "lo" => (ints!(ty, tri, |a, b, c| a.wrapping_mul(b).wrapping_add(c))?, ty),
        "hi" => (ints!(ty, tri, |a, b, c| a.hi(b).wrapping_add(c))?, ty),
        _ => {
            let f = match (ty.is_signed(), ty.bits) {
                (false, 16) => tri!(u16, u32 => u32, |a, b, c| a.wide(b).wrapping_add(c)),
                (false, 32) => tri!(u32, u64 => u64, |a, b, c| a.wide(b).wrapping_add(c)),
                (true, 16) => tri!(i16, i32 => i32, |a, b, c| a.wide(b).wrapping_add(c)),
                (true, 32) => tri!(i32, i64 => i64, |a, b, c| a.wide(b).wrapping_add(c)),
                _ => return Err(format!("`mad.wide` of {ty}")),
            };
            (f, ty.widened())
        }
    };
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, to)?, a, b, c: ctx.src(c, to)? })
}

/// Products of the low 24 bits.
fn narrow(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let half = m.one_of(&["lo", "hi"]).ok_or("`mul24` without .lo or .hi")?;
    let ty = int_type(m)?;
    if ty.bits != 32 {
        return Err("24-bit products need a 32-bit type".into());
    }
    let zero = Operand::Int(0);
    let (d, a, b, c) = match (m.name, o) {
        ("mul24", [d, a, b]) => (d, a, b, &zero),
        ("mad24", [d, a, b, c]) => (d, a, b, c),
        _ => return Err(format!("{} operands do not fit `{}`", o.len(), m.name)),
    };
    // The product has 48 bits; .hi is its upper 32.
    let f: F3 = match (half, ty.is_signed()) {
        ("lo", false) => tri!(u32 => u32, |a, b, c| {
            (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c)
        }),
        ("lo", true) => tri!(i32 => i32, |a, b, c| {
            (a << 8 >> 8).wrapping_mul(b << 8 >> 8).wrapping_add(c)
        }),
        (_, false) => tri!(u32 => u32, |a, b, c| {
            (((a & 0xff_ffff) as u64 * (b & 0xff_ffff) as u64) >> 16) as u32
        }.wrapping_add(c)),
        (_, true) => tri!(i32 => i32, |a, b, c| {
            (((a << 8 >> 8) as i64 * (b << 8 >> 8) as i64) >> 16) as i32
        }.wrapping_add(c)),
    };
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c: ctx.src(c, ty)? })
}

fn sum_of_differences(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = int_type(m)?;
    let [d, a, b, c] = exactly(o)?;
    let f = ints!(ty, tri, |a, b, c| c.wrapping_add(if a < b {
        b.wrapping_sub(a)
    } else {
        a.wrapping_sub(b)
    }))?;
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c: ctx.src(c, ty)? })
}

/// `dp4a.atype.btype`: four products of bytes and a sum.
fn dot(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let (at, bt) = (int_type(m)?, int_type(m)?);
    let [d, a, b, c] = exactly(o)?;
    macro_rules! dot4 {
        ($a:ty, $b:ty) => {
            tri!(u32 => u32, |a, b, c| {
                let mut sum = c;
                for i in 0..4 {
                    let x = (a >> (8 * i)) as $a as i32;
                    let y = (b >> (8 * i)) as $b as i32;
                    sum = sum.wrapping_add((x * y) as u32);
                }
                sum
            })
        };
    }
    let f = match (at.is_signed(), bt.is_signed()) {
        (false, false) => dot4!(u8, u8),
        (false, true) => dot4!(u8, i8),
        (true, false) => dot4!(i8, u8),
        (true, true) => dot4!(i8, i8),
    };
    let ty = Type::B32;
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c: ctx.src(c, ty)? })
}
