//! Why a device makes no sums of a proof.

use crate::ntt::GpuDomainError;
use crate::{gpu, groth16, msm};

/// An error of a partition on a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The device's.
    #[error(transparent)]
    Device(#[from] gpu::Error),
    /// Of the sums of multiples.
    #[error(transparent)]
    Msm(#[from] msm::gpu::Error),
    /// Of the transforms.
    #[error(transparent)]
    Domain(#[from] GpuDomainError),
    /// Of the key, the witness or the proof.
    #[error(transparent)]
    Proof(#[from] groth16::Error),
    /// A slice of device memory is too short for what it is for.
    #[error("{found} bytes of device memory for {what}, which takes {needed}")]
    Room {
        /// What it is for.
        what: &'static str,
        /// Bytes that it takes.
        needed: usize,
        /// Bytes that there are.
        found: usize,
    },
    /// A slice of device memory begins where the kernels cannot use it.
    #[error("device memory for {what} at {address:#x}, which is no multiple of 256")]
    Misaligned {
        /// What it is for.
        what: &'static str,
        /// Where it begins.
        address: u64,
    },
    /// A matrix has more entries than the kernels can number.
    #[error("a matrix of the key has {0} entries, which are more than 2^31 − 1; prove on the CPU")]
    Entries(usize),
    /// A key of the other form.
    #[error("the key makes its proofs of {0}; stage that")]
    Form(&'static str),
    /// Memory was laid out for another key.
    #[error("scratch memory for another key; make it for the key that it is used with")]
    OtherKey,
    /// Whoever was told of the stages wants no more of them.
    #[error("the partition was given up")]
    GivenUp,
}
