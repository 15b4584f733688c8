//! Sums of operands in host memory.
//!
//! The terms go through device memory in chunks, each of them a sum of its own, and the host adds these up.
//! There is room for the operands of two chunks: while one is summed on the caller's stream, the next one is
//! copied on another stream. Events tie them: a sum waits for its operands, and a copy for the sum of those
//! that it overwrites.

mod chunk;
mod operands;
mod plan;
mod workspace;

pub use operands::{HostSlice, Place, StreamedBases, StreamedScalars, WrittenPoints};
pub use plan::{Chunks, StreamedPlan};
pub use workspace::StreamedWorkspace;

use std::collections::VecDeque;
use std::ops::Range;

use group::Group as _;
use warpfield_device::msm::digits::BITS;

use super::operands::check_aligned;
use super::{Bases, DeviceGroup, Error, Msm, Running, Tables, Workspace};
use crate::field::SCALAR_BYTES;
use crate::gpu::{DeviceSlice, Stream};
use crate::msm::MsmError;
use chunk::ChunkScalars;
use plan::Shape;

/// A moment of a streamed sum, in which a function may record events, or end it.
#[derive(Clone, Copy, Debug)]
pub enum StreamedStep<'a> {
    /// A chunk's operands are going to be copied on this stream, which waits for nothing else now.
    Copying(&'a Stream),
    /// Their copies are queued: so many bytes.
    Copied(&'a Stream, usize),
    /// A chunk's sum is going to be queued on the caller's stream, which waits for nothing else now.
    Summing,
    /// It is queued.
    Summed,
    /// The host waits for the sums that are queued.
    Waiting,
}

/// A function that is called at each step.
pub type Observe<'a, E> = &'a mut dyn FnMut(StreamedStep<'_>) -> Result<(), E>;

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
            StreamedBases::Host(_) | StreamedBases::Written(_) => NO_TABLES,
        };
        Ok(Shape {
            terms: length(bases, scalars)?,
            bases: bases.place(),
            scalars: scalars.place(),
            tables,
            blocks: self.halving_blocks()?,
        })
    }

    /// How sums of up to so many bases that the host writes are made quickest, of scalars in device memory and in
    /// chunks of at most so many terms, as far as is known.
    ///
    /// # Errors
    ///
    /// Chunks of too many terms, and the driver's.
    pub fn streamed_plan_of_written(
        &self,
        terms: usize,
        most: usize,
    ) -> Result<StreamedPlan<G>, Error> {
        let blocks = self.halving_blocks()?;
        let (bases, scalars) = (Place::Pageable, Place::Device);
        let shape = Shape { terms, bases, scalars, tables: NO_TABLES, blocks };
        StreamedPlan::new(shape, shape.chunks(most.clamp(1, terms.max(1))))
    }

    /// Allocates what streamed sums need.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn streamed_workspace(&self, plan: StreamedPlan<G>) -> Result<StreamedWorkspace<G>, Error> {
        let memory = self.device.alloc(plan.bytes())?;
        StreamedWorkspace::within(&self.device, plan, &memory)
    }

    /// The same in memory that is there, from its start, which other sums may use before and after.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`], [`Error::Misaligned`], and the driver's.
    pub fn streamed_workspace_within(
        &self,
        plan: StreamedPlan<G>,
        memory: &DeviceSlice<u8>,
    ) -> Result<StreamedWorkspace<G>, Error> {
        check_aligned(memory)?;
        if memory.len() < plan.bytes() {
            return Err(Error::Memory { bytes: plan.bytes(), room: memory.len() });
        }
        StreamedWorkspace::within(&self.device, plan, memory)
    }

    /// Σ scalarᵢ · baseᵢ of operands of which some are in host memory, chunk by chunk: waits for it, and for the
    /// stream.
    ///
    /// Operands are used in the order of the stream, pageable ones by the host before that. No
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
        self.run_streamed_observed(stream, workspace, bases, scalars, &mut |_| Ok(()))
    }

    /// [`run_streamed`](Self::run_streamed) with a function that is called at each step of each chunk.
    ///
    /// # Errors
    ///
    /// As [`run_streamed`](Self::run_streamed), and those of the function, which end the sum.
    pub fn run_streamed_observed<E: From<Error>>(
        &self,
        stream: &Stream,
        workspace: StreamedWorkspace<G>,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        observe: Observe<'_, E>,
    ) -> Result<(G::Projective, StreamedWorkspace<G>), E> {
        let terms = length(bases, scalars)?;
        let shape = workspace.plan.shape;
        if terms > shape.terms {
            return Err(Error::Room { terms, room: shape.terms }.into());
        }
        for (planned, found) in [(shape.bases, bases.place()), (shape.scalars, scalars.place())] {
            if found > planned {
                return Err(Error::Place { planned, found }.into());
            }
        }
        let mut sum = Sum {
            msm: self,
            stream,
            workspace,
            running: VecDeque::new(),
            total: G::Projective::identity(),
        };
        let result = sum.run(bases, scalars, terms, observe);
        sum.running.clear();
        // These let go of what was used, after an error too, which is the first one.
        let synchronized = [&sum.workspace.copies, stream].map(Stream::synchronize);
        result?;
        for synchronized in synchronized {
            synchronized.map_err(Error::from)?;
        }
        Ok((sum.total, sum.workspace))
    }
}

