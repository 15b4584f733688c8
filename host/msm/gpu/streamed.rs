//! Sums of operands in host memory.
//!
//! The terms go through device memory in chunks, each of them a sum of its own, and the host adds these up.
//! There is room for the operands of two chunks: while one is summed on the caller's stream, the next one is
//! copied on another stream. Events tie them: a sum waits for its operands, and a copy for the sum of those
//! that it overwrites.

mod operands;
mod plan;
mod workspace;

pub use operands::{HostSlice, Place, StreamedBases, StreamedScalars};
pub use plan::{Chunks, StreamedPlan};
pub use workspace::StreamedWorkspace;

use std::collections::VecDeque;
use std::ops::Range;

use group::Group as _;
use warpfield_device::msm::digits::BITS;

use super::{Bases, DeviceGroup, Error, Msm, Running, Scalars, Tables, Workspace};
use crate::gpu::{DeviceSlice, Plain, Staging, Stream};
use crate::msm::MsmError;
use operands::Memory;
use plan::Shape;

impl<G: DeviceGroup> Msm<G> {
    /// How sums of operands like these, and of fewer, are made quickest in at most `budget` bytes of
    /// device memory besides what is there already.
    ///
    /// # Errors
    ///
    /// The lengths differ or are uneven; [`Error::Budget`]; and the driver's.
    pub fn streamed_plan(
        &self,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        budget: usize,
    ) -> Result<StreamedPlan<G>, Error> {
        StreamedPlan::within(self.shape(bases, scalars)?, budget)
    }

    /// The same with these chunks.
    ///
    /// # Errors
    ///
    /// The lengths differ or are uneven; [`Error::Chunks`]; chunks of too many terms; and the driver's.
    pub fn streamed_plan_with(
        &self,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        chunks: Chunks,
    ) -> Result<StreamedPlan<G>, Error> {
        StreamedPlan::new(self.shape(bases, scalars)?, chunks)
    }

    fn shape(
        &self,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
    ) -> Result<Shape, Error> {
        let tables = match bases {
            StreamedBases::Device(bases) => bases.tables(),
            StreamedBases::Host(_) => Tables { bits: *BITS.start(), copies: 1 },
        };
        Ok(Shape {
            terms: length(bases, scalars)?,
            bases: bases.place(),
            scalars: scalars.place(),
            tables,
            blocks: self.halving_blocks()?,
        })
    }

    /// Allocates what streamed sums need.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn streamed_workspace(&self, plan: StreamedPlan<G>) -> Result<StreamedWorkspace<G>, Error> {
        StreamedWorkspace::new(&self.device, plan)
    }

    /// Σ scalarᵢ · baseᵢ of operands of which some are in host memory, chunk by chunk: waits for it, and for the
    /// stream.
    ///
    /// Operands in device memory are used in the order of the stream, those in host memory at once. No
    /// copy uses them any more when this returns, be it with an error. Scalars of r and more count
    /// modulo r; bases outside the subgroup give some other point, nothing worse.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use blstrs::{G1Projective, Scalar};
    /// use group::Group;
    /// use warpfield::curve::{CurveGroup, G1, PointSlice, write_points};
    /// use warpfield::gpu::{Device, Module, emulator};
    /// use warpfield::msm::gpu::{HostSlice, Msm, StreamedBases, StreamedScalars};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = Device::emulated(emulator::Config::default());
    /// let module = Module::load(&device, warpfield::ptx::MODULE)?;
    /// let msm = Msm::<G1>::new(&device, &module)?;
    /// let stream = device.stream()?;
    ///
    /// // Pageable bases, such as those of a mapped file.
    /// let generator = G1Projective::generator();
    /// let points = write_points::<G1>(&[G1::to_affine(&generator), G1::to_affine(&generator.double())]);
    /// let bases = StreamedBases::Host(PointSlice::<G1>::new(&points)?.into());
    ///
    /// // Pinned scalars.
    /// let mut buffer = device.alloc_pinned::<[u32; 8]>(2)?;
    /// (buffer[0][0], buffer[1][0]) = (5, 7);
    /// let buffer = Arc::new(buffer);
    /// let scalars = StreamedScalars::Integers(HostSlice::from(&buffer));
    ///
    /// let plan = msm.streamed_plan(bases, scalars, 1 << 20)?;
    /// assert!(plan.bytes() <= 1 << 20);
    /// let workspace = msm.streamed_workspace(plan)?;
    /// let (sum, _workspace) = msm.run_streamed(&stream, workspace, bases, scalars)?;
    /// assert_eq!(sum, generator * Scalar::from(5 + 2 * 7));
    /// assert!(Arc::into_inner(buffer).is_some(), "nobody else uses it");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The lengths differ, are uneven, or are more than the workspace is for; [`Error::Place`]; the bases
    /// lack the tables that its plan asks for; a pinned buffer or the stream is another device's; and
    /// those of [`Stream::launch`]. The workspace is given up then.
    pub fn run_streamed(
        &self,
        stream: &Stream,
        workspace: StreamedWorkspace<G>,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
    ) -> Result<(G::Projective, StreamedWorkspace<G>), Error> {
        let terms = length(bases, scalars)?;
        let shape = workspace.plan.shape;
        if terms > shape.terms {
            return Err(Error::Room { terms, room: shape.terms });
        }
        for (planned, found) in [(shape.bases, bases.place()), (shape.scalars, scalars.place())] {
            if found > planned {
                return Err(Error::Place { planned, found });
            }
        }
        let mut sum = Sum {
            msm: self,
            stream,
            workspace,
            running: VecDeque::new(),
            total: G::Projective::identity(),
        };
        let result = sum.run(bases, scalars, terms);
        sum.running.clear();
        // These let go of what was used, after an error too, which is the first one.
        let synchronized = [&sum.workspace.copies, stream].map(Stream::synchronize);
        synchronized
            .into_iter()
            .fold(result, |result, synchronized| result.and_then(|()| Ok(synchronized?)))?;
        Ok((sum.total, sum.workspace))
    }
}

