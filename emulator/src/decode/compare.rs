//! Comparisons and selections.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::float::flush32;
use crate::ir::{BoolOp, NONE, Op};
use crate::lanes::{F2, F3, Lanes, WARP, bin, tri};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Type};

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    match m.name {
        "setp" => setp(m, o, ctx),
        "set" => set(m, o, ctx),
        "selp" => selp(m, o, ctx),
        _ => slct(m, o, ctx),
    }
}

const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan",
];

fn int_compare(cmp: &str, ty: Type) -> Res<F2> {
    macro_rules! all {
        ($t:ty) => {
            match cmp {
                "eq" => bin!($t => bool, |a, b| a == b),
                "ne" => bin!($t => bool, |a, b| a != b),
                "lt" | "lo" => bin!($t => bool, |a, b| a < b),
                "le" | "ls" => bin!($t => bool, |a, b| a <= b),
                "gt" | "hi" => bin!($t => bool, |a, b| a > b),
                "ge" | "hs" => bin!($t => bool, |a, b| a >= b),
                _ => return Err(format!("comparison `.{cmp}` of {ty}")),
            }
        };
    }
    let equality = matches!(cmp, "eq" | "ne");
    let unsigned_name = matches!(cmp, "lo" | "ls" | "hi" | "hs");
    if (ty.kind == Kind::Bits && !equality) || (ty.is_signed() && unsigned_name) {
        return Err(format!("comparison `.{cmp}` of {ty}"));
    }
    Ok(match (ty.is_signed(), ty.bits) {
        (false, 16) => all!(u16),
        (false, 32) => all!(u32),
        (false, 64) => all!(u64),
        (true, 16) => all!(i16),
        (true, 32) => all!(i32),
        (true, 64) => all!(i64),
        _ => return Err(format!("comparison of {ty}")),
    })
}

fn float_compare(cmp: &str, ty: Type, ftz: bool) -> Res<F2> {
    macro_rules! all {
        ($t:ty, $flush:expr) => {{
            let _: fn($t) -> $t = $flush;
            match cmp {
                "eq" => bin!($t => bool, |a, b| $flush(a) == $flush(b)),
                "ne" => bin!($t => bool, |a, b| $flush(a) < $flush(b) || $flush(a) > $flush(b)),
                "lt" => bin!($t => bool, |a, b| $flush(a) < $flush(b)),
                "le" => bin!($t => bool, |a, b| $flush(a) <= $flush(b)),
                "gt" => bin!($t => bool, |a, b| $flush(a) > $flush(b)),
                "ge" => bin!($t => bool, |a, b| $flush(a) >= $flush(b)),
                // The unordered ones are true for NaN.
                "equ" => bin!($t => bool, |a, b| {
                    !($flush(a) < $flush(b) || $flush(a) > $flush(b))
                }),
                "neu" => bin!($t => bool, |a, b| $flush(a) != $flush(b)),
                "ltu" => bin!($t => bool, |a, b| either_nan(a, b) || $flush(a) < $flush(b)),
                "leu" => bin!($t => bool, |a, b| either_nan(a, b) || $flush(a) <= $flush(b)),
                "gtu" => bin!($t => bool, |a, b| either_nan(a, b) || $flush(a) > $flush(b)),
                "geu" => bin!($t => bool, |a, b| either_nan(a, b) || $flush(a) >= $flush(b)),
                "num" => bin!($t => bool, |a, b| !either_nan(a, b)),
                "nan" => bin!($t => bool, |a, b| either_nan(a, b)),
                _ => return Err(format!("comparison `.{cmp}` of {ty}")),
            }
        }};
    }
    #[inline(always)]
    fn same<T>(v: T) -> T {
        v
    }
    Ok(match (ty.bits, ftz) {
        (32, true) => all!(f32, flush32),
        (32, false) => all!(f32, same),
        (_, false) => all!(f64, same),
        _ => return Err("`.ftz` fits only .f32".into()),
    })
}

