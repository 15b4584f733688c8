//! Operands to slots, while a function is decoded.

use super::Shared;
use super::mods::Res;
use super::scope::{Named, Scopes};
use crate::ir::{Addr, CODE_STEP, CODE_WINDOW, CONST, Const, LOCAL_WINDOW, NONE, SHARED_WINDOW};
use crate::ir::{PARAM_WINDOW, Slot, Special};
use crate::ptx::ast::Operand;
use crate::ptx::types::{Kind, Space, Type};
use std::collections::HashMap;

/// The state of one function.
pub(crate) struct Ctx<'s, 'a> {
    pub shared: &'s mut Shared<'a>,
    pub scopes: Scopes,
    pub is_entry: bool,
    /// Bytes of local memory so far.
    pub frame: u32,
    pub frame_slots: HashMap<i64, Slot>,
    pub special_slots: HashMap<Special, Slot>,
    pub calls: Vec<u32>,
    pub vars: Vec<u32>,
    pub indirect: bool,
}

impl Ctx<'_, '_> {
    pub(crate) fn constant(&mut self, c: Const) -> Slot {
        let next = self.shared.consts.len() as u32;
        let index = *self.shared.const_index.entry(c).or_insert(next);
        if index == next {
            self.shared.consts.push(c);
        }
        index | CONST
    }

    pub(crate) fn value(&mut self, v: u64) -> Slot {
        self.constant(Const::Value(v))
    }

    pub(crate) fn named(&mut self, name: &str) -> Res<Named> {
        if let Some(n) = self.scopes.find(name) {
            return Ok(n);
        }
        if let Some(&v) = self.shared.var_names.get(name) {
            return Ok(Named::Var(v));
        }
        if let Some(&f) = self.shared.funcs.get(name) {
            return Ok(Named::Func(f));
        }
        Err(format!("`{name}` is not declared"))
    }

    /// A register that holds an address in the frame.
    fn frame_slot(&mut self, offset: i64) -> Slot {
        if let Some(&s) = self.frame_slots.get(&offset) {
            return s;
        }
        let s = self.scopes.new_reg(Type::U64);
        self.frame_slots.insert(offset, s);
        s
    }

    /// A register that holds a special register.
    fn special_slot(&mut self, special: Special) -> Slot {
        if let Some(&s) = self.special_slots.get(&special) {
            return s;
        }
        let s = self.scopes.new_reg(Type::U64);
        self.special_slots.insert(special, s);
        s
    }

    /// The address of a variable in its own state space.
    pub(crate) fn address_of(&mut self, named: Named, addend: i64) -> Res<(Slot, Space)> {
        Ok(match named {
            Named::Frame(offset) => {
                (self.frame_slot(i64::from(offset).wrapping_add(addend)), Space::Local)
            }
            Named::KernelParam(offset) => {
                let at = i64::from(offset).wrapping_add(addend);
                (self.value(at as u64), Space::Param)
            }
            Named::Var(v) => {
                self.vars.push(v);
                let space = self.shared.vars[v as usize].space;
                (self.constant(Const::Var(v, addend)), space)
            }
            Named::Func(f) => {
                if !self.shared.defined[f as usize] {
                    return Err("the function has no body in this module".into());
                }
                // Its address is taken: whoever calls through a pointer may reach it.
                self.calls.push(f);
                (self.value(CODE_WINDOW + u64::from(f) * CODE_STEP), Space::Generic)
            }
            Named::Reg(..) => return Err("expected a variable, found a register".into()),
        })
    }

    /// A source of any width: the slot and, for registers, their type.
    pub(crate) fn src_any(&mut self, o: &Operand, ty: Type) -> Res<(Slot, Option<Type>)> {
        match o {
            Operand::Name(name, addend) => {
                if name.starts_with('%')
                    && *addend == 0
                    && let Some(special) = special(name)
                {
                    return Ok((self.special_slot(special), None));
                }
                if name == "WARP_SZ" {
                    return Ok((self.value(32), None));
                }
                match self.named(name)? {
                    Named::Reg(slot, rt) if *addend == 0 => Ok((slot, Some(rt))),
                    Named::Reg(..) => Err(format!("`{name}` is a register: no sum is allowed")),
                    other => Ok((self.address_of(other, *addend)?.0, None)),
                }
            }
            &Operand::Int(v) => {
                let v = match (ty.kind, ty.bits) {
                    (Kind::Float, 32) => u64::from((v as i64 as f32).to_bits()),
                    (Kind::Float, _) => (v as i64 as f64).to_bits(),
                    (Kind::Predicate, _) => u64::from(v != 0),
                    _ => v & ty.mask(),
                };
                Ok((self.value(v), None))
            }
            &Operand::F32(bits) => match (ty.kind, ty.bits) {
                (_, 32) => Ok((self.value(u64::from(bits)), None)),
                (Kind::Float, _) => {
                    Ok((self.value(f64::from(f32::from_bits(bits)).to_bits()), None))
                }
                _ => Err("a floating-point constant does not fit here".into()),
            },
            &Operand::F64(bits) => match (ty.kind, ty.bits) {
                (_, 64) => Ok((self.value(bits), None)),
                (Kind::Float, _) => {
                    Ok((self.value(u64::from((f64::from_bits(bits) as f32).to_bits())), None))
                }
                _ => Err("a floating-point constant does not fit here".into()),
            },
            _ => Err("this kind of operand does not fit here".into()),
        }
    }

