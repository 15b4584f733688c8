//! What a launch that went wrong says: where, who, and for a race both sides.

use crate::ptx::types::Space;
use std::fmt;

/// A position in a grid or block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// The fastest coordinate.
    pub x: u32,
    /// The middle coordinate.
    pub y: u32,
    /// The slowest coordinate.
    pub z: u32,
}

impl Dim3 {
    /// Three coordinates.
    #[must_use]
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// The product of the three, as an extent.
    #[must_use]
    pub fn count(self) -> u64 {
        u64::from(self.x).saturating_mul(u64::from(self.y)).saturating_mul(u64::from(self.z))
    }

    /// The position of this number, in an extent of `self`.
    pub(crate) fn unflatten(self, n: u64) -> Dim3 {
        let (x, y) = (u64::from(self.x.max(1)), u64::from(self.y.max(1)));
        Dim3 { x: (n % x) as u32, y: (n / x % y) as u32, z: (n / x / y) as u32 }
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Dim3 { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Dim3 { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Dim3 { x, y, z }
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// A line of a source file, as `.loc` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub file: String,
    /// The line in it.
    pub line: u64,
}

/// A line of the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Its number, from 1.
    pub number: u32,
    /// Its text, trimmed.
    pub text: String,
    /// What it was compiled from, if the PTX says so (with `-C debuginfo=1`, rustc's does).
    pub source: Option<Source>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}", self.number, self.text)?;
        if let Some(Source { file, line }) = &self.source {
            write!(f, " ({file}:{line})")?;
        }
        Ok(())
    }
}

/// Where in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The state space that the address lies in.
    pub space: Space,
    /// The address as the kernel had it.
    pub address: u64,
    /// The allocation or variable that it lies in or next to, with the offset from its start.
    pub within: Option<(String, i64)>,
    /// Length of the access in bytes.
    pub bytes: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes at {} address {:#x}", self.bytes, self.space, self.address)?;
        if let Some((name, offset)) = &self.within {
            write!(f, " ({name} at offset {offset})")?;
        }
        Ok(())
    }
}

/// How memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// An atomic, or a load or store with `.relaxed`, `.acquire`, `.release` or `.volatile`.
    Atomic,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Atomic => "atomic access",
        })
    }
}

/// The earlier access of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Side {
    /// How it touched the bytes.
    pub access: Access,
    /// The block.
    pub block: Dim3,
    /// The thread in it.
    pub thread: Dim3,
    /// The instruction.
    pub line: Line,
}

/// The rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Outside every allocation, or outside shared, local or parameter memory.
    OutOfBounds(Access),
    /// Not a multiple of the access's size.
    Misaligned(Access),
    /// Inside an allocation that was freed.
    UseAfterFree(Access),
    /// Bytes that nothing has written.
    Uninitialised,
    /// A constant or parameter was written.
    ReadOnly,
    /// `ld.global.nc` of bytes that the same launch writes.
    NonCoherent,
    /// Two unordered accesses.
    Race {
        /// What this thread did.
        access: Access,
        /// What the other had done.
        other: Box<Side>,
    },
    /// Threads of a block or warp that wait for each other at different places, or have exited.
    BarrierDivergence {
        /// Where the others are.
        detail: String,
    },
    /// A warp-wide instruction whose mask does not name the threads that execute it.
    MemberMask {
        /// The mask.
        mask: u32,
    },
    /// `trap`.
    Trap,
    /// More instructions than the limit.
    StepLimit,
    /// A call too deep for local memory.
    StackOverflow,
    /// An indirect call or branch to something else than a function or label.
    BadTarget(u64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::OutOfBounds(a) => write!(f, "{a} out of bounds"),
            Fault::Misaligned(a) => write!(f, "misaligned {a}"),
            Fault::UseAfterFree(a) => write!(f, "{a} after free"),
            Fault::Uninitialised => f.write_str("read of uninitialised memory"),
            Fault::ReadOnly => f.write_str("write to read-only memory"),
            Fault::NonCoherent => {
                f.write_str("non-coherent load (ld.global.nc) of memory that this launch writes")
            }
            Fault::Race { access, other } => {
                let Side { access: theirs, block, thread, line } = &**other;
                write!(
                    f,
                    "data race: {access}, unordered with a {theirs} by block {block} thread \
                     {thread} in {line}"
                )
            }
            Fault::BarrierDivergence { detail } => write!(f, "barrier divergence: {detail}"),
            Fault::MemberMask { mask } => {
                write!(f, "member mask {mask:#010x} does not name the executing threads")
            }
            Fault::Trap => f.write_str("trap"),
            Fault::StepLimit => f.write_str("step limit reached"),
            Fault::StackOverflow => f.write_str("local memory exhausted by calls"),
            Fault::BadTarget(a) => write!(f, "indirect jump to {a:#x}, which is no target"),
        }
    }
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The kernel.
    pub kernel: String,
    /// What went wrong.
    pub fault: Fault,
    /// The instruction.
    pub line: Line,
    /// The block.
    pub block: Dim3,
    /// The thread in the block.
    pub thread: Dim3,
    /// The memory, for faults that have one.
    pub location: Option<Location>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kernel {}, {}\n  block {} thread {}: {}",
            self.kernel, self.line, self.block, self.thread, self.fault
        )?;
        if let Some(location) = &self.location {
            write!(f, "\n  {location}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
