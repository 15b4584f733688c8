//! Results, name and parameters of a function or call prototype.

use super::ast::{Formal, RegDecl, Signature, Var};
use super::lex::Tok;
use super::parse::{Parser, Result};
use super::types::{Space, Type};
use crate::error::ParseError;

impl Parser {
    /// `(results) name (parameters)`; entries have no results.
    pub(super) fn signature(&mut self, is_entry: bool) -> Result<(String, Signature)> {
        let returns = if !is_entry && self.is('(') { self.formals()? } else { Vec::new() };
        let name = self.name()?;
        let params = if self.is('(') { self.formals()? } else { Vec::new() };
        Ok((name, Signature { returns, params }))
    }

    fn formals(&mut self) -> Result<Vec<Formal>> {
        self.expect('(')?;
        let mut list = Vec::new();
        if self.eat(')') {
            return Ok(list);
        }
        loop {
            list.push(self.formal()?);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(list)
    }

    fn formal(&mut self) -> Result<Formal> {
        if self.eat_word(".reg") {
            let ty = self.type_word()?;
            return Ok(Formal::Reg(RegDecl { name: self.name()?, count: None, ty }));
        }
        if !self.eat_word(".param") {
            return self.fail(format!("expected .param or .reg, found {}", self.describe()));
        }
        let mut align = 0;
        let mut ty: Option<Type> = None;
        loop {
            match self.peek_word() {
                Some(".align") => {
                    self.next()?;
                    let n = self.int32()?;
                    // After `.ptr` it is the alignment of what the pointer points to.
                    if ty.is_none() {
                        align = n;
                    }
                }
                Some(".ptr" | ".global" | ".shared" | ".local" | ".const" | ".noalias") => {
                    self.next()?;
                }
                Some(w) if w.starts_with('.') && ty.is_none() => ty = Some(self.type_word()?),
                _ => break,
            }
        }
        let Some(ty) = ty else {
            return self.fail("the parameter has no type");
        };
        let name = self.name()?;
        let size = self.dimensions(ty)?.unwrap_or(0);
        let align = if align == 0 { ty.bytes() } else { align };
        self.check_align(align)?;
        Ok(Formal::Param(Var {
            name,
            space: Space::Param,
            ty,
            align,
            size,
            is_extern: false,
            init: Vec::new(),
        }))
    }

    pub(super) fn check_align(&self, align: u32) -> Result<()> {
        if align.is_power_of_two() && align <= 1 << 16 {
            return Ok(());
        }
        self.fail(format!("alignment {align} is not a power of two up to 65536"))
    }

    /// A type with its dot.
    pub(super) fn type_word(&mut self) -> Result<Type> {
        let line = self.line();
        match self.next()? {
            Tok::Word(w) => w
                .strip_prefix('.')
                .and_then(Type::parse)
                .ok_or_else(|| ParseError::new(line, format!("unknown type `{w}`"))),
            _ => Err(ParseError::new(line, "expected a type")),
        }
    }

    /// `[n][m]…`: the size in bytes with the brackets that follow; None for `[]`.
    pub(super) fn dimensions(&mut self, ty: Type) -> Result<Option<u32>> {
        let mut size = u64::from(ty.bytes());
        let mut open = false;
        while self.eat('[') {
            if self.eat(']') {
                open = true;
                continue;
            }
            let n = self.int()?;
            size = match size.checked_mul(n) {
                Some(s) if s <= u64::from(u32::MAX) => s,
                _ => return self.fail("the array is larger than 4 GiB"),
            };
            self.expect(']')?;
        }
        Ok((!open).then_some(size as u32))
    }
}
