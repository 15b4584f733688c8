//! The memory of partitions: what waits, and what is at work.

use warpfield_device::field::Fr;

use super::layout::part;
use super::sums::SumSpace;
use super::{DeviceKey, Error, Sizes};
use crate::curve::{G1, G2};
use crate::gpu::{self, DeviceSlice, Stream};

/// A staging area in device memory: the witness of a partition, or its synthesis, from its copy until its sums
/// are made.
#[derive(Clone, Debug)]
pub struct Slot(DeviceSlice<[u32; 8]>);

impl Slot {
    /// One in the first [`Sizes::staging_bytes`] of some memory.
    ///
    /// # Errors
    ///
    /// [`Error::Room`], [`Error::Misaligned`].
    pub fn new(sizes: &Sizes, memory: &DeviceSlice<u8>) -> Result<Self, Error> {
        let memory = part("a witness", memory, sizes.staging_bytes())?;
        Ok(Self(memory.cast().expect("whole scalars")))
    }

    /// Queues zeros over what is there: after what used it, and before it is somebody else's.
    ///
    /// # Errors
    ///
    /// Those of [`Stream::fill`].
    pub fn clear(&self, stream: &Stream) -> Result<(), gpu::Error> {
        stream.fill(&self.0, 0)
    }

    /// The wires' values of a key with these sizes.
    pub(super) fn wires(&self, sizes: &Sizes) -> Result<DeviceSlice<[u32; 8]>, Error> {
        let first = sizes.vectors() * sizes.rows();
        match self.0.len() == first + sizes.wires {
            true => Ok(self.0.slice(first..)),
            false => Err(Error::OtherKey),
        }
    }

    /// a, b and c, of the domain's size, of a key for vectors with these sizes.
    pub(super) fn vectors(&self, sizes: &Sizes) -> Result<[DeviceSlice<Fr>; 3], Error> {
        self.wires(sizes)?;
        let rows = sizes.rows();
        Ok([0, 1, 2].map(|vector| {
            let vector = self.0.slice(vector * rows..(vector + 1) * rows);
            vector.cast().expect("as many bytes each")
        }))
    }
}

/// What a partition takes while it is computed: two vectors of the domain's size, or one where a slot has
/// vectors, and what the sums need one after the other.
#[derive(Debug)]
pub struct Scratch {
    pub(super) sizes: Sizes,
    /// The vectors, and later gathered scalars.
    pub(super) vectors: DeviceSlice<Fr>,
    /// What the workspaces share.
    pub(super) work: DeviceSlice<u8>,
    pub(super) workspaces: Workspaces,
}

/// Those of the sums.
#[derive(Debug)]
pub(super) struct Workspaces {
    pub a: SumSpace<G1>,
    pub b1: SumSpace<G1>,
    pub b2: SumSpace<G2>,
    pub c: SumSpace<G1>,
    pub h: SumSpace<G1>,
}

impl Scratch {
    /// One for partitions of a key, in the first [`Sizes::scratch_bytes`] of some memory, which other scratch
    /// memory may share as long as its partitions are computed before or after. Allocates some kilobytes of
    /// pinned memory, and up to 32 MiB for each vector of points that stays in host memory.
    ///
    /// # Errors
    ///
    /// [`Error::Room`], [`Error::Misaligned`], and the driver's.
    pub fn new(key: &DeviceKey, memory: &DeviceSlice<u8>) -> Result<Self, Error> {
        let (plans, kernels) = (&key.plans, &key.kernels);
        let layout = key.sizes.scratch_layout(plans);
        let memory = part("a partition", memory, layout.bytes)?;
        let work = memory.slice(layout.work);
        let workspaces = Workspaces {
            a: SumSpace::within(&kernels.g1, &plans.a, &work)?,
            b1: SumSpace::within(&kernels.g1, &plans.b1, &work)?,
            b2: SumSpace::within(&kernels.g2, &plans.b2, &work)?,
            c: SumSpace::within(&kernels.g1, &plans.c, &work)?,
            h: SumSpace::within(&kernels.g1, &plans.h, &work)?,
        };
        let vectors = memory.slice(layout.vectors).cast().expect("whole elements");
        Ok(Self { sizes: key.sizes, vectors, work, workspaces })
    }

    /// Queues zeros over what is there, which scalars follow from: as [`Slot::clear`].
    ///
    /// # Errors
    ///
    /// Those of [`Stream::fill`].
    pub fn clear(&self, stream: &Stream) -> Result<(), gpu::Error> {
        stream.fill(&self.vectors, 0)?;
        stream.fill(&self.work, 0)
    }
}
