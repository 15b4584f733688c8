//! Statements and operands.

use super::ast::{Operand, RawInst, RegDecl, Stmt};
use super::lex::Tok;
use super::parse::{Parser, Result};
use super::types::Space;

impl Parser {
    /// The statements after the opening brace, with the closing one consumed.
    pub(super) fn body(&mut self) -> Result<Vec<(u32, Stmt)>> {
        let mut out = Vec::new();
        let mut depth = 0;
        loop {
            if self.skip_inert()? || self.eat(';') {
                continue;
            }
            let line = self.line();
            if self.eat('{') {
                depth += 1;
                out.push((line, Stmt::Open));
            } else if self.eat('}') {
                if depth == 0 {
                    return Ok(out);
                }
                depth -= 1;
                out.push((line, Stmt::Close));
            } else {
                self.statement(line, &mut out)?;
            }
        }
    }

    fn statement(&mut self, line: u32, out: &mut Vec<(u32, Stmt)>) -> Result<()> {
        if self.is('@') {
            out.push((line, Stmt::Inst(self.instruction()?)));
            return Ok(());
        }
        let Some(word) = self.peek_word() else {
            return self.fail(format!("expected a statement, found {}", self.describe()));
        };
        if word == ".reg" {
            self.next()?;
            return self.registers(line, out);
        }
        if let Some(directive) = word.strip_prefix('.') {
            let is_extern = directive == "extern";
            let space = match Space::parse(directive) {
                Some(s) => s,
                None if is_extern => {
                    self.next()?;
                    match self.peek_word().and_then(|w| Space::parse(w.strip_prefix('.')?)) {
                        Some(s) => s,
                        None => return self.fail("expected a state space after .extern"),
                    }
                }
                None => return self.fail(format!("unknown directive {}", self.describe())),
            };
            self.next()?;
            out.extend(self.vars(space, is_extern)?.into_iter().map(|v| (line, Stmt::Var(v))));
            return Ok(());
        }
        if self.peek_at(1) == Some(&Tok::Punct(':')) {
            let label = self.name()?;
            self.expect(':')?;
            out.push((line, self.labelled(label)?));
            return Ok(());
        }
        out.push((line, Stmt::Inst(self.instruction()?)));
        Ok(())
    }

    fn labelled(&mut self, label: String) -> Result<Stmt> {
        if self.eat_word(".branchtargets") {
            let mut targets = vec![self.name()?];
            while self.eat(',') {
                targets.push(self.name()?);
            }
            self.expect(';')?;
            return Ok(Stmt::Targets(label, targets));
        }
        if self.eat_word(".callprototype") {
            let (_, signature) = self.signature(false)?;
            while self.eat_word(".noreturn") {}
            self.expect(';')?;
            return Ok(Stmt::Prototype(label, signature));
        }
        Ok(Stmt::Label(label))
    }

    fn registers(&mut self, line: u32, out: &mut Vec<(u32, Stmt)>) -> Result<()> {
        let ty = self.type_word()?;
        loop {
            let name = self.name()?;
            let count = if self.eat('<') {
                let n = self.int32()?;
                self.expect('>')?;
                Some(n)
            } else {
                None
            };
            out.push((line, Stmt::Reg(RegDecl { name, count, ty })));
            if !self.eat(',') {
                break;
            }
        }
        self.expect(';')
    }

    fn instruction(&mut self) -> Result<RawInst> {
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            Some((self.name()?, negated))
        } else {
            None
        };
        let opcode = self.name()?;
        let mut operands = Vec::new();
        if !self.eat(';') {
            loop {
                operands.push(self.operand()?);
                if !self.eat(',') {
                    break;
                }
            }
            self.expect(';')?;
        }
        Ok(RawInst { guard, opcode, operands })
    }

    fn operand(&mut self) -> Result<Operand> {
        let first = self.simple_operand()?;
        if self.eat('|') {
            let second = self.simple_operand()?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn list(&mut self, close: char) -> Result<Vec<Operand>> {
        let mut list = Vec::new();
        if self.eat(close) {
            return Ok(list);
        }
        loop {
            list.push(self.nested(Self::simple_operand)?);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(close)?;
        Ok(list)
    }

    fn simple_operand(&mut self) -> Result<Operand> {
        if self.eat('[') {
            // The base is one token: its addend belongs to the address.
            let base = match self.next()? {
                Tok::Word(w) => Operand::Name(w, 0),
                Tok::Int(n) => Operand::Int(n),
                _ => return self.fail("expected a register, variable or number in the address"),
            };
            let offset = self.addend()?;
            self.expect(']')?;
            return Ok(Operand::Address(Box::new(base), offset));
        }
        if self.eat('{') {
            return Ok(Operand::Vector(self.list('}')?));
        }
        if self.eat('(') {
            return Ok(Operand::List(self.list(')')?));
        }
        if self.eat('!') {
            return Ok(Operand::Not(self.name()?));
        }
        let negative = self.eat('-');
        let sign32 = u32::from(negative) << 31;
        let sign64 = u64::from(negative) << 63;
        Ok(match self.next()? {
            Tok::Int(n) => Operand::Int(if negative { n.wrapping_neg() } else { n }),
            Tok::F32(b) => Operand::F32(b ^ sign32),
            Tok::F64(b) => Operand::F64(b ^ sign64),
            Tok::Word(w) if !negative && w == "_" => Operand::Sink,
            Tok::Word(w) if !negative && !w.starts_with('.') => {
                let addend = self.addend()?;
                Operand::Name(w, addend)
            }
            _ => return self.fail("this operand is not understood"),
        })
    }
}
