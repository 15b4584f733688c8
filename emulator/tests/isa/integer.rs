//! Integer arithmetic, with carries and without, by exact arithmetic in 128 bits.

use super::table::{Op, int, low, width};

const ALL: [&str; 6] = ["u16", "u32", "u64", "s16", "s32", "s64"];

/// Both operands of a type.
fn two(ty: &str, i: &[u64]) -> (i128, i128) {
    (int(ty, i[0]), int(ty, i[1]))
}

/// A product of 64-bit values may need all 128 bits, so it is formed modulo 2¹²⁸.
fn product(ty: &str, i: &[u64]) -> i128 {
    let (a, b) = two(ty, i);
    a.wrapping_mul(b)
}

fn high(ty: &str, i: &[u64]) -> u64 {
    let p = product(ty, i);
    // The shift is arithmetic; an unsigned product that fills the word is cut afterwards.
    (p >> width(ty)) as u64
}

pub fn add(ops: &mut Vec<Op>) {
    for ty in ALL {
        let sig = format!("{ty} {ty} -> {ty}");
        let bin = |ops: &mut Vec<Op>, name: &str, f: fn(i128, i128) -> i128| {
            let text = format!("{name}.{ty} d, a, b;");
            ops.push(Op::new(text, &sig, move |i| {
                let (a, b) = two(ty, i);
                f(a, b) as u64
            }));
        };
        bin(ops, "add", |a, b| a + b);
        bin(ops, "sub", |a, b| a - b);
        bin(ops, "min", |a, b| if a < b { a } else { b });
        bin(ops, "max", |a, b| if a > b { a } else { b });
        for (name, quotient) in [("div", true), ("rem", false)] {
            let text = format!("{name}.{ty} d, a, b;");
            let f = move |i: &[u64]| {
                let (a, b) = two(ty, i);
                let q = a.checked_div(b).unwrap_or(0);
                (if quotient { q } else { a - q * b }) as u64
            };
            ops.push(Op::new(text, &sig, f).unless(|i| i[1] == 0));
        }
        ops.push(Op::new(format!("mul.lo.{ty} d, a, b;"), &sig, move |i| product(ty, i) as u64));
        ops.push(Op::new(format!("mul.hi.{ty} d, a, b;"), &sig, move |i| high(ty, i)));
        let sig3 = format!("{ty} {ty} {ty} -> {ty}");
        ops.push(Op::new(format!("mad.lo.{ty} d, a, b, c;"), &sig3, move |i| {
            (product(ty, i) as u64).wrapping_add(i[2])
        }));
        ops.push(Op::new(format!("mad.hi.{ty} d, a, b, c;"), &sig3, move |i| {
            high(ty, i).wrapping_add(i[2])
        }));
        ops.push(Op::new(format!("sad.{ty} d, a, b, c;"), &sig3, move |i| {
            let (a, b) = two(ty, i);
            ((a - b).unsigned_abs() as u64).wrapping_add(i[2])
        }));
        if width(ty) < 64 {
            let wide = format!("{}{}", &ty[..1], 2 * width(ty));
            let sig = format!("{ty} {ty} -> {wide}");
            let text = format!("mul.wide.{ty} d, a, b;");
            ops.push(Op::new(text, &sig, move |i| product(ty, i) as u64));
            let sig = format!("{ty} {ty} {wide} -> {wide}");
            let text = format!("mad.wide.{ty} d, a, b, c;");
            ops.push(Op::new(text, &sig, move |i| (product(ty, i) as u64).wrapping_add(i[2])));
        }
        if ty.starts_with('s') {
            let sig = format!("{ty} -> {ty}");
            ops.push(Op::new(format!("neg.{ty} d, a;"), &sig, move |i| -int(ty, i[0]) as u64));
            ops.push(Op::new(format!("abs.{ty} d, a;"), &sig, move |i| {
                int(ty, i[0]).unsigned_abs() as u64
            }));
        }
    }
    saturating(ops);
    narrow(ops);
    carries(ops);
}

fn clamp(v: i128) -> u64 {
    v.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as u64
}

fn saturating(ops: &mut Vec<Op>) {
    let sig = "s32 s32 -> s32";
    ops.push(Op::new("add.sat.s32 d, a, b;", sig, |i| {
        let (a, b) = two("s32", i);
        clamp(a + b)
    }));
    ops.push(Op::new("sub.sat.s32 d, a, b;", sig, |i| {
        let (a, b) = two("s32", i);
        clamp(a - b)
    }));
    ops.push(Op::new("mad.hi.sat.s32 d, a, b, c;", "s32 s32 s32 -> s32", |i| {
        clamp((product("s32", i) >> 32) + int("s32", i[2]))
    }));
}

