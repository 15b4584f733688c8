//! Multi-scalar multiplication on a device; the kernels, and how they go about it, are in
//! [`warpfield_device::msm`].
//!
//! ```
//! use blstrs::{G1Projective, Scalar};
//! use group::Group;
//! use warpfield::curve::{CurveGroup, G1, PointSlice, write_points};
//! use warpfield::gpu::{Device, Module, emulator};
//! use warpfield::msm::{ScalarSlice, gpu::Msm};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::emulated(emulator::Config::default());
//! let module = Module::load(&device, warpfield::ptx::MODULE)?;
//! let msm = Msm::<G1>::new(&device, &module)?;
//!
//! let generator = G1Projective::generator();
//! let bases = write_points::<G1>(&[G1::to_affine(&generator), G1::to_affine(&generator.double())]);
//! let scalars = [Scalar::from(5), Scalar::from(7)].map(|scalar| scalar.to_bytes_le());
//! let sum = msm.sum(PointSlice::new(&bases)?, ScalarSlice::from(&scalars[..]))?;
//! assert_eq!(sum, generator * Scalar::from(5 + 2 * 7));
//! # Ok(())
//! # }
//! ```
//!
//! Where the bases stay the same they are uploaded once ([`Bases`]), perhaps with tables that make sums
//! quicker ([`Msm::fixed_bases`]), and where one sum follows another they use the same memory
//! ([`Workspace`]). [`Msm::run`] then queues everything without waiting. Operands that are in host memory, be
//! they more than the device has room for, are copied under the work ([`Msm::run_streamed`]).

mod combine;
mod error;
mod fixed_base;
mod group;
mod kernels;
mod operands;
mod plan;
mod running;
mod steps;
mod streamed;
mod tables;
mod tuning;
mod workspace;

pub use error::Error;
pub use fixed_base::FixedBase;
pub use group::DeviceGroup;
pub use operands::{Bases, Scalars};
pub use plan::{Halving, Plan, Split};
pub use running::Running;
pub use steps::Step;
pub use streamed::{
    Chunks, HostSlice, Observe, Place, StreamedBases, StreamedPlan, StreamedScalars, StreamedStep,
    StreamedWorkspace, WrittenPoints,
};
pub use tables::Tables;
pub use workspace::Workspace;

use warpfield_device::curve::Affine;

use crate::curve::PointSlice;
use crate::gpu::{self, Device, DeviceSlice, Module, Stream};
use crate::msm::{ScalarSlice, check_lengths};
use kernels::Kernels;
use steps::Job;

/// What a device needs for sums in a group. Holds no memory but that of the code.
#[derive(Clone, Debug)]
pub struct Msm<G> {
    device: Device,
    kernels: Kernels<G>,
}

impl<G: DeviceGroup> Msm<G> {
    /// Finds the kernels in [`ptx::MODULE`](crate::ptx::MODULE), loaded on the device.
    ///
    /// # Errors
    ///
    /// The module is another, and the driver's.
    pub fn new(device: &Device, module: &Module) -> Result<Self, Error> {
        Ok(Self { device: device.clone(), kernels: Kernels::find(module)? })
    }

