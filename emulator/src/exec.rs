//! Running a grid.

mod access;
mod address;
mod atomics;
mod barrier;
mod block;
mod branch;
mod call;
mod clock;
mod collective;
mod grid;
mod park;
mod race;
mod step;
mod warp;

pub(crate) use clock::SyncVars;
pub use grid::Stats;
pub(crate) use grid::{Launch, run};

use crate::report::{Access, Fault, Location};

/// A fault of one lane, before it is put into words.
pub(crate) struct Failure {
    pub fault: FailureKind,
    pub line: u32,
    /// Number of the warp in its block.
    pub warp: u32,
    pub lane: u32,
    pub location: Option<Location>,
}

/// What went wrong; a race still has the other side as numbers.
pub(crate) enum FailureKind {
    Fault(Fault),
    Race { access: Access, other: crate::memory::Record, other_wrote: bool },
}

impl From<Fault> for FailureKind {
    fn from(f: Fault) -> Self {
        FailureKind::Fault(f)
    }
}

/// Boxed, since it is rare and large.
pub(crate) type Step<T> = Result<T, Box<Failure>>;
