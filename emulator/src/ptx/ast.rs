//! What the parser makes of the text: declarations and raw statements, names still names.

use super::types::{Space, Type};
use std::collections::HashMap;

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A register, variable, function or label, with a constant added (`sym+4`).
    Name(String, i64),
    /// A negated predicate, `!%p1`.
    Not(String),
    /// An integer, two's complement in 64 bits.
    Int(u64),
    /// `0f…` or a decimal fraction, which may become either width.
    F32(u32),
    /// `0d…`.
    F64(u64),
    /// `{a, b, …}`.
    Vector(Vec<Operand>),
    /// `[base+offset]`.
    Address(Box<Operand>, i64),
    /// `(a, b, …)`, in calls.
    List(Vec<Operand>),
    /// `d|p`.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`.
    Sink,
}

/// An instruction, not yet decoded.
#[derive(Clone, Debug)]
pub(crate) struct RawInst {
    /// `@%p` or `@!%p`.
    pub guard: Option<(String, bool)>,
    /// The whole opcode, dots included.
    pub opcode: String,
    pub operands: Vec<Operand>,
}

/// What a variable is initialised with, one element after the other.
#[derive(Clone, Debug)]
pub(crate) enum Init {
    /// `width` bytes of a number.
    Value { bytes: u32, value: u64 },
    /// The address of a variable or function plus a constant; `shift` selects a byte of it
    /// (`0xFF00(sym)` in a byte array).
    Symbol { bytes: u32, name: String, addend: i64, shift: u32 },
}

/// A variable of any state space, or a parameter.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: String,
    pub space: Space,
    pub ty: Type,
    pub align: u32,
    /// Bytes in all; 0 for an array without a bound (dynamic shared memory).
    pub size: u32,
    pub is_extern: bool,
    pub init: Vec<Init>,
}

/// A register declaration: one name, or `prefix<count>`.
#[derive(Clone, Debug)]
pub(crate) struct RegDecl {
    pub name: String,
    pub count: Option<u32>,
    pub ty: Type,
}

/// A statement of a body.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Open,
    Close,
    Reg(RegDecl),
    Var(Var),
    Label(String),
    Inst(RawInst),
    /// `label: .branchtargets a, b, …;`
    Targets(String, Vec<String>),
    /// `label: .callprototype …;`
    Prototype(String, Signature),
}

/// A formal parameter of a function.
#[derive(Clone, Debug)]
pub(crate) enum Formal {
    Param(Var),
    Reg(RegDecl),
}

/// Results and parameters of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signature {
    pub returns: Vec<Formal>,
    pub params: Vec<Formal>,
}

/// `.entry` or `.func`.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub is_entry: bool,
    pub signature: Signature,
    /// None for a declaration.
    pub body: Option<Vec<(u32, Stmt)>>,
    pub reqntid: Option<[u32; 3]>,
    pub maxntid: Option<[u32; 3]>,
    pub line: u32,
}

/// From this line of the PTX on, instructions come from a line of a source file (line 0: nobody
/// knows).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceLine {
    pub ptx: u32,
    pub file: u64,
    pub line: u64,
}

/// A whole module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ast {
    pub files: HashMap<u64, String>,
    pub sources: Vec<SourceLine>,
    pub version: String,
    pub target: String,
    pub vars: Vec<(u32, Var)>,
    pub functions: Vec<Function>,
}
