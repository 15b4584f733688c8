//! The modifiers of an opcode. Each must be taken by someone: what is left is an error.

use crate::float::Rounding;
use crate::ptx::types::Type;

pub(crate) type Res<T> = Result<T, String>;

/// An opcode split at its dots.
pub(crate) struct Mods<'a> {
    /// The first part.
    pub name: &'a str,
    parts: Vec<Option<&'a str>>,
}

impl<'a> Mods<'a> {
    pub(crate) fn new(opcode: &'a str) -> Self {
        let mut split = opcode.split('.');
        let name = split.next().unwrap_or_default();
        Mods { name, parts: split.map(Some).collect() }
    }

    /// Takes the modifier if it is there.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        match self.parts.iter_mut().find(|p| **p == Some(word)) {
            Some(p) => {
                *p = None;
                true
            }
            None => false,
        }
    }

    /// Takes the first of these that is there.
    pub(crate) fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|w| self.take(w))
    }

    /// Takes the first modifier for which `f` has a value.
    pub(crate) fn find<T>(&mut self, f: impl Fn(&str) -> Option<T>) -> Option<T> {
        for p in &mut self.parts {
            if let Some(v) = p.and_then(&f) {
                *p = None;
                return Some(v);
            }
        }
        None
    }

    /// Takes the first type.
    pub(crate) fn ty(&mut self) -> Res<Type> {
        self.find(Type::parse).ok_or_else(|| format!("`{}` without a type", self.name))
    }

    /// Takes a float rounding mode.
    pub(crate) fn rounding(&mut self) -> Option<Rounding> {
        self.find(|w| {
            Some(match w {
                "rn" => Rounding::Nearest,
                "rz" => Rounding::Zero,
                "rm" => Rounding::Down,
                "rp" => Rounding::Up,
                _ => return None,
            })
        })
    }

    /// Cache hints: no meaning for the result.
    pub(crate) fn skip_cache_hints(&mut self) {
        while self
            .find(|w| {
                (matches!(w, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt")
                    || (w.starts_with("L1::") && w != "L1::")
                    || matches!(w, "L2::64B" | "L2::128B" | "L2::256B"))
                .then_some(())
            })
            .is_some()
        {}
    }

    /// All modifiers must be used up.
    pub(crate) fn done(&self) -> Res<()> {
        match self.parts.iter().flatten().next() {
            None => Ok(()),
            Some(w) => Err(format!("unknown modifier `.{w}` of `{}`", self.name)),
        }
    }
}
