//! The work of a partition, queued on one stream.

use blstrs::Scalar;
use warpfield_device::field::Fr;

use super::key::DeviceForm;
use super::memory::Workspaces;
use super::points::{HostKey, Picked};
use super::quotient::grid;
use super::sums::{Sum, SumSpace};
use super::{DeviceKey, Error, Scratch, Sizes, Slot};
use crate::curve::{G1, G2};
use crate::gpu::{DeviceSlice, Stream};
use crate::groth16::Sums;
use crate::msm::gpu::{
    Bases, DeviceGroup, Msm, Scalars, StreamedBases, StreamedScalars, StreamedStep, WrittenPoints,
};

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

/// What is told of a partition while its work is queued. Whoever is told may record events.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The work of a stage, or that of a chunk of points for it, is queued on the caller's stream: all since the step
    /// before.
    Queued(Stage),
    /// Points of a chunk are going to be copied to the device on this stream, which waits for nothing else now.
    Copying(&'a Stream),
    /// Their copies are queued: so many bytes.
    Copied(&'a Stream, usize),
    /// The caller's stream waits for the copy no longer: what is queued from here on is work.
    Summing,
    /// The host waits for the sums of chunks.
    Waiting,
}

/// Called at each step.
pub(super) type Queued<'a> = &'a mut dyn FnMut(Step<'_>) -> Result<(), Error>;

impl DeviceKey {
    /// Queues a partition whose witness or synthesis is in the slot, or will be when the stream comes here.
    /// Allocates nothing on the device, and waits for nothing but the sums of points in host memory. A synthesis is
    /// there for one partition: it is computed in place.
    ///
    /// `queued` is called at each step, in order.
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
        let points = self.points();
        let h = job.sum(g1, h, points.h, Scalars::Montgomery(&scalars), Stage::MsmH, queued)?;
        let values = job.gather(&self.wires_a, queued)?;
        let a = job.sum(g1, a, points.a, values.scalars(), Stage::MsmA, queued)?;
        let values = job.gather(&self.wires_b, queued)?;
        let b1 = job.sum(g1, b1, points.b1, values.scalars(), Stage::MsmB1, queued)?;
        let b2 = job.sum(g2, b2, points.b2, values.scalars(), Stage::MsmB2, queued)?;
        // The last: what it leaves to the host takes less time than that in G2.
        let values = job.of_c(queued)?;
        let c = job.sum(g1, c, points.c, values.scalars(), Stage::MsmC, queued)?;
        Ok(RunningSums { sizes, vectors, work, a, b1, b2, c, h, h_factor })
    }

    fn points(&self) -> AllTerms<'_> {
        let host = self.host.as_ref().map(HostKey::points);
        let host = host.as_ref();
        AllTerms {
            a: Terms::of(self.a.as_ref(), host.map(|host| host.a)),
            b1: Terms::of(self.b1.as_ref(), host.map(|host| host.b1)),
            b2: Terms::of(self.b2.as_ref(), host.map(|host| host.b2)),
            c: Terms::of(self.c.as_ref(), host.map(|host| host.c)),
            h: Terms::of(self.h.as_ref(), host.map(|host| host.h)),
        }
    }
}

/// The points of all sums.
struct AllTerms<'a> {
    a: Terms<'a, G1>,
    b1: Terms<'a, G1>,
    b2: Terms<'a, G2>,
    c: Terms<'a, G1>,
    h: Terms<'a, G1>,
}

/// The points of a sum, where they are.
enum Terms<'a, G: DeviceGroup> {
    Device(&'a Bases<G>),
    Host(Picked<'a, G>),
}

impl<'a, G: DeviceGroup> Terms<'a, G> {
    fn of(device: Option<&'a Bases<G>>, host: Option<Picked<'a, G>>) -> Self {
        match device {
            Some(bases) => Self::Device(bases),
            None => Self::Host(host.expect("points that are not on the device are in host memory")),
        }
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
    a: Sum<G1>,
    b1: Sum<G1>,
    b2: Sum<G2>,
    c: Sum<G1>,
    h: Sum<G1>,
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
        self.c.is_done()
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
    /// Queues a sum; has it made, where its points are in host memory.
    fn sum<G: DeviceGroup>(
        &self,
        msm: &Msm<G>,
        space: SumSpace<G>,
        points: Terms<'_, G>,
        scalars: Scalars<'_>,
        stage: Stage,
        queued: Queued<'_>,
    ) -> Result<Sum<G>, Error> {
        match (space, points) {
            (SumSpace::Device(workspace), Terms::Device(bases)) => {
                let running = msm.run(self.stream, workspace, bases, scalars)?;
                queued(Step::Queued(stage))?;
                Ok(Sum::Queued(running))
            }
            (SumSpace::Host(workspace), Terms::Host(picked)) => {
                let write = |first: usize, to: &mut [u8]| picked.write(first, to);
                let bases =
                    StreamedBases::Written(WrittenPoints { len: picked.len(), write: &write });
                let scalars = StreamedScalars::Device(scalars);
                let observe = &mut |step: StreamedStep<'_>| {
                    queued(match step {
                        StreamedStep::Copying(stream) => Step::Copying(stream),
                        StreamedStep::Copied(stream, bytes) => Step::Copied(stream, bytes),
                        StreamedStep::Summing => Step::Summing,
                        StreamedStep::Summed => Step::Queued(stage),
                        StreamedStep::Waiting => Step::Waiting,
                    })
                };
                let (sum, workspace) =
                    msm.run_streamed_observed(self.stream, *workspace, bases, scalars, observe)?;
                Ok(Sum::Made(sum, Box::new(workspace)))
            }
            // Scratch memory for a key of the same sizes, with its points elsewhere.
            _ => Err(Error::OtherKey),
        }
    }

    /// The values of some wires, where the vectors were.
    fn gather(&self, wires: &DeviceSlice<u32>, queued: Queued<'_>) -> Result<OfWires, Error> {
        let count = wires.len();
        let out = self.vectors.slice(..count).cast::<[u32; 8]>().expect("as many bytes each");
        if count > 0 {
            let arguments = (&out, self.wires, wires, count as u32);
            // SAFETY: wires that have values, and room for each of them.
            unsafe { self.stream.launch(&self.key.kernels.gather, grid(count), arguments)? };
        }
        queued(Step::Queued(Stage::Gather))?;
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
