//! From raw statements to the decoded form: names become slots and positions, opcodes become
//! operations.

mod arith;
mod atomic;
mod bits;
mod carry;
mod compact;
mod compare;
mod control;
mod convert;
mod ctx;
mod float;
mod flow;
mod function;
mod memory;
mod mods;
mod movement;
mod scope;
mod warp;

use crate::error::ParseError;
use crate::ir::{Const, Func, KernelParam};
use crate::ptx::ast::{Ast, Formal, Init, Signature, Var};
use crate::ptx::types::Space;
use std::collections::HashMap;

/// A variable of the module, or a `.shared` one of a function.
#[derive(Clone, Debug)]
pub(crate) struct ModVar {
    pub name: String,
    pub space: Space,
    pub align: u32,
    pub size: u32,
    /// Without a bound: lies after the static shared variables.
    pub dynamic: bool,
    pub init: Vec<ModInit>,
}

/// An initial value with its symbol resolved.
#[derive(Clone, Debug)]
pub(crate) enum ModInit {
    Value { bytes: u32, value: u64 },
    Var { bytes: u32, var: u32, addend: i64, shift: u32 },
    Func { bytes: u32, func: u32, shift: u32 },
}

/// A kernel of the decoded module.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub func: u32,
    pub params: Vec<KernelParam>,
    pub param_bytes: u32,
    pub reqntid: Option<[u32; 3]>,
    pub maxntid: Option<[u32; 3]>,
    /// Shared variables that the kernel and what it calls name.
    pub shared: Vec<u32>,
}

/// A decoded module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoded {
    pub funcs: Vec<Func>,
    pub entries: Vec<Entry>,
    pub vars: Vec<ModVar>,
    pub consts: Vec<Const>,
}

/// What the functions share while they are decoded.
pub(crate) struct Shared<'a> {
    pub vars: Vec<ModVar>,
    pub var_names: HashMap<String, u32>,
    pub funcs: HashMap<&'a str, u32>,
    pub signatures: Vec<&'a Signature>,
    /// Functions with a body.
    pub defined: Vec<bool>,
    pub consts: Vec<Const>,
    pub const_index: HashMap<Const, u32>,
}

impl Shared<'_> {
    pub(crate) fn add_var(&mut self, v: &Var) -> Result<u32, String> {
        let dynamic = v.space == Space::Shared && v.size == 0;
        if v.is_extern && !dynamic {
            return Err(format!("`{}` is extern: linking is not supported", v.name));
        }
        let index = self.vars.len() as u32;
        self.vars.push(ModVar {
            name: v.name.clone(),
            space: v.space,
            align: v.align,
            size: v.size,
            dynamic,
            init: Vec::new(),
        });
        Ok(index)
    }
}

/// Bytes of parameters that a kernel may have, by the manual.
const MOST_PARAMS: u32 = 32764;