#[inline(always)]
fn either_nan<T: PartialEq + Copy>(a: T, b: T) -> bool {
    // Only NaN differs from itself.
    #[allow(clippy::eq_op)]
    let unordered = a != a || b != b;
    unordered
}

fn compare(m: &mut Mods<'_>, cmp: &str, ty: Type) -> Res<F2> {
    let ftz = m.take("ftz");
    if ty.is_float() {
        return float_compare(cmp, ty, ftz);
    }
    if ftz {
        return Err("`.ftz` fits only .f32".into());
    }
    int_compare(cmp, ty)
}

fn bool_op(m: &mut Mods<'_>) -> Option<BoolOp> {
    m.one_of(&["and", "or", "xor"]).map(|w| match w {
        "and" => BoolOp::And,
        "or" => BoolOp::Or,
        _ => BoolOp::Xor,
    })
}

fn setp(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let cmp = m.one_of(&COMPARISONS).ok_or("`setp` without a comparison")?;
    let bool_op = bool_op(m);
    let ty = m.ty()?;
    let f = compare(m, cmp, ty)?;
    let (d, a, b, with) = match (bool_op, o) {
        (None, [d, a, b]) => (d, a, b, None),
        (Some(op), [d, a, b, c]) => {
            let (slot, negated) = ctx.pred(c)?;
            (d, a, b, Some((op, slot, negated)))
        }
        _ => return Err(format!("{} operands do not fit `setp`", o.len())),
    };
    let (d, q) = ctx.dst_pair(d, Type::PRED)?;
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Set { cmp: f, d, q, a, b, with, truth: 1 })
}

fn set(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let cmp = m.one_of(&COMPARISONS).ok_or("`set` without a comparison")?;
    let bool_op = bool_op(m);
    let to = m.ty()?;
    let ty = m.ty()?;
    let truth = match (to.kind, to.bits) {
        (Kind::Unsigned | Kind::Signed, 32) => 0xffff_ffff,
        (Kind::Float, 32) => u64::from(1f32.to_bits()),
        _ => return Err(format!("`set` gives no {to}")),
    };
    let f = compare(m, cmp, ty)?;
    let (d, a, b, with) = match (bool_op, o) {
        (None, [d, a, b]) => (d, a, b, None),
        (Some(op), [d, a, b, c]) => {
            let (slot, negated) = ctx.pred(c)?;
            (d, a, b, Some((op, slot, negated)))
        }
        _ => return Err(format!("{} operands do not fit `set`", o.len())),
    };
    let d = ctx.dst(d, to)?;
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Set { cmp: f, d, q: NONE, a, b, with, truth })
}

fn selp(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = m.ty()?;
    let [d, a, b, c] = exactly(o)?;
    if ty.bits == 8 || ty.kind == Kind::Predicate {
        return Err(format!("type {ty} does not fit `selp`"));
    }
    fn pick(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes) {
        for l in 0..WARP {
            let mask = c[l].wrapping_neg();
            d[l] = (a[l] & mask) | (b[l] & !mask);
        }
    }
    let (c, negated) = ctx.pred(c)?;
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    let (a, b) = if negated { (b, a) } else { (a, b) };
    Ok(Op::Tri { f: pick as F3, d: ctx.dst(d, ty)?, a, b, c })
}

/// a where c is not negative, else b.
fn slct(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ftz = m.take("ftz");
    let ty = m.ty()?;
    let by = m.ty()?;
    let [d, a, b, c] = exactly(o)?;
    let f: F3 = match (by.kind, by.bits, ftz) {
        (Kind::Signed, 32, false) => tri!(u64, i32 => u64, |a, b, c| if c >= 0 { a } else { b }),
        (Kind::Float, 32, false) => tri!(u64, f32 => u64, |a, b, c| if c >= 0.0 { a } else { b }),
        (Kind::Float, 32, true) => {
            tri!(u64, f32 => u64, |a, b, c| if flush32(c) >= 0.0 { a } else { b })
        }
        _ => return Err(format!("`slct` cannot choose by {by}")),
    };
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c: ctx.src(c, by)? })
}
