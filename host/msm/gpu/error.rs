//! Why there is no sum.

use super::streamed::{Chunks, Place};
use super::tables::Tables;
use crate::curve::UnevenLength;
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
    /// Bases that are no whole number of points.
    #[error(transparent)]
    Uneven(#[from] UnevenLength),
    /// The workspace is for fewer terms.
    #[error("{terms} terms in a workspace for {room}")]
    Room {
        /// Number of terms.
        terms: usize,
        /// The most that there is room for.
        room: usize,
    },
    /// A slice of device memory is too short.
    #[error("{room} bytes of device memory, where {bytes} are needed")]
    Memory {
        /// Bytes that are needed.
        bytes: usize,
        /// Bytes that are there.
        room: usize,
    },
    /// Digits of this many bits are not provided for.
    #[error("digits of {0} bits; they have 2 to 24")]
    Bits(u32),
    /// Copies of bases that are not at least one, and at most as many as digits.
    #[error("{} copies of bases, for digits of {} bits", .0.copies, .0.bits)]
    Copies(Tables),
    /// Products have another number of places than there are scalars.
    #[error("{scalars} scalars, and room for {room} products")]
    Products {
        /// Number of scalars.
        scalars: usize,
        /// Points that there is room for.
        room: usize,
    },
    /// The plan asks for tables that the bases do not have.
    #[error("a sum with {wanted:?} of bases with {found:?}")]
    Tables {
        /// The plan's.
        wanted: Tables,
        /// The bases'.
        found: Tables,
    },
    /// Too little device memory for chunks of one term.
    #[error("a budget of {budget} bytes of device memory, and a term takes {least}")]
    Budget {
        /// The most bytes that a sum may take.
        budget: usize,
        /// Bytes for one term at a time.
        least: usize,
    },
    /// Chunks of no terms, that do not grow, or of fewer terms than the first one has.
    #[error("there are no {0:?}")]
    Chunks(Chunks),
    /// An operand is where the workspace has no means to copy from.
    #[error("an operand that is {found:?} in a workspace for {planned:?} ones")]
    Place {
        /// The plan's.
        planned: Place,
        /// The operand's.
        found: Place,
    },
    /// Bases or scalars whose address is no multiple of 16.
    #[error("operands at {0:#x}, which is no multiple of 16")]
    Misaligned(u64),
}
