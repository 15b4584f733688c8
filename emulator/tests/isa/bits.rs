//! Logic, shifts, bit fields, comparisons, selections, moves: bit by bit, as the manual writes them.

use super::table::{Op, int, low, width};

fn bit(v: u64, n: u32) -> u64 {
    if n < 64 { v >> n & 1 } else { 0 }
}

fn from_bits(n: u32, f: impl Fn(u32) -> u64) -> u64 {
    (0..n).fold(0, |v, i| v | (f(i) & 1) << i)
}

pub fn add(ops: &mut Vec<Op>) {
    logic(ops);
    shifts(ops);
    fields(ops);
    counts(ops);
    permutes(ops);
    compares(ops);
    selects(ops);
    moves(ops);
}

fn logic(ops: &mut Vec<Op>) {
    for ty in ["pred", "b16", "b32", "b64"] {
        let n = width(ty);
        let sig = format!("{ty} {ty} -> {ty}");
        ops.push(Op::new(format!("and.{ty} d, a, b;"), &sig, move |i| {
            from_bits(n, |k| u64::from(bit(i[0], k) + bit(i[1], k) == 2))
        }));
        ops.push(Op::new(format!("or.{ty} d, a, b;"), &sig, move |i| {
            from_bits(n, |k| u64::from(bit(i[0], k) + bit(i[1], k) > 0))
        }));
        ops.push(Op::new(format!("xor.{ty} d, a, b;"), &sig, move |i| {
            from_bits(n, |k| bit(i[0], k) + bit(i[1], k))
        }));
        let sig = format!("{ty} -> {ty}");
        ops.push(Op::new(format!("not.{ty} d, a;"), &sig, move |i| {
            from_bits(n, |k| 1 - bit(i[0], k))
        }));
        if n > 1 {
            ops.push(Op::new(format!("cnot.{ty} d, a;"), &sig, |i| u64::from(i[0] == 0)));
        }
    }
    for lut in [0u64, 0x1b, 0x80, 0x96, 0xca, 0xe8, 0xfe, 0xff] {
        ops.push(Op::new(format!("lop3.b32 d, a, b, c, {lut};"), "b32 b32 b32 -> b32", move |i| {
            from_bits(32, |k| lut >> (bit(i[0], k) * 4 + bit(i[1], k) * 2 + bit(i[2], k)))
        }));
    }
}

fn shifts(ops: &mut Vec<Op>) {
    for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"] {
        let n = width(ty);
        let sig = format!("{ty} u32 -> {ty}");
        if ty.starts_with('b') {
            ops.push(Op::new(format!("shl.{ty} d, a, b;"), &sig, move |i| {
                from_bits(n, |k| u64::from(k).checked_sub(i[1]).map_or(0, |s| bit(i[0], s as u32)))
            }));
        }
        ops.push(Op::new(format!("shr.{ty} d, a, b;"), &sig, move |i| {
            let fill = if ty.starts_with('s') { bit(i[0], n - 1) } else { 0 };
            from_bits(n, |k| {
                let from = u64::from(k) + i[1];
                if from < u64::from(n) { bit(i[0], from as u32) } else { fill }
            })
        }));
    }
    for (side, mode) in [("l", "wrap"), ("l", "clamp"), ("r", "wrap"), ("r", "clamp")] {
        let text = format!("shf.{side}.{mode}.b32 d, a, b, c;");
        ops.push(Op::new(text, "b32 b32 u32 -> b32", move |i| {
            let by = if mode == "wrap" { i[2] % 32 } else { i[2].min(32) };
            let all = u128::from(i[1]) << 32 | u128::from(i[0]);
            if side == "l" { (all << by >> 32) as u64 } else { (all >> by) as u64 }
        }));
    }
}

/// Positions and lengths are to be below 256. Hardware cuts larger ones for 32-bit fields, as the
/// manual has it, but not for 64-bit ones.
fn beyond(n: u32, operands: [usize; 2]) -> fn(&[u64]) -> bool {
    match (n, operands) {
        (32, _) => |_| false,
        (_, [1, 2]) => |i| i[1] > 255 || i[2] > 255,
        _ => |i| i[2] > 255 || i[3] > 255,
    }
}

