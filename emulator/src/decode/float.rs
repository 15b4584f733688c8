//! Floating-point arithmetic. What PTX calls approximate is refused: it has no one right result.

use super::ctx::Ctx;
use super::function::exactly;
use super::mods::{Mods, Res};
use crate::float::{Float, Format, Rounding, flush32, saturate};
use crate::ir::Op;
use crate::lanes::{F1, F3, F4, Lanes, WARP, bin, tri, un};
use crate::ptx::ast::Operand;
use crate::ptx::types::Type;

/// Whether an opcode is a floating-point one.
pub(super) fn applies(opcode: &str) -> bool {
    opcode.split('.').any(|w| w == "f32" || w == "f64")
}

pub(super) fn decode(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    let ftz = m.take("ftz");
    let sat = m.take("sat");
    let rounding = m.rounding();
    let op = match m.name {
        "abs" | "neg" if !sat && rounding.is_none() => sign(m, o, ctx, ftz)?,
        "min" | "max" if !sat && rounding.is_none() => extreme(m, o, ctx, ftz)?,
        "copysign" | "testp" if !sat && !ftz && rounding.is_none() => classify(m, o, ctx)?,
        "div" | "sqrt" | "rcp" if rounding.is_none() => {
            return Err(format!(
                "`{}` without .rn, .rz, .rm or .rp is approximate: the result depends on the chip",
                m.name
            ));
        }
        "fma" | "mad" if rounding.is_none() => {
            return Err(format!("`{}` needs a rounding", m.name));
        }
        "add" | "sub" | "mul" | "fma" | "mad" | "div" | "sqrt" | "rcp" => {
            let flags = Flags { rounding: rounding.unwrap_or(Rounding::Nearest), ftz, sat };
            arithmetic(m, o, ctx, flags)?
        }
        _ => return Err(format!("modifiers that do not fit `{}`", m.name)),
    };
    Ok(op)
}

/// How an operation rounds and treats its edges; handed to the loops as a constant operand.
#[derive(Clone, Copy)]
struct Flags {
    rounding: Rounding,
    ftz: bool,
    sat: bool,
}

impl Flags {
    fn pack(self) -> u64 {
        self.rounding as u64 | u64::from(self.ftz) << 2 | u64::from(self.sat) << 3
    }

    fn unpack(v: u64) -> Flags {
        Flags { rounding: Rounding::ALL[(v & 3) as usize], ftz: v & 4 != 0, sat: v & 8 != 0 }
    }

    fn input<T: Float>(self, v: u64) -> T {
        let v = T::get(v);
        if self.ftz { v.flush() } else { v }
    }

    /// The format with its treatment of subnormal results.
    fn format<T: Float>(self) -> Format {
        Format { flush: self.ftz, ..T::FORMAT }
    }

    fn add<T: Float>(self, a: T, b: T) -> T {
        match self.ftz {
            true => T::get(self.format::<T>().add(a.put(), b.put(), self.rounding)),
            false => a.add(b, self.rounding),
        }
    }

    fn output<T: Float>(self, v: T) -> u64 {
        if self.sat { saturate(v).put() } else { v.put() }
    }
}

fn add<T: Float>(a: &Lanes, b: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        d[l] = f.output(f.add(f.input::<T>(a[l]), f.input(b[l])));
    }
}

fn sub<T: Float>(a: &Lanes, b: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        // A NaN keeps its sign: only numbers are negated.
        let b = f.input::<T>(b[l]);
        let b = if b.is_nan() { b } else { b.negate() };
        d[l] = f.output(f.add(f.input::<T>(a[l]), b));
    }
}

fn mul<T: Float>(a: &Lanes, b: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        let (a, b) = (f.input::<T>(a[l]), f.input::<T>(b[l]));
        d[l] = f.output(match f.ftz {
            true => T::get(f.format::<T>().mul(a.put(), b.put(), f.rounding)),
            false => a.mul(b, f.rounding),
        });
    }
}

fn div<T: Float>(a: &Lanes, b: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        let (a, b) = (f.input::<T>(a[l]), f.input::<T>(b[l]));
        d[l] = f.output(match f.ftz {
            true => T::get(f.format::<T>().div(a.put(), b.put(), f.rounding)),
            false => a.div(b, f.rounding),
        });
    }
}

fn sqrt<T: Float>(a: &Lanes, _: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        d[l] = f.output(f.input::<T>(a[l]).sqrt(f.rounding));
    }
}

fn rcp<T: Float>(a: &Lanes, _: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        let a = f.input::<T>(a[l]);
        d[l] = f.output(match f.ftz {
            true => T::get(f.format::<T>().div(T::ONE.put(), a.put(), f.rounding)),
            false => T::ONE.div(a, f.rounding),
        });
    }
}

fn fma<T: Float>(a: &Lanes, b: &Lanes, c: &Lanes, flags: &Lanes, d: &mut Lanes) {
    let f = Flags::unpack(flags[0]);
    for l in 0..WARP {
        let [a, b, c] = [a[l], b[l], c[l]].map(|v| f.input::<T>(v));
        d[l] = f.output(match f.ftz {
            true => T::get(f.format::<T>().fma(a.put(), b.put(), c.put(), f.rounding)),
            false => a.fma(b, c, f.rounding),
        });
    }
}

