//! Why there is no proof.

use crate::groth16;
use crate::pipeline::interlock;
use crate::pipeline::memory::TooSmall;
use crate::pipeline::pool;
use crate::pipeline::stop::Stopped;

/// An error of an [`Engine`](super::Engine), or of a partition.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It was cancelled, or its deadline passed.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Of the key, the witness or the proof.
    #[error(transparent)]
    Proof(#[from] groth16::Error),
    /// Of the device.
    #[error(transparent)]
    Device(groth16::gpu::Error),
    /// Of the locks.
    #[error(transparent)]
    Interlock(interlock::Error),
    /// A device's memory is not enough.
    #[error(transparent)]
    Memory(#[from] TooSmall),
    /// There is no such circuit among those that the engine was made for.
    #[error("circuit {circuit} of an engine for {circuits}")]
    Circuit {
        /// The circuit asked for.
        circuit: usize,
        /// Circuits that there are.
        circuits: usize,
    },
    /// The key makes proofs of something else.
    #[error("the key makes proofs of {0}")]
    Form(&'static str),
    /// A synthesis in pinned memory of no device of the engine, or of several.
    #[error(
        "the synthesis is in pinned memory of another device; take it from a pool of one of the engine's"
    )]
    OtherDevice,
    /// Pinned memory for a synthesis.
    #[error(transparent)]
    Pool(#[from] pool::Error),
    /// An engine needs a device, a worker and a key.
    #[error("an engine without {0}; give it one")]
    Nothing(&'static str),
    /// A worker's thread does not start.
    #[error("cannot start a worker's thread: {0}; try fewer workers")]
    Thread(std::io::Error),
    /// The engine is dropped.
    #[error("the engine was shut down before the partition's turn")]
    Closed,
    /// A fault of this library, which the worker survives.
    #[error("a worker panicked: {0}")]
    Panicked(String),
}

impl From<groth16::gpu::Error> for Error {
    fn from(error: groth16::gpu::Error) -> Self {
        match error {
            groth16::gpu::Error::Proof(error) => Self::Proof(error),
            other => Self::Device(other),
        }
    }
}

impl From<crate::gpu::Error> for Error {
    fn from(error: crate::gpu::Error) -> Self {
        Self::Device(error.into())
    }
}

impl From<interlock::Error> for Error {
    fn from(error: interlock::Error) -> Self {
        match error {
            interlock::Error::Stopped(stopped) => Self::Stopped(stopped),
            other => Self::Interlock(other),
        }
    }
}
