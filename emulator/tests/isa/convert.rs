//! `cvt` and `cvta`: every pair of integer types, and floats by the host's conversions.

use super::table::{Op, int, width};

const INTS: [&str; 8] = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"];

fn range(ty: &str) -> (i128, i128) {
    let bits = width(ty);
    if ty.starts_with('s') {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

pub fn add(ops: &mut Vec<Op>) {
    for from in INTS {
        for to in INTS {
            // A byte comes in a register of 16 bits, and goes out in one, extended.
            let out = if width(to) == 8 { format!("{}16", &to[..1]) } else { to.to_owned() };
            let sig = format!("{from} -> {out}");
            let text = format!("cvt.{to}.{from} d, a;");
            ops.push(Op::new(text, &sig, move |i| int(to, int(from, i[0]) as u64) as u64));
            // Where nothing can be cut, PTX has no saturation.
            let ((low, high), (least, most)) = (range(to), range(from));
            if low <= least && most <= high {
                continue;
            }
            let text = format!("cvt.sat.{to}.{from} d, a;");
            ops.push(Op::new(text, &sig, move |i| {
                let (low, high) = range(to);
                int(from, i[0]).clamp(low, high) as u64
            }));
        }
    }
    from_integers(ops);
    to_integers(ops);
    between_floats(ops);
    // There and back is the identity, and shared addresses are told from others.
    ops.push(Op::new(
        "and.b64 d, a, 0xffff;\ncvta.shared.u64 d, d;\ncvta.to.shared.u64 d, d;",
        "u64 -> u64",
        |i| i[0] & 0xffff,
    ));
    ops.push(Op::pair(
        "and.b64 a, a, 0xffff;\ncvta.shared.u64 a, a;\nisspacep.shared d, a;\nisspacep.local q, a;",
        "u64 -> pred pred",
        |_| [1, 0],
    ));
}

fn from_integers(ops: &mut Vec<Op>) {
    for from in ["u16", "u32", "u64", "s16", "s32", "s64"] {
        ops.push(Op::new(
            format!("cvt.rn.f64.{from} d, a;"),
            &format!("{from} -> f64"),
            move |i| (int(from, i[0]) as f64).to_bits(),
        ));
        ops.push(Op::new(
            format!("cvt.rn.f32.{from} d, a;"),
            &format!("{from} -> f32"),
            move |i| u64::from((int(from, i[0]) as f32).to_bits()),
        ));
        for (mode, up) in [("rm", false), ("rp", true)] {
            let text = format!("cvt.{mode}.f64.{from} d, a;");
            ops.push(Op::new(text, &format!("{from} -> f64"), move |i| {
                let v = int(from, i[0]);
                let near = v as f64;
                // The nearest is one of the two around; step if it is the wrong one.
                let off = (near as i128).cmp(&v);
                match (up, off) {
                    (true, std::cmp::Ordering::Less) => near.next_up().to_bits(),
                    (false, std::cmp::Ordering::Greater) => near.next_down().to_bits(),
                    _ => near.to_bits(),
                }
            }));
        }
    }
}

fn to_integers(ops: &mut Vec<Op>) {
    type Round = fn(f64) -> f64;
    let modes: [(&str, Round); 4] = [
        ("rni", |v| v.round_ties_even()),
        ("rzi", |v| v.trunc()),
        ("rmi", |v| v.floor()),
        ("rpi", |v| v.ceil()),
    ];
    for to in ["u16", "u32", "u64", "s16", "s32", "s64"] {
        for (mode, f) in modes {
            for from in ["f32", "f64"] {
                let text = format!("cvt.{mode}.{to}.{from} d, a;");
                ops.push(Op::new(text, &format!("{from} -> {to}"), move |i| {
                    let v = float(from, i[0]);
                    let (low, high) = range(to);
                    if v.is_nan() {
                        let wide = from == "f64" || width(to) == 64;
                        return if wide { 1 << (width(to) - 1) } else { 0 };
                    }
                    (f(v) as i128).clamp(low, high) as u64
                }));
            }
        }
    }
}

fn float(ty: &str, v: u64) -> f64 {
    if ty == "f64" { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) }
}

fn between_floats(ops: &mut Vec<Op>) {
    ops.push(Op::check("cvt.f64.f32 d, a;", "f32 -> f64", |i, r| {
        let (v, r) = (float("f32", i[0]), f64::from_bits(r));
        v.to_bits() == r.to_bits() || (v.is_nan() && r.is_nan())
    }));
    ops.push(Op::check("cvt.rn.f32.f64 d, a;", "f64 -> f32", |i, r| {
        let (v, r) = (f64::from_bits(i[0]) as f32, f32::from_bits(r as u32));
        v.to_bits() == r.to_bits() || (v.is_nan() && r.is_nan())
    }));
    for mode in ["rz", "rm", "rp"] {
        ops.push(Op::check(format!("cvt.{mode}.f32.f64 d, a;"), "f64 -> f32", move |i, r| {
            let (v, r) = (f64::from_bits(i[0]), f32::from_bits(r as u32));
            if v.is_nan() {
                return r.is_nan();
            }
            let down = mode == "rm" || (mode == "rz" && v.is_sign_positive());
            let x = f64::from(r);
            v.is_sign_negative() == r.is_sign_negative()
                && if down {
                    x <= v && (x == v || f64::from(r.next_up()) > v)
                } else {
                    x >= v && (x == v || f64::from(r.next_down()) < v)
                }
        }));
    }
    for (mode, f) in [
        ("rni", (|v| v.round_ties_even()) as fn(f64) -> f64),
        ("rzi", |v| v.trunc()),
        ("rmi", |v| v.floor()),
        ("rpi", |v| v.ceil()),
    ] {
        for ty in ["f32", "f64"] {
            let text = format!("cvt.{mode}.{ty}.{ty} d, a;");
            ops.push(Op::check(text, &format!("{ty} -> {ty}"), move |i, r| {
                let (v, r) = (f(float(ty, i[0])), float(ty, r));
                v.to_bits() == r.to_bits() || (v.is_nan() && r.is_nan())
            }));
        }
    }
    ops.push(Op::new("cvt.sat.f32.f32 d, a;", "f32 -> f32", |i| {
        let v = f32::from_bits(i[0] as u32);
        let v = if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) };
        u64::from(if v == 0.0 { 0.0f32 } else { v }.to_bits())
    }));
}