fn arithmetic(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>, flags: Flags) -> Res<Op> {
    let ty = m.ty()?;
    let single = ty.bits == 32;
    if !single && (flags.ftz || flags.sat)
        || flags.sat && !matches!(m.name, "add" | "sub" | "mul" | "fma" | "mad")
    {
        return Err(format!("`.ftz` or `.sat` does not fit this `{}`", m.name));
    }
    let packed = ctx.value(flags.pack());
    if let "fma" | "mad" = m.name {
        let [d, a, b, c] = exactly(o)?;
        let f: F4 = if single { fma::<f32> } else { fma::<f64> };
        let s = [ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.src(c, ty)?, packed];
        return Ok(Op::Quad { f, d: ctx.dst(d, ty)?, s });
    }
    let (d, a, b) = match (m.name, o) {
        ("sqrt" | "rcp", [d, a]) => (d, a, a),
        ("add" | "sub" | "mul" | "div", [d, a, b]) => (d, a, b),
        _ => return Err(format!("{} operands do not fit `{}`", o.len(), m.name)),
    };
    let f: F3 = match (m.name, single) {
        ("add", true) => add::<f32>,
        ("add", false) => add::<f64>,
        ("sub", true) => sub::<f32>,
        ("sub", false) => sub::<f64>,
        ("mul", true) => mul::<f32>,
        ("mul", false) => mul::<f64>,
        ("div", true) => div::<f32>,
        ("div", false) => div::<f64>,
        ("sqrt", true) => sqrt::<f32>,
        ("sqrt", false) => sqrt::<f64>,
        ("rcp", true) => rcp::<f32>,
        _ => rcp::<f64>,
    };
    let (a, b) = (ctx.src(a, ty)?, ctx.src(b, ty)?);
    Ok(Op::Tri { f, d: ctx.dst(d, ty)?, a, b, c: packed })
}

fn sign(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>, ftz: bool) -> Res<Op> {
    let ty = m.ty()?;
    let [d, a] = exactly(o)?;
    // Hardware gives the canonical NaN for 32 bits, and leaves one of 64 as it is.
    fn number(a: f32, f: impl Fn(f32) -> f32) -> f32 {
        if a.is_nan() { f32::from_bits(0x7fff_ffff) } else { f(a) }
    }
    let f: F1 = match (m.name, ty.bits, ftz) {
        ("abs", 32, false) => un!(f32 => f32, |a| number(a, f32::abs)),
        ("abs", 32, true) => un!(f32 => f32, |a| number(flush32(a), f32::abs)),
        ("abs", _, false) => un!(f64 => f64, |a| if a.is_nan() { a } else { a.abs() }),
        ("neg", 32, false) => un!(f32 => f32, |a| number(a, |a| -a)),
        ("neg", 32, true) => un!(f32 => f32, |a| number(flush32(a), |a| -a)),
        ("neg", _, false) => un!(f64 => f64, |a| if a.is_nan() { a } else { -a }),
        _ => return Err("`.ftz` fits only .f32".into()),
    };
    Ok(Op::Un { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)? })
}

fn extreme(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>, ftz: bool) -> Res<Op> {
    let nan = m.take("NaN");
    let ty = m.ty()?;
    let [d, a, b] = exactly(o)?;
    if ty.bits == 64 && (nan || ftz) {
        return Err("`.NaN` and `.ftz` fit only .f32".into());
    }
    let (a, b, d) = (ctx.src(a, ty)?, ctx.src(b, ty)?, ctx.dst(d, ty)?);
    let c = ctx.value(u64::from(ftz) | u64::from(nan) << 1);
    fn operands(a: f32, b: f32, flags: u64) -> (f32, f32) {
        if flags & 1 != 0 { (flush32(a), flush32(b)) } else { (a, b) }
    }
    let f: F3 = match (m.name, ty.bits) {
        ("min", 32) => tri!(f32, u64 => f32, |a, b, c| {
            let (a, b) = operands(a, b, c);
            a.least(b, c & 2 != 0)
        }),
        ("max", 32) => tri!(f32, u64 => f32, |a, b, c| {
            let (a, b) = operands(a, b, c);
            a.greatest(b, c & 2 != 0)
        }),
        ("min", _) => {
            return Ok(Op::Bin { f: bin!(f64 => f64, |a, b| a.least(b, false)), d, a, b });
        }
        _ => return Ok(Op::Bin { f: bin!(f64 => f64, |a, b| a.greatest(b, false)), d, a, b }),
    };
    Ok(Op::Tri { f, d, a, b, c })
}

fn classify(m: &mut Mods<'_>, o: &[Operand], ctx: &mut Ctx<'_, '_>) -> Res<Op> {
    if m.name == "copysign" {
        let ty = m.ty()?;
        let [d, a, b] = exactly(o)?;
        // The sign of a on the value of b.
        let f = if ty.bits == 32 {
            bin!(f32 => f32, |a, b| b.copysign(a))
        } else {
            bin!(f64 => f64, |a, b| b.copysign(a))
        };
        return Ok(Op::Bin { f, d: ctx.dst(d, ty)?, a: ctx.src(a, ty)?, b: ctx.src(b, ty)? });
    }
    let kinds = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
    let kind = m.one_of(&kinds).ok_or("`testp` of what?")?;
    let ty = m.ty()?;
    let [d, a] = exactly(o)?;
    macro_rules! test {
        ($t:ty) => {
            match kind {
                "finite" => un!($t => bool, |a| a.is_finite()),
                "infinite" => un!($t => bool, |a| a.is_infinite()),
                "number" => un!($t => bool, |a| !a.is_nan()),
                "notanumber" => un!($t => bool, |a| a.is_nan()),
                // The manual counts zero among the normal numbers.
                "normal" => un!($t => bool, |a| a.is_normal() || a == 0.0),
                _ => un!($t => bool, |a| a.is_subnormal()),
            }
        };
    }
    let f: F1 = if ty.bits == 32 { test!(f32) } else { test!(f64) };
    Ok(Op::Un { f, d: ctx.dst(d, Type::PRED)?, a: ctx.src(a, ty)? })
}