/// Of bases that are on the device for one sum.
const NO_TABLES: Tables = Tables { bits: *BITS.start(), copies: 1 };

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
    fn run<E: From<Error>>(
        &mut self,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        terms: usize,
        observe: Observe<'_, E>,
    ) -> Result<(), E> {
        let StreamedWorkspace { copies, begun, .. } = &self.workspace;
        self.stream.record(begun).and_then(|()| copies.wait(begun)).map_err(Error::from)?;
        let mut start = 0;
        for (chunk, length) in self.workspace.plan.chunks().lengths(terms).enumerate() {
            let range = start..start + length;
            let (bases, scalars) = self.copy(chunk, bases, scalars, range, observe)?;
            self.queue(chunk, bases, scalars, observe)?;
            start += length;
        }
        observe(StreamedStep::Waiting)?;
        while let Some((plan, running)) = self.running.pop_front() {
            self.finish(plan, running)?;
        }
        Ok(())
    }

    /// Queues the copies of a chunk.
    fn copy<E: From<Error>>(
        &mut self,
        chunk: usize,
        bases: StreamedBases<'_, G>,
        scalars: StreamedScalars<'_>,
        range: Range<usize>,
        observe: Observe<'_, E>,
    ) -> Result<(Bases<G>, ChunkScalars), E> {
        let StreamedWorkspace { copies, sets, staging, .. } = &mut self.workspace;
        let set = &sets[chunk % 2];
        copies.wait(&set.used).map_err(Error::from)?;
        observe(StreamedStep::Copying(copies))?;
        let copied = [bases.place(), scalars.place()].map(|place| place > Place::Device);
        let bytes = [G::BYTES, SCALAR_BYTES].into_iter().zip(copied);
        let bytes = bytes.map(|(bytes, copied)| range.len() * bytes * usize::from(copied)).sum();
        let chunk_bases = bases.of_chunk(&range, copies, staging, set)?;
        let chunk_scalars = scalars.of_chunk(range, copies, staging, set)?;
        observe(StreamedStep::Copied(copies, bytes))?;
        copies.record(&set.copied).map_err(Error::from)?;
        Ok((chunk_bases, chunk_scalars))
    }

    /// Queues the sum of a chunk.
    fn queue<E: From<Error>>(
        &mut self,
        chunk: usize,
        bases: Bases<G>,
        scalars: ChunkScalars,
        observe: Observe<'_, E>,
    ) -> Result<(), E> {
        let plan = self.workspace.plan.plan_of(chunk);
        let workspace = self.workspace(plan)?;
        let set = &self.workspace.sets[chunk % 2];
        self.stream.wait(&set.copied).map_err(Error::from)?;
        observe(StreamedStep::Summing)?;
        let running = self.msm.run(self.stream, workspace, &bases, scalars.as_scalars())?;
        self.stream.record(&set.used).map_err(Error::from)?;
        self.running.push_back((plan, running));
        observe(StreamedStep::Summed)
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
