//! Variable declarations and their initialisers.

use super::ast::{Init, Var};
use super::lex::Tok;
use super::parse::{Parser, Result};
use super::types::{Kind, Space, Type};

impl Parser {
    /// The declarators after the state space, up to and with the semicolon.
    pub(super) fn vars(&mut self, space: Space, is_extern: bool) -> Result<Vec<Var>> {
        let mut align = 0;
        let mut lanes = 1;
        let ty = loop {
            self.attribute()?;
            match self.peek_word() {
                Some(".align") => {
                    self.next()?;
                    align = self.int32()?;
                }
                Some(".v2") => {
                    self.next()?;
                    lanes = 2;
                }
                Some(".v4") => {
                    self.next()?;
                    lanes = 4;
                }
                _ => break self.type_word()?,
            }
        };
        if ty.kind == Kind::Predicate {
            return self.fail("a predicate has no place in memory");
        }
        if align == 0 {
            align = ty.bytes() * lanes;
        }
        self.check_align(align)?;
        let mut list = Vec::new();
        loop {
            let name = self.name()?;
            let bound = self.dimensions(ty)?;
            let init = if self.eat('=') { self.initialiser(ty)? } else { Vec::new() };
            if !init.is_empty() && !matches!(space, Space::Global | Space::Const) {
                return self.fail("only .global and .const variables have initialisers");
            }
            let filled: u32 = init.iter().map(Init::bytes).sum();
            let size = match bound {
                Some(n) => match n.checked_mul(lanes) {
                    Some(n) => n,
                    None => return self.fail("the array is larger than 4 GiB"),
                },
                None => filled,
            };
            if filled > size {
                return self.fail(format!("`{name}` has more initial values than room"));
            }
            if bound.is_none() && init.is_empty() && !is_extern {
                return self.fail(format!("`{name}` has neither a size nor initial values"));
            }
            list.push(Var { name, space, ty, align, size, is_extern, init });
            if !self.eat(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(list)
    }

    fn initialiser(&mut self, ty: Type) -> Result<Vec<Init>> {
        let mut out = Vec::new();
        self.initial(ty, &mut out)?;
        Ok(out)
    }

    fn initial(&mut self, ty: Type, out: &mut Vec<Init>) -> Result<()> {
        if self.eat('{') {
            if self.eat('}') {
                return Ok(());
            }
            loop {
                self.nested(|p| p.initial(ty, out))?;
                if !self.eat(',') {
                    break;
                }
            }
            return self.expect('}');
        }
        let bytes = ty.bytes();
        let negative = self.eat('-');
        let init = match self.next()? {
            Tok::Int(mask) if self.is('(') => {
                // `0xFF00(sym)`: one byte of an address, the mask says which.
                self.expect('(')?;
                let (name, addend) = self.symbol()?;
                self.expect(')')?;
                let shift = mask.trailing_zeros() & !7;
                Init::Symbol { bytes, name, addend, shift }
            }
            Tok::Int(v) if !ty.is_float() => {
                Init::Value { bytes, value: if negative { v.wrapping_neg() } else { v } }
            }
            Tok::Int(v) => self.float(ty, v as f64, negative),
            Tok::F32(bits) if ty.bits == 32 => {
                Init::Value { bytes, value: u64::from(bits ^ (u32::from(negative) << 31)) }
            }
            Tok::F64(bits) if ty.is_float() => self.float(ty, f64::from_bits(bits), negative),
            Tok::Word(name) => {
                if name == "generic" && self.eat('(') {
                    let (name, addend) = self.symbol()?;
                    self.expect(')')?;
                    let more = self.addend()?;
                    Init::Symbol { bytes, name, addend: addend.wrapping_add(more), shift: 0 }
                } else {
                    let addend = self.addend()?;
                    Init::Symbol { bytes, name, addend, shift: 0 }
                }
            }
            _ => return self.fail("this initial value is not understood"),
        };
        out.push(init);
        Ok(())
    }

    fn float(&self, ty: Type, v: f64, negative: bool) -> Init {
        let v = if negative { -v } else { v };
        let value = if ty.bits == 32 { u64::from((v as f32).to_bits()) } else { v.to_bits() };
        Init::Value { bytes: ty.bytes(), value }
    }

    fn symbol(&mut self) -> Result<(String, i64)> {
        if self.eat_word("generic") {
            self.expect('(')?;
            let inner = self.nested(Self::symbol)?;
            self.expect(')')?;
            let more = self.addend()?;
            return Ok((inner.0, inner.1.wrapping_add(more)));
        }
        Ok((self.name()?, self.addend()?))
    }

    /// `+4`, `-4`, `+-4` or nothing.
    pub(super) fn addend(&mut self) -> Result<i64> {
        let mut sum = 0i64;
        loop {
            let minus = if self.eat('+') {
                self.eat('-')
            } else if self.eat('-') {
                true
            } else {
                return Ok(sum);
            };
            let n = self.int()? as i64;
            sum = if minus { sum.wrapping_sub(n) } else { sum.wrapping_add(n) };
        }
    }
}

impl Init {
    pub(crate) fn bytes(&self) -> u32 {
        match *self {
            Init::Value { bytes, .. } | Init::Symbol { bytes, .. } => bytes,
        }
    }
}