    /// A source as wide as the type.
    pub(crate) fn src(&mut self, o: &Operand, ty: Type) -> Res<Slot> {
        let (slot, reg) = self.src_any(o, ty)?;
        if let Some(rt) = reg
            && rt.bits != ty.bits
        {
            return Err(format!("operand of type {rt} where {ty} is needed"));
        }
        Ok(slot)
    }

    /// A source predicate, perhaps negated.
    pub(crate) fn pred(&mut self, o: &Operand) -> Res<(Slot, bool)> {
        match o {
            Operand::Not(name) => {
                Ok((self.src(&Operand::Name(name.clone(), 0), Type::PRED)?, true))
            }
            _ => Ok((self.src(o, Type::PRED)?, false)),
        }
    }

    /// A destination register of any width.
    pub(crate) fn dst_any(&mut self, o: &Operand) -> Res<(Slot, Type)> {
        match o {
            Operand::Sink => Ok((self.scopes.new_reg(Type::U64), Type::U64)),
            Operand::Name(name, 0) => match self.named(name)? {
                Named::Reg(slot, ty) => Ok((slot, ty)),
                _ => Err(format!("`{name}` is not a register")),
            },
            _ => Err("the destination must be a register".into()),
        }
    }

    /// A destination as wide as the type.
    pub(crate) fn dst(&mut self, o: &Operand, ty: Type) -> Res<Slot> {
        let (slot, rt) = self.dst_any(o)?;
        if rt.bits != ty.bits && !matches!(o, Operand::Sink) {
            return Err(format!("destination of type {rt} where {ty} is written"));
        }
        Ok(slot)
    }

    /// `d|p`, or `d` alone.
    pub(crate) fn dst_pair(&mut self, o: &Operand, ty: Type) -> Res<(Slot, Slot)> {
        match o {
            Operand::Pair(d, p) => Ok((self.dst(d, ty)?, self.dst(p, Type::PRED)?)),
            _ => Ok((self.dst(o, ty)?, NONE)),
        }
    }

    /// An address operand. `space` is what the instruction says.
    pub(crate) fn addr(&mut self, o: &Operand, space: Space) -> Res<Addr> {
        let Operand::Address(base, offset) = o else {
            return Err("expected an address in brackets".into());
        };
        let local_params = space == Space::Param && !self.is_entry;
        match &**base {
            Operand::Name(name, _) => match self.named(name)? {
                Named::Reg(slot, ty) => {
                    if ty.bits < 32 {
                        return Err(format!("`{name}` is too narrow for an address"));
                    }
                    let space = if local_params { Space::Local } else { space };
                    Ok(Addr { space, base: slot, offset: *offset, narrow: ty.bits == 32 })
                }
                Named::Func(_) => Err(format!("`{name}` is code")),
                var => {
                    let (base, own) = self.address_of(var, *offset)?;
                    let fits = space == Space::Generic
                        || space == own
                        || (space == Space::Param && own == Space::Local);
                    if !fits {
                        return Err(format!("`{name}` lies in .{own}, not in .{space}"));
                    }
                    Ok(Addr { space: own, base, offset: 0, narrow: false })
                }
            },
            Operand::Int(n) => {
                let base = self.value(*n);
                let space = if local_params { Space::Local } else { space };
                Ok(Addr { space, base, offset: *offset, narrow: false })
            }
            _ => Err("this address is not understood".into()),
        }
    }
}

/// The start of a space in generic addresses.
pub(crate) fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Generic | Space::Global | Space::Const => 0,
    }
}

/// Special registers that keep their value while a thread runs.
fn special(name: &str) -> Option<Special> {
    let axis = |v: fn(u8) -> Special| {
        Some(match name.rsplit_once('.')?.1 {
            "x" => v(0),
            "y" => v(1),
            "z" => v(2),
            _ => return None,
        })
    };
    match name.split('.').next()? {
        "%tid" => axis(Special::Tid),
        "%ntid" => axis(Special::Ntid),
        "%ctaid" => axis(Special::Ctaid),
        "%nctaid" => axis(Special::Nctaid),
        _ => Some(match name {
            "%laneid" => Special::Laneid,
            "%warpid" => Special::Warpid,
            "%nwarpid" => Special::Nwarpid,
            "%smid" => Special::Smid,
            "%nsmid" => Special::Nsmid,
            "%gridid" => Special::Gridid,
            "%lanemask_eq" => Special::LanemaskEq,
            "%lanemask_le" => Special::LanemaskLe,
            "%lanemask_lt" => Special::LanemaskLt,
            "%lanemask_ge" => Special::LanemaskGe,
            "%lanemask_gt" => Special::LanemaskGt,
            "%dynamic_smem_size" => Special::DynamicSmem,
            "%total_smem_size" => Special::TotalSmem,
            _ => return None,
        }),
    }
}
