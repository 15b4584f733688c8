//! Floating-point arithmetic: to nearest by the host's own, in the other directions by exact
//! integers.

use super::table::Op;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// A format: precision, exponent bits.
#[derive(Clone, Copy)]
pub struct Format(u32, u32);

pub const F32: Format = Format(24, 8);
pub const F64: Format = Format(53, 11);

pub fn edges32() -> Vec<u64> {
    let mut v = vec![
        0,
        1,
        2,
        0x7f_ffff,
        0x80_0000,
        0x80_0001,
        0x3f80_0000,
        0x3f80_0001,
        0x3f7f_ffff,
        0x4b00_0000,
        0x4b80_0001,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
        0x3f00_0000,
        0x3fc0_0000,
        0x4f00_0000,
        0x4f80_0000,
        0x5f00_0000,
        0x5f80_0000,
        0x4020_0000,
    ];
    v.extend(v.clone().iter().map(|b| b | 1 << 31));
    v
}

pub fn edges64() -> Vec<u64> {
    let one = 0x3ff0_0000_0000_0000;
    let mut v = vec![
        0,
        1,
        2,
        0xf_ffff_ffff_ffff,
        0x10_0000_0000_0000,
        one,
        one + 1,
        one - 1,
        0x4330_0000_0000_0000,
        0x4340_0000_0000_0001,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x3fe0_0000_0000_0000,
        0x3ff8_0000_0000_0000,
        0x41e0_0000_0000_0000,
        0x41f0_0000_0000_0000,
        0x43e0_0000_0000_0000,
        0x43f0_0000_0000_0000,
        0x4690_0000_0000_0000,
        0x3690_0000_0000_0001,
        0x47ef_ffff_f000_0000,
    ];
    v.extend(v.clone().iter().map(|b| b | 1 << 63));
    v
}

impl Format {
    fn sign_bit(self) -> u64 {
        1 << (self.0 - 1 + self.1)
    }

    fn infinity(self) -> u64 {
        ((1 << self.1) - 1) << (self.0 - 1)
    }

    pub fn is_nan(self, v: u64) -> bool {
        v & (self.sign_bit() - 1) > self.infinity()
    }

    fn is_infinite(self, v: u64) -> bool {
        v & (self.sign_bit() - 1) == self.infinity()
    }

    fn is_finite(self, v: u64) -> bool {
        !self.is_nan(v) && !self.is_infinite(v)
    }

    /// A finite value as a multiple of the least subnormal. Infinity is what would come next.
    fn exact(self, v: u64) -> BigInt {
        let fraction = v & ((1 << (self.0 - 1)) - 1);
        let biased = (v & (self.sign_bit() - 1)) >> (self.0 - 1);
        let magnitude = if biased == 0 {
            BigInt::from(fraction)
        } else {
            BigInt::from(fraction | 1 << (self.0 - 1)) << (biased - 1)
        };
        if v & self.sign_bit() != 0 { -magnitude } else { magnitude }
    }

    fn next_up(self, v: u64) -> u64 {
        if v == self.sign_bit() {
            1
        } else if v & self.sign_bit() != 0 {
            v - 1
        } else {
            v + 1
        }
    }

    fn negated(self, v: u64) -> u64 {
        v ^ self.sign_bit()
    }

