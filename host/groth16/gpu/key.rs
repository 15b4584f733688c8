//! A key on a device.

use warpfield_device::field::Fr;

use super::sizes::MatrixSizes;
use super::{Error, Kernels, Plans, Sizes, Slot};
use crate::curve::{G1, G2};
use crate::gpu::{DeviceSlice, Pending, PinnedSource, Stream};
use crate::groth16;
use crate::msm::gpu::Bases;
use crate::ntt::GpuDomain;

/// A key in the memory of a device, for any number of proofs, one after the other or at a time.
pub struct DeviceKey {
    pub(super) kernels: Kernels,
    pub(super) sizes: Sizes,
    pub(super) plans: Plans,
    pub(super) a: Bases<G1>,
    pub(super) b1: Bases<G1>,
    pub(super) b2: Bases<G2>,
    pub(super) c: Bases<G1>,
    /// In bit-reversed order.
    pub(super) h: Bases<G1>,
    /// The wires of A, B and C.
    pub(super) wires_a: DeviceSlice<u32>,
    pub(super) wires_b: DeviceSlice<u32>,
    pub(super) wires_c: DeviceSlice<u32>,
    /// Of both matrices.
    pub(super) values: DeviceSlice<Fr>,
    pub(super) matrices: [DeviceMatrix; 2],
    /// From bit-reversed rows to coefficients.
    pub(super) domain: GpuDomain,
    /// From coefficients to bit-reversed values on the odd coset.
    pub(super) coset: GpuDomain,
}

/// A matrix, as in [`Matrix`](super::matrices::Matrix).
pub(super) struct DeviceMatrix {
    pub sizes: MatrixSizes,
    pub starts: DeviceSlice<u32>,
    pub entries: DeviceSlice<u64>,
    pub cut_rows: DeviceSlice<u32>,
    pub firsts: DeviceSlice<u32>,
}

impl DeviceKey {
    /// How much memory it and its proofs take.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// Queues the copy of a witness to a slot: of the first `len` values of a pinned buffer, in ordinary form,
    /// below r.
    ///
    /// # Errors
    ///
    /// [`groth16::Error::WitnessLength`] if `len` is not the number of wires, or not in the buffer;
    /// [`Error::OtherKey`]; and those of [`Stream::upload_pinned`].
    pub fn stage<B: PinnedSource<[u8; 32]>>(
        &self,
        stream: &Stream,
        slot: &Slot,
        witness: B,
        len: usize,
    ) -> Result<Pending<B>, Error> {
        let (found, expected) = (len.min(witness.borrow().len()), self.sizes.wires);
        if found != expected || len != expected {
            return Err(groth16::Error::WitnessLength { found, expected }.into());
        }
        let values = slot.witness(&self.sizes)?.cast().expect("as many bytes each");
        Ok(stream.upload_pinned(&values, witness, ..len)?)
    }
}
