//! The list of operations: PTX text, types, and what the result must be. The program that compares
//! the emulator with a GPU uses the same list.

use super::{bits, convert, float, integer};

/// Inputs to results.
pub type Definition = Box<dyn Fn(&[u64]) -> [u64; 2] + Send + Sync>;
/// Of inputs and the first result.
pub type Property = Box<dyn Fn(&[u64], u64) -> bool + Send + Sync>;

/// What a result must be.
pub enum Expect {
    /// These values.
    Value(Definition),
    /// Anything of which this is true.
    Check(Property),
}

/// An operation on up to four inputs `a b c e`, with results in `d` and `q`.
pub struct Op {
    /// The instructions.
    pub text: String,
    /// Types of the inputs.
    pub inputs: Vec<String>,
    /// Types of the outputs.
    pub outputs: Vec<String>,
    /// The definition.
    pub expect: Expect,
    /// Whether the manual leaves the result open for these inputs.
    pub open: fn(&[u64]) -> bool,
}

/// Bits of a type.
pub fn width(ty: &str) -> u32 {
    match ty {
        "pred" => 1,
        _ => ty[1..].parse().unwrap(),
    }
}

/// The low bits.
pub fn low(v: u64, bits: u32) -> u64 {
    v & (u64::MAX >> (64 - bits))
}

/// The value as the type reads it.
pub fn int(ty: &str, v: u64) -> i128 {
    let bits = width(ty);
    if ty.starts_with('s') {
        i128::from((v << (64 - bits)) as i64 >> (64 - bits))
    } else {
        i128::from(low(v, bits))
    }
}

