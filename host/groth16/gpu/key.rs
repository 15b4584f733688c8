//! A key on a device.

use blstrs::Scalar;
use warpfield_device::field::Fr;

use super::points::HostKey;
use super::sizes::MatrixSizes;
use super::sums::SumPlan;
use super::{Error, Kernels, Plans, Sizes, Slot};
use crate::curve::{G1, G2};
use crate::gpu::{self, DeviceSlice, Pending, PinnedSource, Stream};
use crate::groth16::{self, synthesis::Synthesis};
use crate::msm::gpu::Bases;
use crate::ntt::GpuDomain;

/// A key on a device, for any number of proofs, one after the other or at a time: all of it in device memory, or
/// some of its points in host memory ([`KeyResidence`](super::KeyResidence)).
pub struct DeviceKey {
    pub(super) kernels: Kernels,
    pub(super) sizes: Sizes,
    pub(super) plans: Plans,
    /// None where they are in host memory.
    pub(super) a: Option<Bases<G1>>,
    pub(super) b1: Option<Bases<G1>>,
    pub(super) b2: Option<Bases<G2>>,
    pub(super) c: Option<Bases<G1>>,
    /// In the order of the quotient's scalars.
    pub(super) h: Option<Bases<G1>>,
    /// None if all points are on the device.
    pub(super) host: Option<HostKey>,
    /// The wires of A and B.
    pub(super) wires_a: DeviceSlice<u32>,
    pub(super) wires_b: DeviceSlice<u32>,
    /// From rows to coefficients.
    pub(super) domain: GpuDomain,
    /// From coefficients to bit-reversed values on the coset.
    pub(super) coset: GpuDomain,
    pub(super) form: DeviceForm,
}

/// What keys of one form have.
pub(super) enum DeviceForm {
    Matrices(DeviceMatrices),
    Vectors(DeviceVectors),
}

/// Matrices, and what goes with them.
pub(super) struct DeviceMatrices {
    /// The wires of C.
    pub wires_c: DeviceSlice<u32>,
    /// Of both matrices.
    pub values: DeviceSlice<Fr>,
    pub matrices: [DeviceMatrix; 2],
}

/// What the quotient of vectors takes.
pub(super) struct DeviceVectors {
    /// From bit-reversed values on the coset to coefficients.
    pub back: GpuDomain,
    /// 1/Z on the coset.
    pub factor: Scalar,
    /// Rows that have values.
    pub rows: usize,
    /// Wires before those of C.
    pub inputs: usize,
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

    /// Chunks in which a partition's sums copy points from host memory: 0 if all are on the device.
    #[must_use]
    pub fn chunks(&self) -> usize {
        let Plans { a, b1, b2, c, h } = &self.plans;
        b2.chunks() + [a, b1, c, h].into_iter().map(SumPlan::chunks).sum::<usize>()
    }

    /// Queues the copy of a witness to a slot: of the first `len` values of a pinned buffer, in ordinary form,
    /// below r.
    ///
    /// # Errors
    ///
    /// [`Error::Form`] if the key is for vectors; [`groth16::Error::WitnessLength`] if `len` is not the number of
    /// wires, or not in the buffer; [`Error::OtherKey`]; and those of [`Stream::upload_pinned`].
    pub fn stage<B: PinnedSource<[u8; 32]>>(
        &self,
        stream: &Stream,
        slot: &Slot,
        witness: B,
        len: usize,
    ) -> Result<Pending<B>, Error> {
        if let DeviceForm::Vectors(_) = self.form {
            return Err(Error::Form("vectors of a synthesis"));
        }
        let (found, expected) = (len.min(witness.borrow().len()), self.sizes.wires);
        if found != expected || len != expected {
            return Err(groth16::Error::WitnessLength { found, expected }.into());
        }
        let values = slot.wires(&self.sizes)?.cast().expect("as many bytes each");
        Ok(stream.upload_pinned(&values, witness, ..len)?)
    }

    /// Queues the copies of a synthesis to a slot: of all values of its buffers, which are in Montgomery form,
    /// reduced.
    ///
    /// # Errors
    ///
    /// [`Error::Form`] if the key has matrices; [`groth16::Error::SynthesisLength`] if a buffer is not as long as
    /// the circuit's vector; [`Error::OtherKey`]; and those of [`Stream::upload_pinned`], which give the
    /// buffers up.
    pub fn stage_synthesis<B: PinnedSource<Scalar>>(
        &self,
        stream: &Stream,
        slot: &Slot,
        synthesis: Synthesis<B>,
    ) -> Result<Synthesis<Pending<B>>, Error> {
        let DeviceForm::Vectors(DeviceVectors { rows, inputs, .. }) = &self.form else {
            return Err(Error::Form("a witness"));
        };
        let lengths = [*rows, *rows, *rows, *inputs, self.sizes.c];
        synthesis.check(lengths, |buffer| buffer.borrow().len())?;
        let [a, b, c] = slot.vectors(&self.sizes)?;
        let wires = slot.wires(&self.sizes)?.cast::<Fr>().expect("as many bytes each");
        let upload = |to: &DeviceSlice<Fr>, from: B| {
            let to = to.cast::<Scalar>().expect("as many bytes each");
            stream.upload_pinned(&to.slice(..from.borrow().len()), from, ..)
        };
        Ok(Synthesis {
            a: upload(&a, synthesis.a)?,
            b: upload(&b, synthesis.b)?,
            c: upload(&c, synthesis.c)?,
            inputs: upload(&wires, synthesis.inputs)?,
            auxiliary: upload(&wires.slice(*inputs..), synthesis.auxiliary)?,
        })
    }
}

impl<B: Send + Sync + 'static> Synthesis<Pending<B>> {
    /// Waits for the copies and gives the buffers back.
    ///
    /// # Errors
    ///
    /// As [`Pending::wait`]; all buffers are given up then.
    pub fn wait(self) -> Result<Synthesis<B>, gpu::Error> {
        let Self { a, b, c, inputs, auxiliary } = self;
        Ok(Synthesis {
            a: a.wait()?,
            b: b.wait()?,
            c: c.wait()?,
            inputs: inputs.wait()?,
            auxiliary: auxiliary.wait()?,
        })
    }
}