/// The number of terms.
fn length<G: DeviceGroup>(
    bases: StreamedBases<'_, G>,
    scalars: StreamedScalars<'_>,
) -> Result<usize, Error> {
    let (bases, scalars) = (bases.count()?, scalars.len());
    if bases != scalars {
        return Err(MsmError::LengthMismatch { bases, scalars }.into());
    }
    Ok(scalars)
}

/// A sum that is being made.
struct Sum<'a, G: DeviceGroup> {
    msm: &'a Msm<G>,
    stream: &'a Stream,
    workspace: StreamedWorkspace<G>,
    /// Those of chunks that are queued, with the numbers of their plans.
    running: VecDeque<(usize, Running<G>)>,
    /// Of the chunks before these.
    total: G::Projective,
}

impl<G: DeviceGroup> Sum<'_, G> {
    fn run(
        &mut self,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        terms: usize,
    ) -> Result<(), Error> {
        let mut start = 0;
        for (chunk, length) in self.workspace.plan.chunks().lengths(terms).enumerate() {
            self.queue(chunk, bases, scalars, start..start + length)?;
            start += length;
        }
        while let Some((plan, running)) = self.running.pop_front() {
            self.finish(plan, running)?;
        }
        Ok(())
    }

    /// Queues the copies and the sum of a chunk.
    fn queue(
        &mut self,
        chunk: usize,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        range: Range<usize>,
    ) -> Result<(), Error> {
        let StreamedWorkspace { plan, copies, sets, staging, .. } = &mut self.workspace;
        let (set, plan) = (&sets[chunk % 2], plan.plan_of(chunk));
        copies.wait(&set.used)?;
        let bases = match bases {
            StreamedBases::Device(bases) => bases.slice(range.clone()),
            StreamedBases::Host(bytes) => {
                let bytes = bytes.slice(range.start * G::BYTES..range.end * G::BYTES);
                let there = copy(copies, staging, &set.bases, bytes)?;
                Bases::new(there.cast().expect("whole points"))?
            }
        };
        let (of_device, montgomery, integers);
        let scalars = match scalars {
            StreamedScalars::Device(Scalars::Montgomery(scalars)) => {
                of_device = scalars.slice(range);
                Scalars::Montgomery(&of_device)
            }
            StreamedScalars::Device(Scalars::Integers(scalars)) => {
                integers = scalars.slice(range);
                Scalars::Integers(&integers)
            }
            StreamedScalars::Montgomery(scalars) => {
                montgomery = copy(copies, staging, &set.scalars, scalars.slice(range))?;
                Scalars::Montgomery(&montgomery)
            }
            StreamedScalars::Integers(scalars) => {
                integers = copy(copies, staging, &set.scalars, scalars.slice(range))?;
                Scalars::Integers(&integers)
            }
        };
        copies.record(&set.copied)?;
        let workspace = self.workspace(plan)?;
        let set = &self.workspace.sets[chunk % 2];
        self.stream.wait(&set.copied)?;
        let running = self.msm.run(self.stream, workspace, &bases, scalars)?;
        self.stream.record(&set.used)?;
        self.running.push_back((plan, running));
        Ok(())
    }

    /// An idle workspace of a plan: waits for the earliest sums until there is one.
    fn workspace(&mut self, plan: usize) -> Result<Workspace<G>, Error> {
        loop {
            if let Some(workspace) = self.workspace.idle[plan].pop() {
                return Ok(workspace);
            }
            let (plan, running) = self.running.pop_front().expect("one that has what is missing");
            self.finish(plan, running)?;
        }
    }

    fn finish(&mut self, plan: usize, running: Running<G>) -> Result<(), Error> {
        let (sum, workspace) = running.wait()?;
        self.total += sum;
        self.workspace.idle[plan].push(workspace);
        Ok(())
    }
}

/// Queues the copy of values to the start of some room.
fn copy<T: Plain>(
    stream: &Stream,
    staging: &mut Staging,
    room: &DeviceSlice<u8>,
    from: HostSlice<'_, T>,
) -> Result<DeviceSlice<T>, Error> {
    let bytes = room.slice(..from.len() * size_of::<T>());
    let to = bytes.cast().expect("whole values");
    match from.0 {
        // The stream keeps a share of the buffer until the copy is done.
        Memory::Pinned { buffer, start, len } => {
            drop(stream.upload_pinned(&to, buffer.clone(), start..start + len)?);
        }
        Memory::Pageable(pageable) => staging.upload(stream, &bytes, pageable)?,
    }
    Ok(to)
}
