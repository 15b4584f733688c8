//! The work of a partition, queued on one stream.

use blstrs::Scalar;
use warpfield_device::field::Fr;

use super::key::DeviceForm;
use super::memory::Workspaces;
use super::quotient::grid;
use super::{DeviceKey, Error, Scratch, Sizes, Slot};
use crate::curve::{G1, G2};
use crate::gpu::{DeviceSlice, Stream};
use crate::groth16::Sums;
use crate::msm::gpu::{Running, Scalars};

/// A kind of work of a partition. Some come more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// Products of the matrices with the witness.
    Rows,
    /// Transforms of vectors to their values on the coset, or from there to coefficients.
    Ntt,
    /// Products or differences of vectors.
    Quotient,
    /// The scalars of the points that count.
    Gather,
    /// The sum of H, and its copy to the host. So of the others.
    MsmH,
    /// The sum of A.
    MsmA,
    /// The sum of B in G1.
    MsmB1,
    /// The sum of B in G2.
    MsmB2,
    /// The sum of C.
    MsmC,
}

/// Called when a stage's work is queued.
pub(super) type Queued<'a> = &'a mut dyn FnMut(Stage) -> Result<(), Error>;

impl DeviceKey {
    /// Queues a partition whose witness or synthesis is in the slot, or will be when the stream comes here.
    /// Allocates nothing on the device, and waits for nothing. A synthesis is there for one partition: it is
    /// computed in place.
    ///
    /// `queued` is called when the work of a stage is queued, in order: all that was queued since the call
    /// before belongs to it. It may record events.
    ///
    /// # Errors
    ///
    /// [`Error::OtherKey`] if slot or scratch memory are for another key, those of
    /// [`Stream::launch`], and those of `queued`. The scratch memory is given up then.
    pub fn compute(
        &self,
        stream: &Stream,
        slot: &Slot,
        scratch: Scratch,
        queued: Queued<'_>,
    ) -> Result<RunningSums, Error> {
        if scratch.sizes != self.sizes {
            return Err(Error::OtherKey);
        }
        let wires = slot.wires(&self.sizes)?;
        let Scratch { sizes, vectors, work, workspaces } = scratch;
        let job = Job { key: self, stream, slot, wires: &wires, vectors: &vectors, work: &work };
        let Workspaces { a, b1, b2, c, h } = workspaces;
        let (g1, g2) = (&self.kernels.g1, &self.kernels.g2);

        let (scalars, h_factor) = job.quotient(queued)?;
        let h = g1.run(stream, h, &self.h, Scalars::Montgomery(&scalars))?;
        queued(Stage::MsmH)?;
        let values = job.gather(&self.wires_a, queued)?;
        let a = g1.run(stream, a, &self.a, values.scalars())?;
        queued(Stage::MsmA)?;
        let values = job.gather(&self.wires_b, queued)?;
        let b1 = g1.run(stream, b1, &self.b1, values.scalars())?;
        queued(Stage::MsmB1)?;
        let b2 = g2.run(stream, b2, &self.b2, values.scalars())?;
        queued(Stage::MsmB2)?;
        // The last: what it leaves to the host takes less time than that in G2.
        let values = job.of_c(queued)?;
        let c = g1.run(stream, c, &self.c, values.scalars())?;
        queued(Stage::MsmC)?;
        Ok(RunningSums { sizes, vectors, work, a, b1, b2, c, h, h_factor })
    }
}

/// The sums of a partition that a stream is going to have made. Dropping it gives them and the scratch memory
/// up without waiting.
#[derive(Debug)]
#[must_use = "the sums are given up"]
pub struct RunningSums {
    sizes: Sizes,
    vectors: DeviceSlice<Fr>,
    work: DeviceSlice<u8>,
    a: Running<G1>,
    b1: Running<G1>,
    b2: Running<G2>,
    c: Running<G1>,
    h: Running<G1>,
    /// What the sum of H is multiplied by.
    h_factor: Option<Scalar>,
}

impl RunningSums {
    /// Whether the device is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn is_done(&self) -> Result<bool, Error> {
        // It makes them in this order.
        for is_done in [self.h.is_done(), self.a.is_done(), self.b1.is_done(), self.b2.is_done()] {
            if !is_done? {
                return Ok(false);
            }
        }
        Ok(self.c.is_done()?)
    }

    /// Waits for the device and gives the sums, and the scratch memory back. The host does its part of each
    /// sum while the device makes the next.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`]; the scratch memory is given up then.
    pub fn wait(self) -> Result<(Sums, Scratch), Error> {
        let (h, of_h) = self.h.wait()?;
        let (a, of_a) = self.a.wait()?;
        let (b1, of_b1) = self.b1.wait()?;
        let (b2, of_b2) = self.b2.wait()?;
        let (c, of_c) = self.c.wait()?;
        let workspaces = Workspaces { a: of_a, b1: of_b1, b2: of_b2, c: of_c, h: of_h };
        let Self { sizes, vectors, work, h_factor, .. } = self;
        let h = h_factor.map_or(h, |factor| h * factor);
        Ok((Sums { a, b1, b2, c, h }, Scratch { sizes, vectors, work, workspaces }))
    }
}

/// A partition that is being queued.
pub(super) struct Job<'a> {
    pub key: &'a DeviceKey,
    pub stream: &'a Stream,
    pub slot: &'a Slot,
    /// The values of its wires.
    pub wires: &'a DeviceSlice<[u32; 8]>,
    pub vectors: &'a DeviceSlice<Fr>,
    pub work: &'a DeviceSlice<u8>,
}

/// Scalars in the form in which wires have their values.
enum OfWires {
    Montgomery(DeviceSlice<Fr>),
    Integers(DeviceSlice<[u32; 8]>),
}

impl OfWires {
    fn scalars(&self) -> Scalars<'_> {
        match self {
            Self::Montgomery(scalars) => Scalars::Montgomery(scalars),
            Self::Integers(scalars) => Scalars::Integers(scalars),
        }
    }
}

impl Job<'_> {
    /// The values of some wires, where the vectors were.
    fn gather(&self, wires: &DeviceSlice<u32>, queued: Queued<'_>) -> Result<OfWires, Error> {
        let count = wires.len();
        let out = self.vectors.slice(..count).cast::<[u32; 8]>().expect("as many bytes each");
        if count > 0 {
            let arguments = (&out, self.wires, wires, count as u32);
            // SAFETY: wires that have values, and room for each of them.
            unsafe { self.stream.launch(&self.key.kernels.gather, grid(count), arguments)? };
        }
        queued(Stage::Gather)?;
        Ok(self.of_wires(out))
    }

    /// The values of the wires of C.
    fn of_c(&self, queued: Queued<'_>) -> Result<OfWires, Error> {
        match &self.key.form {
            DeviceForm::Matrices(matrices) => self.gather(&matrices.wires_c, queued),
            DeviceForm::Vectors(vectors) => Ok(self.of_wires(self.wires.slice(vectors.inputs..))),
        }
    }

    fn of_wires(&self, values: DeviceSlice<[u32; 8]>) -> OfWires {
        match self.key.form {
            DeviceForm::Matrices(_) => OfWires::Integers(values),
            DeviceForm::Vectors(_) => {
                OfWires::Montgomery(values.cast().expect("as many bytes each"))
            }
        }
    }
}