fn types(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

impl Op {
    fn make(text: impl Into<String>, signature: &str, expect: Expect) -> Op {
        let (inputs, outputs) = signature.split_once("->").unwrap();
        Op {
            text: text.into(),
            inputs: types(inputs),
            outputs: types(outputs),
            expect,
            open: |_| false,
        }
    }

    /// One result.
    pub fn new(
        text: impl Into<String>,
        signature: &str,
        f: impl Fn(&[u64]) -> u64 + Send + Sync + 'static,
    ) -> Op {
        Op::make(text, signature, Expect::Value(Box::new(move |i| [f(i), 0])))
    }

    /// Two results.
    pub fn pair(
        text: impl Into<String>,
        signature: &str,
        f: impl Fn(&[u64]) -> [u64; 2] + Send + Sync + 'static,
    ) -> Op {
        Op::make(text, signature, Expect::Value(Box::new(f)))
    }

    /// A result with a property.
    pub fn check(
        text: impl Into<String>,
        signature: &str,
        f: impl Fn(&[u64], u64) -> bool + Send + Sync + 'static,
    ) -> Op {
        Op::make(text, signature, Expect::Check(Box::new(f)))
    }

    /// The same, undefined for some inputs.
    pub fn unless(mut self, open: fn(&[u64]) -> bool) -> Op {
        self.open = open;
        self
    }

    /// The inputs as the registers hold them.
    pub fn cut(&self, case: &[u64; 4]) -> Vec<u64> {
        self.inputs
            .iter()
            .zip(case)
            .map(|(t, &v)| if t == "pred" { u64::from(v & 1 == 1) } else { low(v, width(t)) })
            .collect()
    }

    fn masked(&self, v: [u64; 2]) -> [u64; 2] {
        let cut = |i: usize| self.outputs.get(i).map_or(0, |t| low(v[i], width(t)));
        [cut(0), cut(1)]
    }

    /// Whether a result is right.
    pub fn agrees(&self, inputs: &[u64], got: [u64; 2]) -> bool {
        (self.open)(inputs)
            || match &self.expect {
                Expect::Value(f) => self.masked(f(inputs)) == got,
                Expect::Check(f) => f(inputs, got[0]),
            }
    }

    /// What was expected, in words.
    pub fn expected(&self, inputs: &[u64]) -> String {
        match &self.expect {
            Expect::Value(f) => format!("{:x?}", self.masked(f(inputs))),
            Expect::Check(_) => "another value".into(),
        }
    }
}

/// All operations.
pub fn all() -> Vec<Op> {
    let mut ops = Vec::new();
    integer::add(&mut ops);
    bits::add(&mut ops);
    float::add(&mut ops);
    convert::add(&mut ops);
    ops
}

const INPUTS: [&str; 4] = ["a", "b", "c", "e"];
const OUTPUTS: [&str; 2] = ["d", "q"];

/// A module with a kernel `op0`, `op1`, … for each operation. Thread i takes four 64-bit words from
/// the first buffer and leaves two in the second.
pub fn module_text(ops: &[Op]) -> String {
    let mut s = String::from(".version 7.8\n.target sm_80\n.address_size 64\n\n");
    for (i, op) in ops.iter().enumerate() {
        s += &kernel_text(i, op);
    }
    s
}

fn register(ty: &str) -> String {
    match ty {
        "pred" => ".pred".into(),
        "f32" | "f64" => format!(".{ty}"),
        // Bytes live in registers of 16 bits.
        _ => format!(".b{}", width(ty).max(16)),
    }
}

fn kernel_text(index: usize, op: &Op) -> String {
    let mut s = format!(
        ".visible .entry op{index}(.param .u64 in, .param .u64 out, .param .u32 n)\n{{\n\
         .reg .pred %done;\n.reg .b32 %t<4>;\n.reg .b64 %p<8>;\n.reg .b64 %v<2>;\n"
    );
    let all = INPUTS.iter().zip(&op.inputs).chain(OUTPUTS.iter().zip(&op.outputs));
    for (name, ty) in all {
        s += &format!(".reg {} {name};\n", register(ty));
    }
    s += "mov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %ntid.x;\nmov.u32 %t2, %tid.x;\n\
          mad.lo.s32 %t0, %t0, %t1, %t2;\nld.param.u32 %t1, [n];\n\
          setp.ge.u32 %done, %t0, %t1;\n@%done bra DONE;\n\
          ld.param.u64 %p0, [in];\nld.param.u64 %p1, [out];\n\
          mad.wide.u32 %p0, %t0, 32, %p0;\nmad.wide.u32 %p1, %t0, 16, %p1;\n";
    for (i, (name, ty)) in INPUTS.iter().zip(&op.inputs).enumerate() {
        s += &format!("ld.global.u64 %v0, [%p0+{}];\n", 8 * i);
        s += &match (ty.as_str(), width(ty)) {
            ("pred", _) => format!("and.b64 %v0, %v0, 1;\nsetp.ne.u64 {name}, %v0, 0;\n"),
            ("f64", _) | (_, 64) => format!("mov.b64 {name}, %v0;\n"),
            ("f32", _) => format!("cvt.u32.u64 %t3, %v0;\nmov.b32 {name}, %t3;\n"),
            (_, w) => format!("cvt.u{}.u64 {name}, %v0;\n", w.max(16)),
        };
    }
    s += &op.text;
    s += "\n";
    for (i, name) in OUTPUTS.iter().enumerate() {
        s += &match op.outputs.get(i).map(|t| (t.as_str(), width(t))) {
            None => "mov.u64 %v1, 0;\n".into(),
            Some(("pred", _)) => format!("selp.u64 %v1, 1, 0, {name};\n"),
            Some((_, 64)) => format!("mov.b64 %v1, {name};\n"),
            Some(("f32", _)) => format!("mov.b32 %t3, {name};\ncvt.u64.u32 %v1, %t3;\n"),
            Some((_, w)) => format!("cvt.u64.u{w} %v1, {name};\n"),
        };
        s += &format!("st.global.u64 [%p1+{}], %v1;\n", 8 * i);
    }
    s + "DONE:\nret;\n}\n\n"
}

/// Values of a type that are likely to go wrong.
fn edge_words(ty: &str) -> Vec<u64> {
    let bits = width(ty);
    match ty {
        "pred" => return vec![0, 1],
        "f32" => return float::edges32(),
        "f64" => return float::edges64(),
        _ => {}
    }
    let top = 1u64 << (bits - 1);
    let mut v = vec![0, 1, 2, 3, 31, 32, 33, 63, 64, 255];
    v.extend([low(u64::MAX, bits), low(u64::MAX, bits) - 1, top, top - 1, top + 1]);
    v.extend([low(0x5555_5555_5555_5555, bits), low(0x8000_0001_8000_0001, bits)]);
    v.extend([low(0xffff_ffff, bits), low(0x1_0000_0000, bits), low(0x0123_4567_89ab_cdef, bits)]);
    v.sort_unstable();
    v.dedup();
    v
}

/// Combinations of edges, thinned to a few thousand.
pub fn edges(op: &Op) -> Vec<[u64; 4]> {
    let lists: Vec<Vec<u64>> = op.inputs.iter().map(|t| edge_words(t)).collect();
    let total: usize = lists.iter().map(Vec::len).product();
    // An odd stride visits all digits of the mixed-radix number.
    let stride = (total / 3000).max(1) | 1;
    (0..total)
        .step_by(stride)
        .map(|mut n| {
            let mut case = [0; 4];
            for (slot, list) in case.iter_mut().zip(&lists) {
                *slot = list[n % list.len()];
                n /= list.len();
            }
            case
        })
        .collect()
}