    /// Uploads bases, and waits for it.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn bases(&self, stream: &Stream, points: PointSlice<'_, G>) -> Result<Bases<G>, Error> {
        let memory = self.device.alloc::<u8>(points.as_bytes().len())?;
        stream.upload(&memory, points.as_bytes())?;
        Bases::new(memory.cast().expect("an allocation of whole points"))
    }

    /// Bases with the tables that fit so many bytes with them, of which sums of all are quickest
    /// ([`Tables::within`]). Where a second copy does not fit, and where it would not pay, they are `bases`
    /// themselves: no budget is too small.
    ///
    /// Each copy takes as many doublings of every base as it has bits more. Takes some hundred megabytes
    /// more while it makes them, and waits.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn fixed_bases(
        &self,
        stream: &Stream,
        bases: &Bases<G>,
        budget: usize,
    ) -> Result<Bases<G>, Error> {
        self.with_tables(stream, bases, Tables::within::<G>(bases.len(), budget))
    }

    /// Bases with these tables. As [`fixed_bases`](Self::fixed_bases) else.
    ///
    /// # Errors
    ///
    /// [`Error::Bits`], [`Error::Copies`], too many copies of too many bases, and the driver's.
    pub fn with_tables(
        &self,
        stream: &Stream,
        bases: &Bases<G>,
        tables: Tables,
    ) -> Result<Bases<G>, Error> {
        tables.check()?;
        if tables.copies == 1 || bases.is_empty() {
            return Ok(bases.clone());
        }
        let len = bases.len();
        tables.check_len(len)?;
        let memory = self.device.alloc::<Affine<G::Coordinate>>(len * tables.copies as usize)?;
        stream.copy(&memory.slice(..len), &bases.points().slice(..len))?;
        let room = tables::room(&self.device, &self.kernels, len)?;
        let room = self.device.alloc(room)?;
        let built = self.tables_within(stream, &memory, len, tables, &room)?;
        stream.synchronize()?;
        Ok(built)
    }

    /// Bases that are at the start of `memory`, with these tables, which are made behind them there. Queues
    /// it, with `room` for what is between: the more of it the quicker, up to some hundred
    /// megabytes.
    ///
    /// # Errors
    ///
    /// [`Error::Bits`], [`Error::Copies`], too many copies of too many bases, [`Error::Memory`],
    /// [`Error::Misaligned`], and the driver's.
    pub fn tables_within(
        &self,
        stream: &Stream,
        memory: &DeviceSlice<Affine<G::Coordinate>>,
        len: usize,
        tables: Tables,
        room: &DeviceSlice<u8>,
    ) -> Result<Bases<G>, Error> {
        tables.check()?;
        tables.check_len(len)?;
        let points = len * tables.copies as usize;
        if memory.len() < points {
            let [bytes, room] = [points, memory.len()].map(|points| points * G::BYTES);
            return Err(Error::Memory { bytes, room });
        }
        let bases = Bases::with_tables(memory.slice(..points), len, tables)?;
        tables::build(stream, &self.kernels, &bases, room)?;
        Ok(bases)
    }

    /// How sums of up to so many terms are made quickest, as far as is known, of bases without tables.
    ///
    /// # Errors
    ///
    /// Too many terms, and the driver's.
    pub fn plan(&self, terms: usize) -> Result<Plan<G>, Error> {
        Plan::new(terms, Split::of::<G>(terms, self.halving_blocks()?))
    }

    /// The same of these bases, all of them or a slice.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan).
    pub fn plan_for(&self, bases: &Bases<G>) -> Result<Plan<G>, Error> {
        self.plan_with(bases.len(), bases.tables())
    }

    /// The same of bases with these tables.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan).
    pub fn plan_with(&self, terms: usize, tables: Tables) -> Result<Plan<G>, Error> {
        match tables.copies {
            1 => self.plan(terms),
            _ => Plan::new(terms, Split::with::<G>(terms, tables, self.halving_blocks()?)),
        }
    }

    /// Blocks of threads that halve segments which fill the device; 0 where there is no such kernel.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn halving_blocks(&self) -> Result<u32, Error> {
        let Some(halved) = &self.kernels.accumulate_halved else { return Ok(0) };
        let config = G::grid(1);
        let resident = halved.resident_blocks(config.block.x, config.shared_bytes)?;
        Ok(resident * self.device.info().multiprocessors)
    }

    /// Allocates the memory that a sum needs besides its operands.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn workspace(&self, plan: Plan<G>) -> Result<Workspace<G>, Error> {
        Workspace::new(&self.device, plan)
    }

    /// The same in memory that is there, from its start, which other sums may use before and after.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`], [`Error::Misaligned`], and the driver's.
    pub fn workspace_within(
        &self,
        plan: Plan<G>,
        memory: &DeviceSlice<u8>,
    ) -> Result<Workspace<G>, Error> {
        operands::check_aligned(memory)?;
        if memory.len() < plan.bytes() {
            return Err(Error::Memory { bytes: plan.bytes(), room: memory.len() });
        }
        Workspace::within(&self.device, plan, memory)
    }

    /// Queues Σ scalarᵢ · baseᵢ.
    ///
    /// Scalars of r and more count modulo r; bases outside the subgroup give some other point,
    /// nothing worse. So do scalars that other work changes meanwhile.
    ///
    /// # Errors
    ///
    /// The lengths differ, or are more than the workspace is for; the bases lack the tables that its
    /// plan asks for; and those of [`Stream::launch`]. The workspace is given up then.
    pub fn run(
        &self,
        stream: &Stream,
        workspace: Workspace<G>,
        bases: &Bases<G>,
        scalars: Scalars<'_>,
    ) -> Result<Running<G>, Error> {
        self.run_observed(stream, workspace, bases, scalars, |_| Ok(()))
    }

    /// [`run`](Self::run) with a function that is called when a step's work is queued, such as one
    /// that records events.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and those of the function.
    pub fn run_observed(
        &self,
        stream: &Stream,
        workspace: Workspace<G>,
        bases: &Bases<G>,
        scalars: Scalars<'_>,
        mut queued: impl FnMut(Step) -> Result<(), gpu::Error>,
    ) -> Result<Running<G>, Error> {
        check_lengths(bases.len(), scalars.len())?;
        if scalars.len() > workspace.plan.terms() {
            return Err(Error::Room { terms: scalars.len(), room: workspace.plan.terms() });
        }
        let (wanted, found) = (workspace.plan.split().tables(), bases.tables());
        if !found.serve(&wanted) {
            return Err(Error::Tables { wanted, found });
        }
        if scalars.is_empty() {
            return Ok(Running::empty(workspace));
        }
        let (kernels, device) = (&self.kernels, self.device.info());
        let job = Job { kernels, stream, workspace: &workspace, bases, scalars, device };
        job.run(&mut queued)?;
        let running = Running::download(stream, workspace)?;
        queued(Step::Download)?;
        Ok(running)
    }

    /// Σ scalarᵢ · baseᵢ of host memory: uploads both, and waits.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn sum(
        &self,
        bases: PointSlice<'_, G>,
        scalars: ScalarSlice<'_>,
    ) -> Result<G::Projective, Error> {
        check_lengths(bases.len(), scalars.len())?;
        let stream = self.device.stream()?;
        let workspace = self.workspace(self.plan(scalars.len())?)?;
        let bases = self.bases(&stream, bases)?;
        let memory = self.device.alloc(scalars.len())?;
        stream.upload(&memory, scalars.as_arrays())?;
        let scalars = memory.cast().expect("an allocation of whole scalars");
        let running = self.run(&stream, workspace, &bases, Scalars::Integers(&scalars))?;
        Ok(running.wait()?.0)
    }
}
