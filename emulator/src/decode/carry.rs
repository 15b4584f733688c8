//! Extended-precision arithmetic: the carry flag CC.CF links one instruction to the next.
//!
//! After an addition the flag is the carry, after a subtraction the borrow.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::ir::Op;
use crate::lanes::{FCarry, Lanes, WARP, WideMul};
use crate::ptx::ast::Operand;

/// The loop of a carry operation. The expression gives the result and the flag.
macro_rules! carry {
    ($t:ty, |$a:ident, $b:ident, $c:ident, $cf:ident| $e:expr) => {{
        fn run(a: &Lanes, b: &Lanes, c: &Lanes, cf: &Lanes, d: &mut Lanes, out: &mut Lanes) {
            for l in 0..WARP {
                let ($a, $b, $c, $cf) = (a[l] as $t, b[l] as $t, c[l] as $t, cf[l] as $t);
                let (r, flag): ($t, $t) = $e;
                d[l] = u64::from(r);
                out[l] = u64::from(flag);
            }
        }
        run as FCarry
    }};
}

/// x + y + carry with 32 bits, in 64 so that nothing is lost.
#[inline(always)]
fn add32(x: u32, y: u32, cf: u32) -> (u32, u32) {
    let t = u64::from(x) + u64::from(y) + u64::from(cf);
    (t as u32, (t >> 32) as u32)
}

#[inline(always)]
fn add64(x: u64, y: u64, cf: u64) -> (u64, u64) {
    let (s, c1) = x.overflowing_add(y);
    let (s, c2) = s.overflowing_add(cf);
    (s, u64::from(c1 | c2))
}

#[inline(always)]
fn sub32(x: u32, y: u32, cf: u32) -> (u32, u32) {
    let t = u64::from(x).wrapping_sub(u64::from(y)).wrapping_sub(u64::from(cf));
    (t as u32, (t >> 63) as u32)
}

#[inline(always)]
fn sub64(x: u64, y: u64, cf: u64) -> (u64, u64) {
    let (s, b1) = x.overflowing_sub(y);
    let (s, b2) = s.overflowing_sub(cf);
    (s, u64::from(b1 | b2))
}

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let writes = m.take("cc");
    let reads = matches!(m.name, "addc" | "subc" | "madc");
    let half = m.one_of(&["lo", "hi"]);
    let ty = m.ty()?;
    if !ty.is_int() || ty.bits < 32 {
        return Err(format!("`{}` with carry of {ty}", m.name));
    }
    let wide = ty.bits == 64;
    let zero = Operand::Int(0);
    let (d, a, b, c, f) = match (&m.name[..3], half) {
        ("add" | "sub", None) => {
            let [d, a, b] = exactly(o)?;
            // The addend stands in c, where a multiply-add has it.
            let f = match (&m.name[..3], wide) {
                ("add", false) => carry!(u32, |a, b, _c, cf| add32(a, b, cf)),
                ("add", true) => carry!(u64, |a, b, _c, cf| add64(a, b, cf)),
                (_, false) => carry!(u32, |a, b, _c, cf| sub32(a, b, cf)),
                (_, true) => carry!(u64, |a, b, _c, cf| sub64(a, b, cf)),
            };
            (d, a, b, &zero, f)
        }
        ("mad", Some(half)) => {
            let [d, a, b, c] = exactly(o)?;
            let f = match (half, wide, ty.is_signed()) {
                ("lo", false, _) => carry!(u32, |a, b, c, cf| add32(a.wrapping_mul(b), c, cf)),
                ("lo", true, _) => carry!(u64, |a, b, c, cf| add64(a.wrapping_mul(b), c, cf)),
                (_, false, false) => carry!(u32, |a, b, c, cf| add32(a.hi(b), c, cf)),
                (_, true, false) => carry!(u64, |a, b, c, cf| add64(a.hi(b), c, cf)),
                (_, false, true) => {
                    carry!(u32, |a, b, c, cf| add32((a as i32).hi(b as i32) as u32, c, cf))
                }
                (_, true, true) => {
                    carry!(u64, |a, b, c, cf| add64((a as i64).hi(b as i64) as u64, c, cf))
                }
            };
            (d, a, b, c, f)
        }
        _ => return Err(format!("`{}` with carry: .lo and .hi belong to mad", m.name)),
    };
    let (a, b, c) = (ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(c, ty)?);
    Ok(Op::Carry { f, d: ctx.dst(d, ty)?, a, b, c, reads, writes })
}