    /// Whether `r` is the value rounded in the mode, where `cmp(x)` compares the finite `x` with
    /// the exact value and `sign` is that of an exact zero.
    fn rounds(self, r: u64, mode: &str, negative: bool, cmp: &dyn Fn(u64) -> Ordering) -> bool {
        // cmp for infinities, which lie beyond everything.
        let order = |x: u64| {
            if !self.is_infinite(x) {
                cmp(x)
            } else if x & self.sign_bit() != 0 {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        };
        let down = match mode {
            "rm" => true,
            "rp" => false,
            _ => !negative,
        };
        // Down: r ≤ exact < next above r. Up is the mirror image.
        if down {
            let r = if self.is_infinite(r) && r & self.sign_bit() == 0 { return false } else { r };
            order(r) != Ordering::Greater && order(self.next_up(r)) == Ordering::Greater
        } else {
            if self.is_infinite(r) && r & self.sign_bit() != 0 {
                return false;
            }
            let below = self.negated(self.next_up(self.negated(r)));
            order(r) != Ordering::Less && order(below) == Ordering::Less
        }
    }

    /// Checks `a·b + c` with the sum's sign rule for zero.
    fn fma_ok(self, i: [u64; 3], r: u64, mode: &str) -> bool {
        let [a, b, c] = i;
        let one = BigInt::from(1);
        // Values times 2^2u, where 2^-u is the least subnormal.
        let u = if self.0 == 24 { 149u32 } else { 1074 };
        let sum = self.exact(a) * self.exact(b) + (self.exact(c) << u);
        if sum == BigInt::ZERO {
            let product_negative = (a ^ b) & self.sign_bit() != 0;
            let zero = self.exact(a) == BigInt::ZERO || self.exact(b) == BigInt::ZERO;
            let same = zero
                && self.exact(c) == BigInt::ZERO
                && product_negative == (c & self.sign_bit() != 0);
            let negative = if same { product_negative } else { mode == "rm" };
            return r == if negative { self.sign_bit() } else { 0 };
        }
        let negative = sum < BigInt::ZERO;
        // A zero result keeps the sign of the exact value.
        if (r & self.sign_bit() != 0) != negative {
            return false;
        }
        let cmp = |x: u64| ((self.exact(x) << u) * &one).cmp(&sum);
        self.rounds(r, mode, negative, &cmp)
    }
}

type Host = fn([f64; 3]) -> f64;
type Host32 = fn([f32; 3]) -> f32;

/// What NaN and infinity give needs no direction: the host says.
fn value(ty: &str, i: &[u64], f: Host, f32: Host32) -> u64 {
    let get = |n: usize| i.get(n).copied().unwrap_or(0);
    if ty == "f64" {
        let r = f([0, 1, 2].map(|n| f64::from_bits(get(n))));
        r.to_bits()
    } else {
        u64::from(f32([0, 1, 2].map(|n| f32::from_bits(get(n) as u32))).to_bits())
    }
}

fn same(format: Format, x: u64, y: u64) -> bool {
    x == y || (format.is_nan(x) && format.is_nan(y))
}

pub fn add(ops: &mut Vec<Op>) {
    for (ty, format) in [("f32", F32), ("f64", F64)] {
        arithmetic(ops, ty, format);
        others(ops, ty, format);
        compares(ops, ty);
    }
    flushing(ops);
}

fn arithmetic(ops: &mut Vec<Op>, ty: &'static str, format: Format) {
    let one = if ty == "f32" { u64::from(1f32.to_bits()) } else { 1f64.to_bits() };
    let minus_zero = format.sign_bit();
    // Name, operands, host, and the same as a·b + c.
    type Fused = fn(&[u64], u64, u64) -> [u64; 3];
    let fused: [(&str, usize, Host, Host32, Fused); 4] = [
        ("add", 2, |i| i[0] + i[1], |i| i[0] + i[1], |i, one, _| [i[0], one, i[1]]),
        ("sub", 2, |i| i[0] - i[1], |i| i[0] - i[1], |i, one, z| [i[0], one, i[1] ^ z]),
        ("mul", 2, |i| i[0] * i[1], |i| i[0] * i[1], |i, _, z| [i[0], i[1], (i[0] ^ i[1]) & z]),
        (
            "fma",
            3,
            |i| i[0].mul_add(i[1], i[2]),
            |i| i[0].mul_add(i[1], i[2]),
            |i, _, _| [i[0], i[1], i[2]],
        ),
    ];
    for (name, n, host, host32, as_fma) in fused {
        let args = ["a, b", "a, b, c"][n - 2];
        let sig = format!("{} -> {ty}", [ty; 3][..n].join(" "));
        for mode in ["rn", "rz", "rm", "rp"] {
            let text = format!("{name}.{mode}.{ty} d, {args};");
            ops.push(Op::check(text, &sig, move |i, r| {
                let host = value(ty, i, host, host32);
                let special = i.iter().any(|&v| !format.is_finite(v));
                if mode == "rn" || special {
                    return same(format, host, r);
                }
                format.fma_ok(as_fma(i, one, minus_zero), r, mode)
            }));
        }
        if name != "fma" {
            let text = format!("{name}.{ty} d, {args};");
            ops.push(Op::check(text, &sig, move |i, r| {
                same(format, value(ty, i, host, host32), r)
            }));
        }
    }
    for mode in ["rn", "rz", "rm", "rp"] {
        quotients(ops, ty, format, mode, one);
    }
}

fn quotients(ops: &mut Vec<Op>, ty: &'static str, format: Format, mode: &'static str, one: u64) {
    let u = if ty == "f32" { 149u32 } else { 1074 };
    let div = move |i: &[u64], r: u64| {
        let host = value(ty, i, |i| i[0] / i[1], |i| i[0] / i[1]);
        let special = i.iter().any(|&v| !format.is_finite(v) || format.exact(v) == BigInt::ZERO);
        if mode == "rn" || special {
            return same(format, host, r);
        }
        let negative = (i[0] ^ i[1]) & format.sign_bit() != 0;
        if (r & format.sign_bit() != 0) != negative {
            return false;
        }
        let (a, b) = (format.exact(i[0]) << u, format.exact(i[1]));
        // x against a/b is x·b against a, turned around if b is negative.
        let cmp = |x: u64| {
            let order = (format.exact(x) * &b).cmp(&a);
            if b < BigInt::ZERO { order.reverse() } else { order }
        };
        format.rounds(r, mode, negative, &cmp)
    };
    let sig = format!("{ty} {ty} -> {ty}");
    ops.push(Op::check(format!("div.{mode}.{ty} d, a, b;"), &sig, div));
    let sig = format!("{ty} -> {ty}");
    ops.push(Op::check(format!("rcp.{mode}.{ty} d, a;"), &sig, move |i, r| div(&[one, i[0]], r)));
    ops.push(Op::check(format!("sqrt.{mode}.{ty} d, a;"), &sig, move |i, r| {
        let host = value(ty, i, |i| i[0].sqrt(), |i| i[0].sqrt());
        let negative = i[0] & format.sign_bit() != 0;
        let zero = i[0] & (format.sign_bit() - 1) == 0;
        if mode == "rn" || negative || zero || !format.is_finite(i[0]) {
            return same(format, host, r);
        }
        let a = format.exact(i[0]) << u;
        let cmp = |x: u64| {
            let x = format.exact(x);
            if x < BigInt::ZERO { Ordering::Less } else { (&x * &x).cmp(&a) }
        };
        format.rounds(r, mode, false, &cmp)
    }));
}

fn others(ops: &mut Vec<Op>, ty: &'static str, format: Format) {
    let sign = format.sign_bit();
    let sig = format!("{ty} -> {ty}");
    ops.push(Op::new(format!("neg.{ty} d, a;"), &sig, move |i| i[0] ^ sign).unless(any_nan(ty)));
    ops.push(Op::new(format!("abs.{ty} d, a;"), &sig, move |i| i[0] & !sign).unless(any_nan(ty)));
    let sig = format!("{ty} {ty} -> {ty}");
    ops.push(Op::new(format!("copysign.{ty} d, a, b;"), &sig, move |i| {
        (i[0] & sign) | (i[1] & !sign)
    }));
    // Sign and magnitude as an integer that grows with the value.
    let rank = move |v: u64| {
        let m = (v & (sign - 1)) as i64;
        if v & sign != 0 { -m - 1 } else { m }
    };
    for min in [true, false] {
        let name = if min { "min" } else { "max" };
        ops.push(Op::check(format!("{name}.{ty} d, a, b;"), &sig, move |i, r| {
            match (format.is_nan(i[0]), format.is_nan(i[1])) {
                (true, true) => format.is_nan(r),
                (true, false) => r == i[1],
                (false, true) => r == i[0],
                _ => r == if (rank(i[0]) < rank(i[1])) == min { i[0] } else { i[1] },
            }
        }));
    }
    let pred = format!("{ty} -> pred");
    type Test = fn(f64) -> bool;
    type Test32 = fn(f32) -> bool;
    let tests: [(&str, Test, Test32); 6] = [
        ("finite", |v| v.is_finite(), |v| v.is_finite()),
        ("infinite", |v| v.is_infinite(), |v| v.is_infinite()),
        ("number", |v| !v.is_nan(), |v| !v.is_nan()),
        ("notanumber", |v| v.is_nan(), |v| v.is_nan()),
        // The manual counts zero among the normal numbers.
        ("normal", |v| v.is_normal() || v == 0.0, |v| v.is_normal() || v == 0.0),
        ("subnormal", |v| v.is_subnormal(), |v| v.is_subnormal()),
    ];
    for (name, f, g) in tests {
        ops.push(Op::new(format!("testp.{name}.{ty} d, a;"), &pred, move |i| {
            u64::from(if ty == "f64" {
                f(f64::from_bits(i[0]))
            } else {
                g(f32::from_bits(i[0] as u32))
            })
        }));
    }
}

fn any_nan(ty: &str) -> fn(&[u64]) -> bool {
    if ty == "f64" {
        |i| i.iter().any(|&v| F64.is_nan(v))
    } else {
        |i| i.iter().any(|&v| F32.is_nan(v))
    }
}

fn compares(ops: &mut Vec<Op>, ty: &'static str) {
    use Ordering::{Equal, Greater, Less};
    let names: [(&str, &[Ordering]); 7] = [
        ("eq", &[Equal]),
        ("ne", &[Less, Greater]),
        ("lt", &[Less]),
        ("le", &[Less, Equal]),
        ("gt", &[Greater]),
        ("ge", &[Greater, Equal]),
        ("num", &[Less, Equal, Greater]),
    ];
    let sig = format!("{ty} {ty} -> pred");
    for (name, list) in names {
        let order = move |i: &[u64]| {
            if ty == "f64" {
                f64::from_bits(i[0]).partial_cmp(&f64::from_bits(i[1]))
            } else {
                f32::from_bits(i[0] as u32).partial_cmp(&f32::from_bits(i[1] as u32))
            }
        };
        ops.push(Op::new(format!("setp.{name}.{ty} d, a, b;"), &sig, move |i| {
            u64::from(order(i).is_some_and(|o| list.contains(&o)))
        }));
        let unordered = if name == "num" { "nan".into() } else { format!("{name}u") };
        ops.push(Op::new(format!("setp.{unordered}.{ty} d, a, b;"), &sig, move |i| {
            u64::from(order(i).is_none_or(|o| name != "num" && list.contains(&o)))
        }));
    }
}

/// `.ftz` and `.sat`, which only 32 bits have.
fn flushing(ops: &mut Vec<Op>) {
    fn flush(v: f32) -> f32 {
        if v.is_subnormal() { 0f32.copysign(v) } else { v }
    }
    let get = |v: u64| f32::from_bits(v as u32);
    let put = |v: f32| u64::from(v.to_bits());
    for (name, f) in [
        ("add", (|a, b| a + b) as fn(f32, f32) -> f32),
        ("sub", |a, b| a - b),
        ("mul", |a, b| a * b),
    ] {
        ops.push(Op::check(format!("{name}.ftz.f32 d, a, b;"), "f32 f32 -> f32", move |i, r| {
            let (a, b) = (flush(get(i[0])), flush(get(i[1])));
            let rounded = f(a, b);
            // A product is exact in 64 bits. Below this bound it is tiny even after rounding to
            // 24 bits, although the result may round up to a normal number.
            let bound = f64::from(f32::MIN_POSITIVE) * (1.0 - 2f64.powi(-25));
            let tiny = name == "mul" && (f64::from(a) * f64::from(b)).abs() < bound;
            let expected = if tiny { 0f32.copysign(rounded) } else { flush(rounded) };
            same(F32, put(expected), r)
        }));
        ops.push(Op::check(format!("{name}.sat.f32 d, a, b;"), "f32 f32 -> f32", move |i, r| {
            let v = f(get(i[0]), get(i[1]));
            let clamped = if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) };
            get(r) == clamped && r >> 31 == 0
        }));
    }
    let more: [(&str, &str, Host32); 4] = [
        ("fma.rn.ftz.f32 d, a, b, c;", "f32 f32 f32", |i| i[0].mul_add(i[1], i[2])),
        ("div.rn.ftz.f32 d, a, b;", "f32 f32", |i| i[0] / i[1]),
        ("rcp.rn.ftz.f32 d, a;", "f32", |i| 1.0 / i[0]),
        ("sqrt.rn.ftz.f32 d, a;", "f32", |i| i[0].sqrt()),
    ];
    for (text, inputs, f) in more {
        ops.push(Op::check(text, &format!("{inputs} -> f32"), move |i, r| {
            let at = |n: usize| flush(get(i.get(n).copied().unwrap_or(0)));
            let v = f([at(0), at(1), at(2)]);
            let edge = v.abs() == f32::MIN_POSITIVE && get(r) == 0.0;
            same(F32, put(flush(v)), r) || edge
        }));
    }
    ops.push(Op::new("setp.lt.ftz.f32 d, a, b;", "f32 f32 -> pred", move |i| {
        u64::from(flush(get(i[0])) < flush(get(i[1])))
    }));
    ops.push(Op::check("min.NaN.f32 d, a, b;", "f32 f32 -> f32", move |i, r| {
        let nan = F32.is_nan(i[0]) || F32.is_nan(i[1]);
        if nan { r == 0x7fff_ffff } else { get(r) == get(i[0]).min(get(i[1])) }
    }));
}
