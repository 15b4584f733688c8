//! A whole function: declarations, labels, instructions, and at the end the branches.

use super::compact;
use super::ctx::Ctx;
use super::flow;
use super::mods::{Mods, Res};
use super::scope::{Named, Scopes};
use super::{Shared, align_up, kernel_params};
use crate::error::ParseError;
use crate::ir::{Func, Inst, NONE, Op, Place};
use crate::ptx::ast::{Formal, Function, RawInst, RegDecl, Stmt, Var};
use crate::ptx::types::{Space, Type};
use std::collections::HashMap;

/// A branch whose label is not known yet.
struct Fixup {
    at: usize,
    scope: usize,
    label: String,
    line: u32,
}

/// What decoding an instruction may ask of its function.
pub(super) enum Decoded {
    Op(Op),
    /// A branch to a label.
    Branch(String),
    /// `brx.idx`: the index register and the name of the list.
    Table(u32, String),
}

pub(super) fn decode(f: &Function, shared: &mut Shared<'_>) -> Result<Func, ParseError> {
    let mut ctx = Ctx {
        shared,
        scopes: Scopes::new(),
        is_entry: f.is_entry,
        frame: 0,
        frame_slots: HashMap::new(),
        special_slots: HashMap::new(),
        calls: Vec::new(),
        vars: Vec::new(),
        indirect: false,
    };
    let err = |line: u32| move |m: String| ParseError::new(line, m);
    let (params, returns) = formals(f, &mut ctx).map_err(err(f.line))?;
    let pinned = ctx.scopes.regs.len() as u32;
    let mut code = Vec::new();
    let mut fixups: Vec<Fixup> = Vec::new();
    for (line, stmt) in f.body.as_deref().unwrap_or_default() {
        let line = *line;
        match stmt {
            Stmt::Open => ctx.scopes.open(),
            Stmt::Close => ctx.scopes.close(),
            Stmt::Reg(r) => register(r, &mut ctx).map_err(err(line))?,
            Stmt::Var(v) => variable(v, &mut ctx).map_err(err(line))?,
            Stmt::Label(name) => {
                ctx.scopes.label(name, code.len() as u32).map_err(err(line))?;
            }
            Stmt::Targets(name, list) => ctx.scopes.targets(name, list),
            Stmt::Prototype(name, signature) => ctx.scopes.prototype(name, signature),
            Stmt::Inst(raw) => {
                let (guard, guard_negated) = match &raw.guard {
                    None => (NONE, false),
                    Some((name, negated)) => {
                        let o = crate::ptx::ast::Operand::Name(name.clone(), 0);
                        (ctx.src(&o, Type::PRED).map_err(err(line))?, *negated)
                    }
                };
                let op = match instruction(raw, &mut ctx).map_err(err(line))? {
                    Decoded::Op(op) => op,
                    Decoded::Branch(label) => {
                        let (at, scope) = (code.len(), ctx.scopes.current);
                        fixups.push(Fixup { at, scope, label, line });
                        Op::Bra { target: 0, reconv: 0 }
                    }
                    Decoded::Table(index, list) => {
                        let (at, scope) = (code.len(), ctx.scopes.current);
                        fixups.push(Fixup { at, scope, label: list, line });
                        Op::Brx { index, targets: Box::default(), reconv: 0 }
                    }
                };
                code.push(Inst { op, guard, guard_negated, line });
            }
        }
    }
    for fix in fixups {
        let find = |name: &str| {
            ctx.scopes
                .find_label(fix.scope, name)
                .ok_or_else(|| ParseError::new(fix.line, format!("no label `{name}`")))
        };
        match &mut code[fix.at].op {
            Op::Bra { target, .. } => *target = find(&fix.label)?,
            Op::Brx { targets, .. } => {
                let list = ctx.scopes.find_targets(fix.scope, &fix.label).ok_or_else(|| {
                    ParseError::new(fix.line, format!("no .branchtargets `{}`", fix.label))
                })?;
                *targets = list.iter().map(|n| find(n)).collect::<Result<_, _>>()?;
            }
            _ => {}
        }
    }
    flow::set_reconvergence(&mut code);
    let mut vars = ctx.vars;
    vars.sort_unstable();
    vars.dedup();
    let mut func = Func {
        name: f.name.clone(),
        code,
        regs: ctx.scopes.regs.len() as u32,
        frame: align_up(ctx.frame, 128),
        frame_init: ctx.frame_slots.into_iter().map(|(o, s)| (s, o)).collect(),
        special_init: ctx.special_slots.into_iter().map(|(sp, s)| (s, sp)).collect(),
        params,
        returns,
        calls: ctx.calls,
        vars,
        indirect: ctx.indirect,
    };
    compact::compact(&mut func, pinned);
    Ok(func)
}

type Places = Vec<(Place, u32)>;

