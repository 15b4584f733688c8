//! The decoded form that runs.

pub(crate) mod slots;

use crate::lanes::{F1, F2, F3, F4, FCarry};
use crate::ptx::types::{Space, Type};

/// Where an operand lives: a register of the function's window, or, with [`CONST`] set, an entry
/// of the module's constant pool.
pub(crate) type Slot = u32;

/// Marks a slot of the constant pool.
pub(crate) const CONST: Slot = 1 << 31;

/// No slot.
pub(crate) const NONE: Slot = u32::MAX;

/// Windows of the generic address space. Device memory lies above all of them.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000_0000;
pub(crate) const PARAM_WINDOW: u64 = 0x0300_0000_0000;
pub(crate) const CODE_WINDOW: u64 = 0x0400_0000_0000;
pub(crate) const WINDOW_SIZE: u64 = 0x0100_0000_0000;
/// Distance between the pseudo addresses of two functions.
pub(crate) const CODE_STEP: u64 = 16;

/// An entry of the constant pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Const {
    Value(u64),
    /// Address of a module variable plus a constant.
    Var(u32, i64),
}

/// A special register; those that never change for a thread are registers set at entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    DynamicSmem,
    TotalSmem,
}

/// The registers that count time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Low,
    High,
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoolOp {
    And,
    Or,
    Xor,
}

/// `base + offset` in a space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addr {
    pub space: Space,
    pub base: Slot,
    pub offset: i64,
    /// The address wraps at 32 bits.
    pub narrow: bool,
}

/// A load or store: `regs` has one slot an element.
#[derive(Clone, Debug)]
pub(crate) struct Mem {
    pub addr: Addr,
    pub ty: Type,
    pub regs: [Slot; 4],
    /// Widths of the destination registers, for sign extension.
    pub reg_bits: u32,
    pub n: u8,
    /// `.relaxed` or stronger, `.volatile`.
    pub strong: bool,
    pub release: bool,
    /// `ld.global.nc`.
    pub nc: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
}

#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub op: AtomOp,
    pub ty: Type,
    pub addr: Addr,
    /// NONE for `red`.
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub release: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarKind {
    Sync,
    Arrive,
    /// Result slot, source predicate, whether that is negated.
    RedPopc(Slot, Slot, bool),
    RedAnd(Slot, Slot, bool),
    RedOr(Slot, Slot, bool),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub kind: BarKind,
    pub id: Slot,
    /// Number of threads, or NONE for the whole block.
    pub count: Slot,
    pub aligned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShflMode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// Instructions that the lanes of a member mask execute together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Collective {
    Sync,
    Shfl { mode: ShflMode, d: Slot, p: Slot, a: Slot, b: Slot, c: Slot },
    Vote { mode: VoteMode, d: Slot, p: Slot, negated: bool },
    MatchAny { d: Slot, a: Slot },
    MatchAll { d: Slot, p: Slot, a: Slot },
    Redux { op: AtomOp, signed: bool, d: Slot, a: Slot },
    Elect { d: Slot, p: Slot },
}

/// From where an argument comes, or where a result goes, on one side of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// A register.
    Slot(Slot),
    /// Bytes of the frame's local memory.
    Frame { offset: u32 },
}

/// A transfer between caller and callee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub caller: Place,
    /// As the callee sees it.
    pub callee: Place,
    pub bytes: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Callee {
    Function(u32),
    /// A register with a function's address; parameters are placed by the prototype.
    Indirect(Slot),
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub callee: Callee,
    pub args: Box<[Transfer]>,
    pub returns: Box<[Transfer]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Cvt {
    pub from: Type,
    pub to: Type,
    pub rounding: crate::float::Rounding,
    /// `.rni`, `.rzi`, …: to an integral value.
    pub integral: bool,
    pub sat: bool,
    pub ftz: bool,
    pub reg_bits: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Nop,
    Un {
        f: F1,
        d: Slot,
        a: Slot,
    },
    Bin {
        f: F2,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Tri {
        f: F3,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    Quad {
        f: F4,
        d: Slot,
        s: [Slot; 4],
    },
    Carry {
        f: FCarry,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
        reads: bool,
        writes: bool,
    },
    Set {
        cmp: F2,
        d: Slot,
        /// The complement, for `p|q`.
        q: Slot,
        a: Slot,
        b: Slot,
        /// A predicate to combine with: operation, slot, negated.
        with: Option<(BoolOp, Slot, bool)>,
        /// What stands for true.
        truth: u64,
    },
    Cvt {
        cvt: Box<Cvt>,
        d: Slot,
        a: Slot,
    },
    Pack {
        d: Slot,
        parts: [Slot; 4],
        n: u8,
        bits: u32,
    },
    Unpack {
        parts: [Slot; 4],
        n: u8,
        bits: u32,
        a: Slot,
    },
    Ld(Box<Mem>),
    St(Box<Mem>),
    Atom(Box<Atom>),
    Fence,
    Bar(Box<Bar>),
    Collective {
        what: Box<Collective>,
        members: Slot,
    },
    ActiveMask {
        d: Slot,
    },
    ReadClock {
        d: Slot,
        clock: Clock,
    },
    Bra {
        target: u32,
        reconv: u32,
    },
    Brx {
        index: Slot,
        targets: Box<[u32]>,
        reconv: u32,
    },
    Call(Box<Call>),
    Ret,
    Exit,
    Trap,
}

/// A decoded instruction.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub op: Op,
    /// Predicate slot, or NONE.
    pub guard: Slot,
    pub guard_negated: bool,
    pub line: u32,
}

/// A decoded function.
#[derive(Clone, Debug)]
pub(crate) struct Func {
    pub name: String,
    pub code: Vec<Inst>,
    /// Registers of the window.
    pub regs: u32,
    /// Bytes of local memory, a multiple of 128, the largest alignment in use.
    pub frame: u32,
    /// Registers that hold `frame base + offset`.
    pub frame_init: Vec<(Slot, i64)>,
    /// Registers that hold special registers.
    pub special_init: Vec<(Slot, Special)>,
    /// Where the callee finds parameters and leaves results.
    pub params: Vec<(Place, u32)>,
    pub returns: Vec<(Place, u32)>,
    /// Functions called, and module variables named, directly.
    pub calls: Vec<u32>,
    pub vars: Vec<u32>,
    pub indirect: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelParam {
    /// Its name in the PTX.
    pub name: String,
    /// The element type.
    pub ty: Type,
    /// Offset in the parameter buffer.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Alignment.
    pub align: u32,
}