fn narrow(ops: &mut Vec<Op>) {
    for ty in ["u32", "s32"] {
        let cut = move |v: u64| {
            let v = i128::from(v & 0xff_ffff);
            if ty == "s32" && v >> 23 == 1 { v - (1 << 24) } else { v }
        };
        let sig = format!("{ty} {ty} -> {ty}");
        ops.push(Op::new(format!("mul24.lo.{ty} d, a, b;"), &sig, move |i| {
            (cut(i[0]) * cut(i[1])) as u64
        }));
        ops.push(Op::new(format!("mul24.hi.{ty} d, a, b;"), &sig, move |i| {
            ((cut(i[0]) * cut(i[1])) >> 16) as u64
        }));
        let sig = format!("{ty} {ty} {ty} -> {ty}");
        ops.push(Op::new(format!("mad24.lo.{ty} d, a, b, c;"), &sig, move |i| {
            ((cut(i[0]) * cut(i[1])) as u64).wrapping_add(i[2])
        }));
    }
    for (at, bt) in [("u32", "u32"), ("u32", "s32"), ("s32", "u32"), ("s32", "s32")] {
        let sig = format!("{at} {bt} s32 -> s32");
        ops.push(Op::new(format!("dp4a.{at}.{bt} d, a, b, c;"), &sig, move |i| {
            let byte = |ty: &str, v: u64, n: u32| int(&format!("{}8", &ty[..1]), v >> (8 * n));
            let sum: i128 = (0..4).map(|n| byte(at, i[0], n) * byte(bt, i[1], n)).sum();
            (sum + int("s32", i[2])) as u64
        }));
    }
}

/// Chains of two instructions, so that the flag is both made and used.
fn carries(ops: &mut Vec<Op>) {
    for w in [32u32, 64] {
        for s in ["u", "s"] {
            let ty = format!("{s}{w}");
            // {b, a} + {e, c}, and the flag at the end.
            let sig = format!("{ty} {ty} {ty} {ty} -> {ty} {ty}");
            let sum = move |i: &[u64]| {
                let lo = u128::from(i[0]) + u128::from(i[2]);
                let hi = u128::from(i[1]) + u128::from(i[3]) + (lo >> w);
                (lo as u64, hi)
            };
            ops.push(Op::pair(
                format!("add.cc.{ty} d, a, c;\naddc.{ty} q, b, e;"),
                &sig,
                move |i| [sum(i).0, sum(i).1 as u64],
            ));
            ops.push(Op::pair(
                format!("add.cc.{ty} d, a, c;\naddc.cc.{ty} d, b, e;\naddc.{ty} q, 0, 0;"),
                &sig,
                move |i| [sum(i).1 as u64, (sum(i).1 >> w) as u64],
            ));
            let difference = move |i: &[u64]| {
                let borrow = i128::from(i[0] < i[2]);
                let hi = i128::from(i[1]) - i128::from(i[3]) - borrow;
                (i[0].wrapping_sub(i[2]), hi)
            };
            ops.push(Op::pair(
                format!("sub.cc.{ty} d, a, c;\nsubc.{ty} q, b, e;"),
                &sig,
                move |i| [difference(i).0, difference(i).1 as u64],
            ));
            ops.push(Op::pair(
                format!("sub.cc.{ty} d, a, c;\nsubc.cc.{ty} d, b, e;\nsubc.{ty} q, 0, 0;"),
                &sig,
                move |i| [difference(i).1 as u64, if difference(i).1 < 0 { u64::MAX } else { 0 }],
            ));
            // {d, q} = a·b + {c, e}: the pair that a wide multiply-add is written as.
            let t = ty.clone();
            let wide = move |i: &[u64]| {
                let p = product(&t, i);
                let lo = u128::from(low(p as u64, w)) + u128::from(i[2]);
                let hi = u128::from(low((p >> w) as u64, w)) + u128::from(i[3]) + (lo >> w);
                (lo as u64, hi)
            };
            let f = wide.clone();
            ops.push(Op::pair(
                format!("mad.lo.cc.{ty} d, a, b, c;\nmadc.hi.{ty} q, a, b, e;"),
                &sig,
                move |i| [f(i).0, f(i).1 as u64],
            ));
            ops.push(Op::pair(
                format!(
                    "mad.lo.cc.{ty} d, a, b, c;\nmadc.hi.cc.{ty} d, a, b, e;\naddc.{ty} q, 0, 0;"
                ),
                &sig,
                move |i| [wide(i).1 as u64, (wide(i).1 >> w) as u64],
            ));
            let t = ty.clone();
            ops.push(Op::pair(
                format!(
                    "mad.hi.cc.{ty} d, a, b, c;\nmadc.lo.cc.{ty} d, a, b, e;\naddc.{ty} q, 0, 0;"
                ),
                &sig,
                move |i| {
                    let p = product(&t, i);
                    let first = u128::from(low((p >> w) as u64, w)) + u128::from(i[2]);
                    let second = u128::from(low(p as u64, w)) + u128::from(i[3]) + (first >> w);
                    [second as u64, (second >> w) as u64]
                },
            ));
        }
    }
}
