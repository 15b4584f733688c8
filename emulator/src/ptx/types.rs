//! Scalar types and state spaces, as the modifiers of instructions and directives name them.

use std::fmt;

/// How the bits of a value are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `.b8` … `.b64`: no interpretation.
    Bits,
    /// `.u8` … `.u64`.
    Unsigned,
    /// `.s8` … `.s64`.
    Signed,
    /// `.f32`, `.f64`.
    Float,
    /// `.pred`.
    Predicate,
}

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// The interpretation.
    pub kind: Kind,
    /// The width in bits; 1 for a predicate.
    pub bits: u32,
}

impl Type {
    pub(crate) const B32: Type = Type { kind: Kind::Bits, bits: 32 };
    pub(crate) const U32: Type = Type { kind: Kind::Unsigned, bits: 32 };
    pub(crate) const U64: Type = Type { kind: Kind::Unsigned, bits: 64 };
    pub(crate) const PRED: Type = Type { kind: Kind::Predicate, bits: 1 };

    /// Reads `u32`, `b8`, `f64`, `pred` (no leading dot).
    pub(crate) fn parse(word: &str) -> Option<Type> {
        if word == "pred" {
            return Some(Type::PRED);
        }
        let kind = match word.as_bytes().first()? {
            b'b' => Kind::Bits,
            b'u' => Kind::Unsigned,
            b's' => Kind::Signed,
            b'f' => Kind::Float,
            _ => return None,
        };
        let bits = match &word[1..] {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        };
        if kind == Kind::Float && bits < 32 {
            return None;
        }
        Some(Type { kind, bits })
    }

    /// Bytes that a value takes in memory.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }

    pub(crate) fn is_signed(self) -> bool {
        self.kind == Kind::Signed
    }

    pub(crate) fn is_float(self) -> bool {
        self.kind == Kind::Float
    }

    pub(crate) fn is_int(self) -> bool {
        matches!(self.kind, Kind::Unsigned | Kind::Signed)
    }

    /// The type of twice the width, for `.wide`.
    pub(crate) fn widened(self) -> Type {
        Type { bits: self.bits * 2, ..self }
    }

    /// All ones in the bits that the type has.
    pub(crate) fn mask(self) -> u64 {
        if self.bits >= 64 { u64::MAX } else { (1 << self.bits) - 1 }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            Kind::Bits => 'b',
            Kind::Unsigned => 'u',
            Kind::Signed => 's',
            Kind::Float => 'f',
            Kind::Predicate => return f.write_str(".pred"),
        };
        write!(f, ".{letter}{}", self.bits)
    }
}

/// A state space of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Any space, told apart by the address.
    Generic,
    /// Device memory.
    Global,
    /// Module constants.
    Const,
    /// Memory of one block.
    Shared,
    /// Memory of one thread.
    Local,
    /// Parameters of the kernel.
    Param,
}

impl Space {
    /// Reads `global`, `shared`, `shared::cta`, … (no leading dot).
    pub(crate) fn parse(word: &str) -> Option<Space> {
        Some(match word {
            "global" => Space::Global,
            "const" => Space::Const,
            "shared" | "shared::cta" => Space::Shared,
            "local" => Space::Local,
            "param" | "param::entry" | "param::func" => Space::Param,
            _ => return None,
        })
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Const => "const",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "param",
        })
    }
}