/// Decodes a module.
pub(crate) fn decode(ast: &Ast) -> Result<Decoded, ParseError> {
    let mut shared = Shared {
        vars: Vec::new(),
        var_names: HashMap::new(),
        funcs: HashMap::new(),
        signatures: Vec::new(),
        defined: Vec::new(),
        consts: Vec::new(),
        const_index: HashMap::new(),
    };
    for (line, v) in &ast.vars {
        let index = shared.add_var(v).map_err(|m| ParseError::new(*line, m))?;
        if shared.var_names.insert(v.name.clone(), index).is_some() {
            return Err(ParseError::new(*line, format!("`{}` is declared twice", v.name)));
        }
    }
    // A declaration and its definition are one function; the definition wins.
    let mut chosen: Vec<usize> = Vec::new();
    for (i, f) in ast.functions.iter().enumerate() {
        match shared.funcs.get(f.name.as_str()) {
            None => {
                shared.funcs.insert(&f.name, chosen.len() as u32);
                chosen.push(i);
            }
            Some(&at) if f.body.is_some() => {
                if ast.functions[chosen[at as usize]].body.is_some() {
                    let message = format!("`{}` is defined twice", f.name);
                    return Err(ParseError::new(f.line, message));
                }
                chosen[at as usize] = i;
            }
            Some(_) => {}
        }
    }
    for &i in &chosen {
        shared.signatures.push(&ast.functions[i].signature);
        shared.defined.push(ast.functions[i].body.is_some());
    }
    for (index, (line, v)) in ast.vars.iter().enumerate() {
        let init = resolve(&v.init, &shared).map_err(|m| ParseError::new(*line, m))?;
        shared.vars[index].init = init;
    }
    let mut out = Decoded::default();
    for &i in &chosen {
        out.funcs.push(function::decode(&ast.functions[i], &mut shared)?);
    }
    for (index, &i) in chosen.iter().enumerate() {
        let f = &ast.functions[i];
        if f.is_entry && f.body.is_some() {
            let (params, param_bytes) = kernel_params(&f.signature);
            if param_bytes > MOST_PARAMS {
                let message = format!("more than {MOST_PARAMS} bytes of parameters");
                return Err(ParseError::new(f.line, message));
            }
            let shared = shared_vars(index as u32, &out.funcs, &shared.vars);
            out.entries.push(Entry {
                func: index as u32,
                params,
                param_bytes,
                reqntid: f.reqntid,
                maxntid: f.maxntid,
                shared,
            });
        }
    }
    out.vars = shared.vars;
    out.consts = shared.consts;
    Ok(out)
}

fn resolve(init: &[Init], shared: &Shared<'_>) -> Result<Vec<ModInit>, String> {
    let one = |i: &Init| {
        Ok(match i {
            Init::Value { bytes, value } => ModInit::Value { bytes: *bytes, value: *value },
            Init::Symbol { bytes, name, addend, shift } => {
                let (bytes, shift) = (*bytes, *shift);
                if let Some(&var) = shared.var_names.get(name) {
                    ModInit::Var { bytes, var, addend: *addend, shift }
                } else if let Some(&func) = shared.funcs.get(name.as_str()) {
                    ModInit::Func { bytes, func, shift }
                } else {
                    return Err(format!("`{name}` is not declared"));
                }
            }
        })
    };
    init.iter().map(one).collect()
}

fn align_up(n: u32, align: u32) -> u32 {
    n.checked_next_multiple_of(align.max(1)).unwrap_or(u32::MAX)
}

/// Layout of the parameter buffer: in order, each at its alignment.
pub(crate) fn kernel_params(signature: &Signature) -> (Vec<KernelParam>, u32) {
    let mut at = 0u32;
    let mut list = Vec::new();
    for formal in &signature.params {
        let (name, ty, size, align) = match formal {
            Formal::Param(v) => (&v.name, v.ty, v.size, v.align),
            Formal::Reg(r) => (&r.name, r.ty, r.ty.bytes(), r.ty.bytes()),
        };
        at = align_up(at, align);
        list.push(KernelParam { name: name.clone(), ty, offset: at, size, align });
        at = at.saturating_add(size);
    }
    (list, at)
}

/// The shared variables that a function reaches. An indirect call may reach every function.
fn shared_vars(entry: u32, funcs: &[Func], vars: &[ModVar]) -> Vec<u32> {
    let mut seen = vec![false; funcs.len()];
    let mut work = vec![entry];
    let mut named = vec![false; vars.len()];
    while let Some(f) = work.pop() {
        if std::mem::replace(&mut seen[f as usize], true) {
            continue;
        }
        let f = &funcs[f as usize];
        f.vars.iter().for_each(|&v| named[v as usize] = true);
        work.extend(&f.calls);
        if f.indirect {
            work.extend(0..funcs.len() as u32);
        }
    }
    (0..vars.len() as u32)
        .filter(|&v| named[v as usize] && vars[v as usize].space == Space::Shared)
        .collect()
}