fn fields(ops: &mut Vec<Op>) {
    for ty in ["u32", "u64", "s32", "s64"] {
        let n = width(ty);
        let sig = format!("{ty} u32 u32 -> {ty}");
        let extract = move |i: &[u64]| {
            let (pos, len) = ((i[1] & 255) as u32, (i[2] & 255) as u32);
            let sign = if ty.starts_with('u') || len == 0 {
                0
            } else {
                bit(i[0], (pos + len - 1).min(n - 1))
            };
            from_bits(n, |k| if k < len && pos + k < n { bit(i[0], pos + k) } else { sign })
        };
        let op = Op::new(format!("bfe.{ty} d, a, b, c;"), &sig, extract);
        ops.push(op.unless(beyond(n, [1, 2])));
    }
    for ty in ["b32", "b64"] {
        let n = width(ty);
        let sig = format!("{ty} {ty} u32 u32 -> {ty}");
        let insert = move |i: &[u64]| {
            let (pos, len) = ((i[2] & 255) as u32, (i[3] & 255) as u32);
            let inside = |k| k >= pos && k - pos < len;
            from_bits(n, |k| if inside(k) { bit(i[0], k - pos) } else { bit(i[1], k) })
        };
        let op = Op::new(format!("bfi.{ty} d, a, b, c, e;"), &sig, insert);
        ops.push(op.unless(beyond(n, [2, 3])));
    }
}

fn counts(ops: &mut Vec<Op>) {
    for ty in ["b32", "b64"] {
        let n = width(ty);
        let sig = format!("{ty} -> u32");
        ops.push(Op::new(format!("popc.{ty} d, a;"), &sig, move |i| {
            (0..n).map(|k| bit(i[0], k)).sum()
        }));
        ops.push(Op::new(format!("clz.{ty} d, a;"), &sig, move |i| {
            (0..n).rev().take_while(|&k| bit(i[0], k) == 0).count() as u64
        }));
        let sig = format!("{ty} -> {ty}");
        ops.push(Op::new(format!("brev.{ty} d, a;"), &sig, move |i| {
            from_bits(n, |k| bit(i[0], n - 1 - k))
        }));
    }
    for ty in ["u32", "u64", "s32", "s64"] {
        let n = width(ty);
        let sig = format!("{ty} -> u32");
        let find = move |v: u64| {
            let skip = if ty.starts_with('s') { bit(v, n - 1) } else { 0 };
            (0..n).rev().find(|&k| bit(v, k) != skip)
        };
        ops.push(Op::new(format!("bfind.{ty} d, a;"), &sig, move |i| {
            find(i[0]).map_or(u64::MAX, u64::from)
        }));
        ops.push(Op::new(format!("bfind.shiftamt.{ty} d, a;"), &sig, move |i| {
            find(i[0]).map_or(u64::MAX, |k| u64::from(n - 1 - k))
        }));
    }
    // Base within the word; the manual leaves others open.
    let nth_set = |i: &[u64]| {
        let (base, offset) = ((i[1] & 31) as i128, int("s32", i[2]));
        let mut set: Vec<i128> = (0..32).filter(|&k| bit(i[0], k) == 1).map(i128::from).collect();
        if offset == 0 {
            return if set.contains(&base) { base as u64 } else { u64::MAX };
        }
        set.retain(|&k| if offset > 0 { k >= base } else { k <= base });
        if offset < 0 {
            set.reverse();
        }
        let nth = offset.unsigned_abs() - 1;
        usize::try_from(nth).ok().and_then(|n| set.get(n)).map_or(u64::MAX, |&k| k as u64)
    };
    let op = Op::new("and.b32 b, b, 31;\nfns.b32 d, a, b, c;", "b32 b32 s32 -> b32", nth_set);
    ops.push(op.unless(|i| i[2] == 1 << 31));
}

