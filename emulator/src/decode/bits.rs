//! Logic, shifts and bit fields.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::ir::Op;
use crate::lanes::{F1, F2, F3, F4, Lanes, WARP, bin, tri, un};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Type};

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    match m.name {
        "and" | "or" | "xor" | "not" | "cnot" => logic(m, o, ctx),
        "shl" | "shr" => shift(m, o, ctx),
        "shf" => funnel(m, o, ctx),
        "lop3" => lop3(m, o, ctx),
        "prmt" => prmt(m, o, ctx),
        "bfe" => bfe(m, o, ctx),
        "bfi" => bfi(m, o, ctx),
        "fns" => fns(m, o, ctx),
        _ => count(m, o, ctx),
    }
}

fn bit_type(m: &mut Mods<'_>) -> Res<Type> {
    let ty = m.ty()?;
    if matches!(ty.kind, Kind::Bits | Kind::Predicate) && ty.bits != 8 {
        return Ok(ty);
    }
    Err(format!("type {ty} does not fit `{}`", m.name))
}

fn logic(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = bit_type(m)?;
    if let "not" | "cnot" = m.name {
        let [d, a] = exactly(o)?;
        let f: F1 = match (m.name, ty.bits) {
            ("cnot", _) => un!(u64 => u64, |a| u64::from(a == 0)),
            (_, 1) => un!(u64 => u64, |a| a ^ 1),
            (_, 16) => un!(u16 => u16, |a| !a),
            (_, 32) => un!(u32 => u32, |a| !a),
            _ => un!(u64 => u64, |a| !a),
        };
        return Ok(Op::Un { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)? });
    }
    let [d, a, b] = exactly(o)?;
    // Values are zero-extended, so that one loop serves every width.
    let f: F2 = match m.name {
        "and" => bin!(u64 => u64, |a, b| a & b),
        "or" => bin!(u64 => u64, |a, b| a | b),
        _ => bin!(u64 => u64, |a, b| a ^ b),
    };
    Ok(Op::Bin { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)?, b: ctx.src(b, ty)? })
}

/// Amounts beyond the width give 0, or the sign.
fn shift(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = m.ty()?;
    let [d, a, b] = exactly(o)?;
    let f: F2 = match (m.name, ty.is_signed(), ty.bits) {
        ("shl", _, 16) => bin!(u16, u32 => u16, |a, b| if b > 15 { 0 } else { a << b }),
        ("shl", _, 32) => bin!(u32, u32 => u32, |a, b| if b > 31 { 0 } else { a << b }),
        ("shl", _, 64) => bin!(u64, u32 => u64, |a, b| if b > 63 { 0 } else { a << b }),
        ("shr", false, 16) => bin!(u16, u32 => u16, |a, b| if b > 15 { 0 } else { a >> b }),
        ("shr", false, 32) => bin!(u32, u32 => u32, |a, b| if b > 31 { 0 } else { a >> b }),
        ("shr", false, 64) => bin!(u64, u32 => u64, |a, b| if b > 63 { 0 } else { a >> b }),
        ("shr", true, 16) => bin!(i16, u32 => i16, |a, b| a >> b.min(15)),
        ("shr", true, 32) => bin!(i32, u32 => i32, |a, b| a >> b.min(31)),
        ("shr", true, 64) => bin!(i64, u32 => i64, |a, b| a >> b.min(63)),
        _ => return Err(format!("type {ty} does not fit `{}`", m.name)),
    };
    if ty.is_float() || (m.name == "shl" && ty.kind != Kind::Bits) {
        return Err(format!("type {ty} does not fit `{}`", m.name));
    }
    Ok(Op::Bin { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)?, b: ctx.src(b, Type::U32)? })
}

fn b32(m: &mut Mods<'_>) -> Res<Type> {
    let ty = bit_type(m)?;
    if ty.bits == 32 { Ok(ty) } else { Err(format!("`{}` needs .b32", m.name)) }
}

