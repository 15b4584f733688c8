//! The module level: directives, variables, functions. Holds the token cursor that the other
//! parts of the parser share.

use super::ast::{Ast, Function, SourceLine};
use super::lex::{Tok, Token, lex};
use super::types::Space;
use crate::error::ParseError;
use std::collections::HashMap;

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// A cursor over the tokens.
pub(super) struct Parser {
    tokens: Vec<Token>,
    pos: usize,
    /// Brackets around what is parsed by recursion.
    depth: u32,
    /// `.file` names by number.
    files: HashMap<u64, String>,
    sources: Vec<SourceLine>,
}

/// Parses a module.
pub(crate) fn parse(text: &str) -> Result<Ast> {
    let mut p =
        Parser { tokens: lex(text)?, pos: 0, depth: 0, files: HashMap::new(), sources: Vec::new() };
    let mut ast = Ast::default();
    while p.peek().is_some() {
        p.item(&mut ast)?;
    }
    if ast.version.is_empty() {
        return Err(ParseError::new(1, "no .version directive: this is not PTX"));
    }
    ast.files = p.files;
    ast.sources = p.sources;
    Ok(ast)
}

impl Parser {
    pub(super) fn peek(&self) -> Option<&Tok> {
        self.tokens.get(self.pos).map(|t| &t.1)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&Tok> {
        self.tokens.get(self.pos + ahead).map(|t| &t.1)
    }

    /// The line of the next token, or of the last one at the end.
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.pos).or(self.tokens.last()).map_or(1, |t| t.0)
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError::new(self.line(), message))
    }

    pub(super) fn next(&mut self) -> Result<Tok> {
        let Some(t) = self.tokens.get(self.pos) else {
            return self.fail("the text ends in the middle of a statement");
        };
        self.pos += 1;
        Ok(t.1.clone())
    }

    pub(super) fn is(&self, c: char) -> bool {
        self.peek() == Some(&Tok::Punct(c))
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let hit = self.is(c);
        self.pos += usize::from(hit);
        hit
    }

    pub(super) fn expect(&mut self, c: char) -> Result<()> {
        if self.eat(c) {
            return Ok(());
        }
        self.fail(format!("expected `{c}`, found {}", self.describe()))
    }

    pub(super) fn describe(&self) -> String {
        match self.peek() {
            None => "the end of the text".into(),
            Some(Tok::Word(w)) => format!("`{w}`"),
            Some(Tok::Int(n)) => format!("`{n}`"),
            Some(Tok::F32(_) | Tok::F64(_)) => "a floating-point number".into(),
            Some(Tok::Str(s)) => format!("\"{s}\""),
            Some(Tok::Punct(c)) => format!("`{c}`"),
        }
    }

    /// Parses something that may contain its like, within reason.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth > 32 {
            return self.fail("brackets are nested too deeply");
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    pub(super) fn peek_word(&self) -> Option<&str> {
        match self.peek() {
            Some(Tok::Word(w)) => Some(w),
            _ => None,
        }
    }

    /// Consumes a word if it is this one.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let hit = self.peek_word() == Some(word);
        self.pos += usize::from(hit);
        hit
    }

    pub(super) fn name(&mut self) -> Result<String> {
        match self.peek() {
            Some(Tok::Word(w)) if !w.starts_with('.') => {
                let w = w.clone();
                self.pos += 1;
                Ok(w)
            }
            _ => self.fail(format!("expected a name, found {}", self.describe())),
        }
    }

    pub(super) fn int(&mut self) -> Result<u64> {
        match self.peek() {
            Some(&Tok::Int(n)) => {
                self.pos += 1;
                Ok(n)
            }
            _ => self.fail(format!("expected an integer, found {}", self.describe())),
        }
    }

    pub(super) fn int32(&mut self) -> Result<u32> {
        let line = self.line();
        let n = self.int()?;
        u32::try_from(n).map_err(|_| ParseError::new(line, format!("{n} is too large")))
    }

    /// `.loc` and `.file` end with their line, not with a semicolon. They say where in the source
    /// the instructions come from, for reports.
    fn source_line(&mut self) {
        let line = self.line();
        let rest = &self.tokens[self.pos..];
        let end = rest.iter().position(|t| t.0 != line).unwrap_or(rest.len());
        match &rest[..end] {
            [(_, Tok::Word(w)), (_, Tok::Int(number)), (_, Tok::Str(name)), ..] if w == ".file" => {
                self.files.insert(*number, name.clone());
            }
            [(_, Tok::Word(w)), (_, Tok::Int(file)), (_, Tok::Int(at)), ..] if w == ".loc" => {
                self.sources.push(SourceLine { ptx: line, file: *file, line: *at });
            }
            _ => {}
        }
        self.pos += end;
    }

    fn skip_to_semicolon(&mut self) -> Result<()> {
        while !self.eat(';') {
            self.next()?;
        }
        Ok(())
    }

    /// A statement that says nothing about execution; true if there was one.
    pub(super) fn skip_inert(&mut self) -> Result<bool> {
        match self.peek_word() {
            Some(".loc" | ".file") => self.source_line(),
            Some(".pragma") => self.skip_to_semicolon()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn skip_braces(&mut self) -> Result<()> {
        while !self.eat('{') {
            self.next()?;
        }
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Tok::Punct('{') => depth += 1,
                Tok::Punct('}') => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn item(&mut self, ast: &mut Ast) -> Result<()> {
        if self.skip_inert()? || self.eat(';') {
            return Ok(());
        }
        let line = self.line();
        match self.peek_word() {
            Some(".version") => {
                self.next()?;
                ast.version = match self.next()? {
                    Tok::F64(bits) => format!("{:.1}", f64::from_bits(bits)),
                    _ => return Err(ParseError::new(line, "expected a version, such as 8.7")),
                };
            }
            Some(".target") => {
                self.next()?;
                ast.target = self.name()?;
                while self.eat(',') {
                    self.name()?;
                }
            }
            Some(".address_size") => {
                self.next()?;
                if self.int()? != 64 {
                    return Err(ParseError::new(line, "only 64-bit addresses are supported"));
                }
            }
            // Debug information in DWARF.
            Some(".section") => self.skip_braces()?,
            Some(w) if w.starts_with('.') => self.declaration(ast)?,
            _ => return self.fail(format!("expected a directive, found {}", self.describe())),
        }
        Ok(())
    }

    fn declaration(&mut self, ast: &mut Ast) -> Result<()> {
        let line = self.line();
        let mut is_extern = false;
        loop {
            match self.peek_word() {
                Some(".extern") => is_extern = true,
                Some(".visible" | ".weak" | ".common") => {}
                _ => break,
            }
            self.next()?;
        }
        match self.peek_word() {
            Some(w @ (".func" | ".entry")) => {
                let is_entry = w == ".entry";
                self.next()?;
                let function = self.function(is_entry, line)?;
                ast.functions.push(function);
            }
            Some(w) => {
                let space = match w.strip_prefix('.').and_then(Space::parse) {
                    Some(s @ (Space::Global | Space::Const | Space::Shared)) => s,
                    _ => return self.fail(format!("unknown directive {}", self.describe())),
                };
                self.next()?;
                for var in self.vars(space, is_extern)? {
                    ast.vars.push((line, var));
                }
            }
            None => return self.fail(format!("expected a directive, found {}", self.describe())),
        }
        Ok(())
    }

    fn function(&mut self, is_entry: bool, line: u32) -> Result<Function> {
        self.attribute()?;
        let (name, signature) = self.signature(is_entry)?;
        let mut f =
            Function { name, is_entry, signature, body: None, reqntid: None, maxntid: None, line };
        loop {
            if self.skip_inert()? {
                continue;
            }
            match self.peek_word() {
                Some(".reqntid") => f.reqntid = Some(self.dims()?),
                Some(".maxntid") => f.maxntid = Some(self.dims()?),
                Some(".minnctapersm" | ".maxnctapersm" | ".maxnreg") => {
                    self.next()?;
                    self.int()?;
                }
                Some(".noreturn") => {
                    self.next()?;
                }
                Some(_) => return self.fail(format!("unknown directive {}", self.describe())),
                None => break,
            }
        }
        if !self.eat(';') {
            // What another function's last instruction came from says nothing of this one.
            self.sources.push(SourceLine { ptx: line, file: 0, line: 0 });
            self.expect('{')?;
            f.body = Some(self.body()?);
        }
        Ok(f)
    }

    /// `.attribute(…)`: hints for linking.
    pub(super) fn attribute(&mut self) -> Result<()> {
        if self.eat_word(".attribute") {
            self.expect('(')?;
            while !self.eat(')') {
                self.next()?;
            }
        }
        Ok(())
    }

    fn dims(&mut self) -> Result<[u32; 3]> {
        self.next()?;
        let mut d = [self.int32()?, 1, 1];
        for slot in &mut d[1..] {
            if self.eat(',') {
                *slot = self.int32()?;
            }
        }
        Ok(d)
    }
}