fn permutes(ops: &mut Vec<Op>) {
    let byte = |i: &[u64], n: u64| {
        let all = i[1] << 32 | low(i[0], 32);
        all >> (8 * (n & 7)) & 255
    };
    ops.push(Op::new("prmt.b32 d, a, b, c;", "b32 b32 b32 -> b32", move |i| {
        (0..4).fold(0, |r, k| {
            let sel = i[2] >> (4 * k) & 15;
            let v = byte(i, sel);
            let v = if sel < 8 { v } else { (v >> 7) * 255 };
            r | v << (8 * k)
        })
    }));
    // The bytes of each mode for each of the four selectors, highest byte first, as the manual's
    // table lists them.
    let table: [(&str, [[u64; 4]; 4]); 6] = [
        ("f4e", [[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]]),
        ("b4e", [[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]]),
        ("rc8", [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecl", [[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]]),
        ("ecr", [[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]]),
        ("rc16", [[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]]),
    ];
    for (mode, rows) in table {
        ops.push(Op::new(format!("prmt.b32.{mode} d, a, b, c;"), "b32 b32 b32 -> b32", move |i| {
            let row = rows[(i[2] & 3) as usize];
            row.iter().fold(0, |r, &n| r << 8 | byte(i, n))
        }));
    }
}

fn compares(ops: &mut Vec<Op>) {
    type Compare = fn(i128, i128) -> bool;
    let names: [(&str, Compare); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
    ];
    let unsigned: [(&str, Compare); 4] =
        [("lo", |a, b| a < b), ("ls", |a, b| a <= b), ("hi", |a, b| a > b), ("hs", |a, b| a >= b)];
    for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"] {
        let more: &[(&str, Compare)] = if ty.starts_with('u') { &unsigned } else { &[] };
        let count = if ty.starts_with('b') { 2 } else { 6 };
        for &(name, f) in names[..count].iter().chain(more) {
            let sig = format!("{ty} {ty} -> pred");
            ops.push(Op::new(format!("setp.{name}.{ty} d, a, b;"), &sig, move |i| {
                u64::from(f(int(ty, i[0]), int(ty, i[1])))
            }));
        }
    }
    for op in ["and", "or", "xor"] {
        for not in ["", "!"] {
            let text = format!("setp.lt.{op}.s32 d|q, a, b, {not}c;");
            ops.push(Op::pair(text, "s32 s32 pred -> pred pred", move |i| {
                let c = i[2] ^ u64::from(not == "!");
                let p = u64::from(int("s32", i[0]) < int("s32", i[1]));
                let join = |x: u64| match op {
                    "and" => x & c,
                    "or" => x | c,
                    _ => x ^ c,
                };
                [join(p), join(1 - p)]
            }));
        }
    }
    ops.push(Op::new("set.gt.u32.s64 d, a, b;", "s64 s64 -> u32", |i| {
        if int("s64", i[0]) > int("s64", i[1]) { u64::MAX } else { 0 }
    }));
    ops.push(Op::new("set.ne.and.s32.u16 d, a, b, c;", "u16 u16 pred -> s32", |i| {
        if i[0] != i[1] && i[2] == 1 { u64::MAX } else { 0 }
    }));
    ops.push(Op::new("set.le.f32.u32 d, a, b;", "u32 u32 -> f32", |i| {
        u64::from(if i[0] <= i[1] { 1f32 } else { 0f32 }.to_bits())
    }));
}

fn selects(ops: &mut Vec<Op>) {
    for ty in ["b16", "u32", "s64", "f32", "f64"] {
        let sig = format!("{ty} {ty} pred -> {ty}");
        ops.push(Op::new(format!("selp.{ty} d, a, b, c;"), &sig, |i| i[1 - i[2] as usize]));
    }
    ops.push(Op::new("slct.u64.s32 d, a, b, c;", "u64 u64 s32 -> u64", |i| {
        if int("s32", i[2]) >= 0 { i[0] } else { i[1] }
    }));
    ops.push(Op::new("slct.b32.f32 d, a, b, c;", "b32 b32 f32 -> b32", |i| {
        if f32::from_bits(i[2] as u32) >= 0.0 { i[0] } else { i[1] }
    }));
}

fn moves(ops: &mut Vec<Op>) {
    for ty in ["u16", "s32", "b64", "f32", "f64", "pred"] {
        let sig = format!("{ty} -> {ty}");
        ops.push(Op::new(format!("mov.{ty} d, a;"), &sig, |i| i[0]));
        if ty != "pred" {
            // A guard leaves the register as it was.
            let sig = format!("{ty} {ty} pred -> {ty}");
            let text = format!("mov.{ty} d, a;\n@c mov.{ty} d, b;");
            ops.push(Op::new(text, &sig, |i| i[i[2] as usize]));
            let text = format!("mov.{ty} d, a;\n@!c mov.{ty} d, b;");
            ops.push(Op::new(text, &sig, |i| i[1 - i[2] as usize]));
        }
    }
    ops.push(Op::new("mov.b64 d, {a, b};", "b32 b32 -> b64", |i| i[1] << 32 | i[0]));
    ops.push(Op::pair("mov.b64 {d, q}, a;", "b64 -> b32 b32", |i| [i[0], i[0] >> 32]));
    ops.push(Op::new("mov.b64 {_, d}, a;", "b64 -> b32", |i| i[0] >> 32));
    ops.push(Op::new("mov.b32 d, {a, b};", "b16 b16 -> b32", |i| i[1] << 16 | i[0]));
    ops.push(Op::pair("mov.b32 {d, q}, a;", "b32 -> b16 b16", |i| [i[0], i[0] >> 16]));
    ops.push(Op::new("mov.b64 d, {a, b, c, e};", "b16 b16 b16 b16 -> b64", |i| {
        i[3] << 48 | i[2] << 32 | i[1] << 16 | i[0]
    }));
    ops.push(Op::new("mov.u32 d, 0xfffffff0U;", "u32 -> u32", |_| 0xffff_fff0));
    ops.push(Op::new("add.s64 d, a, -5;", "s64 -> s64", |i| i[0].wrapping_sub(5)));
    ops.push(Op::new("mov.f64 d, 0d4009000000000000;", "f64 -> f64", |_| 3.125f64.to_bits()));
    ops.push(Op::new("mov.f32 d, 0fC0490000;", "f32 -> f32", |_| {
        u64::from((-3.140625f32).to_bits())
    }));
}