/// Declares parameters and results. A kernel's parameters lie in its parameter buffer; those of
/// other functions in the frame.
fn formals(f: &Function, ctx: &mut Ctx<'_, '_>) -> Res<(Places, Places)> {
    if f.is_entry {
        for p in kernel_params(&f.signature).0 {
            ctx.scopes.declare(&p.name, Named::KernelParam(p.offset))?;
        }
        return Ok((Vec::new(), Vec::new()));
    }
    let mut side = |list: &[Formal]| {
        list.iter()
            .map(|formal| match formal {
                Formal::Param(v) => {
                    let offset = frame_var(v, ctx)?;
                    Ok((Place::Frame { offset }, v.size))
                }
                Formal::Reg(r) => {
                    let slot = ctx.scopes.new_reg(r.ty);
                    ctx.scopes.declare(&r.name, Named::Reg(slot, r.ty))?;
                    Ok((Place::Slot(slot), r.ty.bytes()))
                }
            })
            .collect::<Res<Places>>()
    };
    Ok((side(&f.signature.params)?, side(&f.signature.returns)?))
}

fn frame_var(v: &Var, ctx: &mut Ctx<'_, '_>) -> Res<u32> {
    let offset = align_up(ctx.frame, v.align.max(4));
    ctx.frame = match offset.checked_add(v.size) {
        Some(end) if end <= 1 << 24 => end,
        _ => return Err("more than 16 MiB of local memory".into()),
    };
    ctx.scopes.declare(&v.name, Named::Frame(offset))?;
    Ok(offset)
}

fn variable(v: &Var, ctx: &mut Ctx<'_, '_>) -> Res<()> {
    match v.space {
        Space::Local | Space::Param => frame_var(v, ctx).map(|_| ()),
        _ if !v.init.is_empty() => Err("an initialised variable inside a function".into()),
        _ => {
            let index = ctx.shared.add_var(v)?;
            ctx.scopes.declare(&v.name, Named::Var(index))
        }
    }
}

fn register(r: &RegDecl, ctx: &mut Ctx<'_, '_>) -> Res<()> {
    match r.count {
        Some(n) => ctx.scopes.declare_range(&r.name, n, r.ty),
        None => {
            let slot = ctx.scopes.new_reg(r.ty);
            ctx.scopes.declare(&r.name, Named::Reg(slot, r.ty))?;
        }
    }
    Ok(())
}

/// One instruction, by its first word.
fn instruction(raw: &RawInst, ctx: &mut Ctx<'_, '_>) -> Res<Decoded> {
    let mut m = Mods::new(&raw.opcode);
    let o = &raw.operands;
    let decoded = match m.name {
        "bra" | "brx" | "ret" | "exit" | "trap" | "brkpt" | "call" | "nanosleep" | "bar"
        | "barrier" | "membar" | "fence" => super::control::decode(&mut m, o, ctx)?,
        _ => Decoded::Op(match m.name {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "min" | "max" | "abs" | "neg"
            | "sqrt" | "rcp" | "copysign" | "testp"
                if super::float::applies(&raw.opcode) =>
            {
                super::float::decode(&mut m, o, ctx)?
            }
            "addc" | "subc" | "madc" => super::carry::decode(&mut m, o, ctx)?,
            "add" | "sub" | "mad" if raw.opcode.split('.').any(|w| w == "cc") => {
                super::carry::decode(&mut m, o, ctx)?
            }
            "add" | "sub" | "mul" | "mad" | "div" | "rem" | "min" | "max" | "abs" | "neg"
            | "mul24" | "mad24" | "sad" | "dp4a" => super::arith::decode(&mut m, o, ctx)?,
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "lop3" | "prmt"
            | "bfe" | "bfi" | "popc" | "clz" | "brev" | "bfind" | "fns" => {
                super::bits::decode(&mut m, o, ctx)?
            }
            "setp" | "set" | "selp" | "slct" => super::compare::decode(&mut m, o, ctx)?,
            "cvt" => super::convert::decode(&mut m, o, ctx)?,
            "mov" | "cvta" | "isspacep" => super::movement::decode(&mut m, o, ctx)?,
            "ld" | "ldu" | "st" | "prefetch" | "prefetchu" => {
                super::memory::decode(&mut m, o, ctx)?
            }
            "atom" | "red" => super::atomic::decode(&mut m, o, ctx)?,
            "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => {
                super::warp::decode(&mut m, o, ctx)?
            }
            name => return Err(format!("unknown instruction `{name}` (`{}`)", raw.opcode)),
        }),
    };
    m.done()?;
    Ok(decoded)
}

/// The operands, which must be this many.
pub(super) fn exactly<const N: usize, T>(o: &[T]) -> Res<&[T; N]> {
    o.try_into().map_err(|_| format!("{} operands where {N} belong", o.len()))
}
