//! Names of a body. Scopes nest, as `{ }` does; inline assembly uses the same names again and
//! again in scopes of its own.

use crate::ir::Slot;
use crate::ptx::ast::Signature;
use crate::ptx::types::Type;
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named {
    Reg(Slot, Type),
    /// Local memory of the frame (`.local`, and `.param` of device functions), by offset.
    Frame(u32),
    /// A kernel parameter, by offset.
    KernelParam(u32),
    /// A module variable, by index.
    Var(u32),
    /// A function, by index.
    Func(u32),
}

#[derive(Default)]
struct Scope {
    parent: usize,
    names: HashMap<String, Named>,
    /// `.reg .b32 %r<100>`.
    ranges: Vec<(String, u32, Type)>,
    labels: HashMap<String, u32>,
    targets: HashMap<String, Vec<String>>,
    prototypes: HashMap<String, Signature>,
}

/// All scopes of a function; closed ones stay, for branches that are resolved at its end.
pub(crate) struct Scopes {
    all: Vec<Scope>,
    pub current: usize,
    /// Types of the registers in use.
    pub regs: Vec<Type>,
}

impl Scopes {
    pub(crate) fn new() -> Self {
        Scopes { all: vec![Scope::default()], current: 0, regs: Vec::new() }
    }

    pub(crate) fn open(&mut self) {
        self.all.push(Scope { parent: self.current, ..Scope::default() });
        self.current = self.all.len() - 1;
    }

    pub(crate) fn close(&mut self) {
        self.current = self.all[self.current].parent;
    }

    pub(crate) fn new_reg(&mut self, ty: Type) -> Slot {
        self.regs.push(ty);
        (self.regs.len() - 1) as Slot
    }

    pub(crate) fn declare(&mut self, name: &str, what: Named) -> Result<(), String> {
        match self.all[self.current].names.insert(name.to_owned(), what) {
            None => Ok(()),
            Some(_) => Err(format!("`{name}` is declared twice")),
        }
    }

    pub(crate) fn declare_range(&mut self, prefix: &str, count: u32, ty: Type) {
        self.all[self.current].ranges.push((prefix.to_owned(), count, ty));
    }

    pub(crate) fn label(&mut self, name: &str, at: u32) -> Result<(), String> {
        match self.all[self.current].labels.insert(name.to_owned(), at) {
            None => Ok(()),
            Some(_) => Err(format!("label `{name}` is declared twice")),
        }
    }

    pub(crate) fn targets(&mut self, name: &str, list: &[String]) {
        self.all[self.current].targets.insert(name.to_owned(), list.to_vec());
    }

    pub(crate) fn prototype(&mut self, name: &str, signature: &Signature) {
        self.all[self.current].prototypes.insert(name.to_owned(), signature.clone());
    }

    /// The scopes from `from` outwards.
    fn chain(&self, from: usize) -> impl Iterator<Item = usize> {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let s = next?;
            next = (s != 0).then(|| self.all[s].parent);
            Some(s)
        })
    }

    /// A register or variable of this function.
    pub(crate) fn find(&mut self, name: &str) -> Option<Named> {
        let prefix_len = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (prefix, digits) = name.split_at(prefix_len);
        let number = digits.parse::<u32>().ok();
        let mut hit = None;
        for s in self.chain(self.current) {
            let scope = &self.all[s];
            if let Some(n) = scope.names.get(name) {
                return Some(*n);
            }
            if let Some(number) = number
                && let Some((.., ty)) =
                    scope.ranges.iter().find(|(p, count, _)| p == prefix && number < *count)
            {
                hit = Some((s, *ty));
                break;
            }
        }
        let (s, ty) = hit?;
        let named = Named::Reg(self.new_reg(ty), ty);
        self.all[s].names.insert(name.to_owned(), named);
        Some(named)
    }

    pub(crate) fn find_label(&self, from: usize, name: &str) -> Option<u32> {
        self.chain(from).find_map(|s| self.all[s].labels.get(name).copied())
    }

    pub(crate) fn find_targets(&self, from: usize, name: &str) -> Option<Vec<String>> {
        self.chain(from).find_map(|s| self.all[s].targets.get(name).cloned())
    }

    pub(crate) fn find_prototype(&self, name: &str) -> Option<Signature> {
        self.chain(self.current).find_map(|s| self.all[s].prototypes.get(name).cloned())
    }
}