fn funnel(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let side = m.one_of(&["l", "r"]).ok_or("`shf` without .l or .r")?;
    let mode = m.one_of(&["wrap", "clamp"]).ok_or("`shf` without .wrap or .clamp")?;
    let ty = b32(m)?;
    let [d, a, b, c] = exactly(o)?;
    // b holds the upper half.
    let f: F3 = match (side, mode) {
        ("l", "wrap") => {
            tri!(u32 => u32, |a, b, c| ((join(b, a) << (c & 31)) >> 32) as u32)
        }
        ("l", _) => tri!(u32 => u32, |a, b, c| ((join(b, a) << c.min(32)) >> 32) as u32),
        (_, "wrap") => tri!(u32 => u32, |a, b, c| (join(b, a) >> (c & 31)) as u32),
        _ => tri!(u32 => u32, |a, b, c| (join(b, a) >> c.min(32)) as u32),
    };
    let (a, b, c) = (ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(c, Type::U32)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c })
}

#[inline(always)]
fn join(hi: u32, lo: u32) -> u64 {
    u64::from(hi) << 32 | u64::from(lo)
}

/// Any function of three bits, given as its table.
fn lop3(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = b32(m)?;
    let [d, a, b, c, lut] = exactly(o)?;
    let &Operand::Int(lut) = lut else {
        return Err("the table of `lop3` must be a number".into());
    };
    if lut > 255 {
        return Err("the table of `lop3` has 8 bits".into());
    }
    fn run(a: &Lanes, b: &Lanes, c: &Lanes, lut: &Lanes, d: &mut Lanes) {
        for l in 0..WARP {
            let mut r = 0;
            for i in 0..8u64 {
                let pick = |bit: u64, v: u64| if i & bit != 0 { v } else { !v };
                let on = (lut[l] >> i & 1).wrapping_neg();
                r |= pick(4, a[l]) & pick(2, b[l]) & pick(1, c[l]) & on;
            }
            d[l] = r & 0xffff_ffff;
        }
    }
    let s = [ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(c, ty)?, ctx.value(lut)];
    Ok(Op::Quad { f: run as F4, d: ctx.dst(d, ty)?, s })
}

/// Picks four of the eight bytes of {b, a}.
fn prmt(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let mode = m.one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    let ty = b32(m)?;
    let [d, a, b, c] = exactly(o)?;
    macro_rules! by {
        (|$n:ident, $i:ident| $e:expr) => {
            tri!(u32 => u32, |a, b, c| {
                let all = join(b, a);
                let $n = c & 3;
                let mut r = 0u32;
                for k in 0..4u32 {
                    let $i = k;
                    r |= u32::from((all >> (8 * ($e & 7))) as u8) << (8 * k);
                }
                r
            })
        };
    }
    let f: F3 = match mode {
        None => tri!(u32 => u32, |a, b, c| {
            let all = join(b, a);
            let mut r = 0u32;
            for i in 0..4 {
                let sel = c >> (4 * i) & 15;
                let byte = (all >> (8 * (sel & 7))) as u8;
                // The top bit of a selector spreads the sign.
                let byte = if sel & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte };
                r |= u32::from(byte) << (8 * i);
            }
            r
        }),
        Some("f4e") => by!(|n, i| n + i),
        Some("b4e") => by!(|n, i| n.wrapping_sub(i)),
        Some("rc8") => by!(|n, _i| n),
        Some("ecl") => by!(|n, i| n.max(i)),
        Some("ecr") => by!(|n, i| n.min(i)),
        Some(_) => by!(|n, i| (n & 1) * 2 + (i & 1)),
    };
    let (a, b, c) = (ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(c, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c })
}

/// A field of `width` bits, filled with the sign from where it or the value ends.
#[inline(always)]
fn extract(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len) = (pos & 255, len & 255);
    let msb = width - 1;
    let sign = if !signed || len == 0 { 0 } else { a >> (pos + len - 1).min(msb) & 1 };
    let have = len.min(width.saturating_sub(pos));
    let low = if have == 0 { 0 } else { (a >> pos) & (u64::MAX >> (64 - have)) };
    let above = if have >= 64 { 0 } else { sign.wrapping_neg() << have };
    (low | above) & (u64::MAX >> (64 - width))
}

fn bfe(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = m.ty()?;
    let [d, a, b, c] = exactly(o)?;
    macro_rules! field {
        ($width:expr, $signed:expr) => {
            tri!(u64 => u64, |a, b, c| extract(a, b as u32, c as u32, $width, $signed))
        };
    }
    let f: F3 = match (ty.kind, ty.bits) {
        (Kind::Unsigned, 32) => field!(32, false),
        (Kind::Unsigned, 64) => field!(64, false),
        (Kind::Signed, 32) => field!(32, true),
        (Kind::Signed, 64) => field!(64, true),
        _ => return Err(format!("type {ty} does not fit `bfe`")),
    };
    let (b, c) = (ctx.src(b, Type::U32)?, ctx.src(c, Type::U32)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)?, b, c })
}

