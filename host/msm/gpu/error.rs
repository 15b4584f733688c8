//! Why there is no sum.

use super::tables::Tables;
use crate::gpu;
use crate::msm::MsmError;

/// Why a device gives no sum.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device's.
    #[error(transparent)]
    Device(#[from] gpu::Error),
    /// What there is no sum of.
    #[error(transparent)]
    Terms(#[from] MsmError),
    /// The workspace is for fewer terms.
    #[error("{terms} terms in a workspace for {room}")]
    Room {
        /// Number of terms.
        terms: usize,
        /// The most that there is room for.
        room: usize,
    },
    /// Digits of this many bits are not provided for.
    #[error("digits of {0} bits; they have 2 to 24")]
    Bits(u32),
    /// Copies of bases that are not at least one, and at most as many as digits.
    #[error("{} copies of bases, for digits of {} bits", .0.copies, .0.bits)]
    Copies(Tables),
    /// The plan asks for tables that the bases do not have.
    #[error("a sum with {wanted:?} of bases with {found:?}")]
    Tables {
        /// The plan's.
        wanted: Tables,
        /// The bases'.
        found: Tables,
    },
    /// Bases or scalars whose address is no multiple of 16.
    #[error("operands at {0:#x}, which is no multiple of 16")]
    Misaligned(u64),
}