fn bfi(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = bit_type(m)?;
    if ty.bits < 32 {
        return Err(format!("type {ty} does not fit `bfi`"));
    }
    let [d, a, b, pos, len] = exactly(o)?;
    fn insert(a: &Lanes, b: &Lanes, pos: &Lanes, len: &Lanes, d: &mut Lanes) {
        for l in 0..WARP {
            let (pos, len) = (pos[l] & 255, len[l] & 255);
            let ones = if len > 63 { u64::MAX } else { (1 << len) - 1 };
            let mask = if pos > 63 { 0 } else { ones << pos };
            let value = if pos > 63 { 0 } else { a[l] << pos };
            d[l] = (b[l] & !mask) | (value & mask);
        }
    }
    fn insert32(a: &Lanes, b: &Lanes, pos: &Lanes, len: &Lanes, d: &mut Lanes) {
        insert(a, b, pos, len, d);
        d.iter_mut().for_each(|d| *d &= 0xffff_ffff);
    }
    let f: F4 = if ty.bits == 32 { insert32 } else { insert };
    let s = [ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(pos, Type::U32)?, ctx.src(len, Type::U32)?];
    Ok(Op::Quad { f, d: ctx.dst(d, ty)?, s })
}

/// The position of the n-th set bit from a base.
fn fns(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ty = b32(m)?;
    let [d, mask, base, offset] = exactly(o)?;
    let f = tri!(u32 => u32, |mask, base, offset| {
        let offset = offset as i32;
        let set = |p: i64| (0..32).contains(&p) && mask >> p & 1 == 1;
        let mut found = u32::MAX;
        if offset == 0 {
            if set(i64::from(base)) {
                found = base;
            }
        } else {
            let mut left = offset.unsigned_abs() - 1;
            let mut p = i64::from(base);
            while (0..32).contains(&p) {
                if set(p) {
                    if left == 0 {
                        found = p as u32;
                        break;
                    }
                    left -= 1;
                }
                p += i64::from(offset.signum());
            }
        }
        found
    });
    let (a, b) = (ctx.src(mask, ty)?, ctx.src(base, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c: ctx.src(offset, ty)? })
}

/// `popc`, `clz`, `brev`, `bfind`.
fn count(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let shift_amount = m.name == "bfind" && m.take("shiftamt");
    let ty = m.ty()?;
    let [d, a] = exactly(o)?;
    let fits = match m.name {
        "bfind" => ty.is_int(),
        _ => ty.kind == Kind::Bits,
    };
    if !fits || ty.bits < 32 {
        return Err(format!("type {ty} does not fit `{}`", m.name));
    }
    // A negative value is searched for its highest zero.
    macro_rules! find {
        ($t:ty, $u:ty, |$a:ident| $value:expr) => {
            if shift_amount {
                un!($t => u32, |$a| highest($value).map_or(u32::MAX, |p| <$u>::BITS - 1 - p))
            } else {
                un!($t => u32, |$a| highest($value).unwrap_or(u32::MAX))
            }
        };
    }
    let mut to = Type::U32;
    let f: F1 = match (m.name, ty.bits, ty.is_signed()) {
        ("popc", ..) => un!(u64 => u32, |a| a.count_ones()),
        ("clz", 32, _) => un!(u32 => u32, |a| a.leading_zeros()),
        ("clz", ..) => un!(u64 => u32, |a| a.leading_zeros()),
        ("brev", bits, _) => {
            to = ty;
            if bits == 32 {
                un!(u32 => u32, |a| a.reverse_bits())
            } else {
                un!(u64 => u64, |a| a.reverse_bits())
            }
        }
        ("bfind", 32, false) => find!(u32, u32, |a| u64::from(a)),
        ("bfind", 32, true) => find!(i32, u32, |a| u64::from((a ^ (a >> 31)) as u32)),
        ("bfind", _, false) => find!(u64, u64, |a| a),
        _ => find!(i64, u64, |a| (a ^ (a >> 63)) as u64),
    };
    Ok(Op::Un { f, d: ctx.dst(d, to)?, a: ctx.src(a, ty)? })
}

#[inline(always)]
fn highest(v: u64) -> Option<u32> {
    v.checked_ilog2()
}
