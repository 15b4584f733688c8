//! Sums of points that are on the device, or come from the host.

use super::{Error, Residence};
use crate::gpu::DeviceSlice;
use crate::msm::gpu::{
    DeviceGroup, Msm, Plan, Running, StreamedPlan, StreamedWorkspace, Workspace,
};

/// How a sum is made.
#[derive(Clone, Debug)]
pub(super) enum SumPlan<G> {
    Device(Plan<G>),
    Host(StreamedPlan<G>),
}

impl<G: DeviceGroup> SumPlan<G> {
    pub fn new(msm: &Msm<G>, points: usize, residence: Residence) -> Result<Self, Error> {
        Ok(match residence {
            Residence::Device(tables) => Self::Device(msm.plan_with(points, tables)?),
            Residence::Host { chunk } => Self::Host(msm.streamed_plan_of_written(points, chunk)?),
        })
    }

    /// Bytes of device memory.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Device(plan) => plan.bytes(),
            Self::Host(plan) => plan.bytes(),
        }
    }

    /// Chunks that are copied.
    pub fn chunks(&self) -> usize {
        match self {
            Self::Device(_) => 0,
            Self::Host(plan) => plan.count(plan.terms()),
        }
    }
}

/// What a sum takes.
#[derive(Debug)]
pub(super) enum SumSpace<G> {
    Device(Workspace<G>),
    Host(Box<StreamedWorkspace<G>>),
}

impl<G: DeviceGroup> SumSpace<G> {
    /// At the start of some memory.
    pub fn within(
        msm: &Msm<G>,
        plan: &SumPlan<G>,
        memory: &DeviceSlice<u8>,
    ) -> Result<Self, Error> {
        Ok(match plan {
            SumPlan::Device(plan) => Self::Device(msm.workspace_within(*plan, memory)?),
            SumPlan::Host(plan) => {
                Self::Host(Box::new(msm.streamed_workspace_within(plan.clone(), memory)?))
            }
        })
    }
}

/// A sum that is queued, or made.
#[derive(Debug)]
pub(super) enum Sum<G: DeviceGroup> {
    Queued(Running<G>),
    Made(G::Projective, Box<StreamedWorkspace<G>>),
}

impl<G: DeviceGroup> Sum<G> {
    pub fn is_done(&self) -> Result<bool, Error> {
        match self {
            Self::Queued(running) => Ok(running.is_done()?),
            Self::Made(..) => Ok(true),
        }
    }

    pub fn wait(self) -> Result<(G::Projective, SumSpace<G>), Error> {
        match self {
            Self::Queued(running) => {
                let (sum, workspace) = running.wait()?;
                Ok((sum, SumSpace::Device(workspace)))
            }
            Self::Made(sum, workspace) => Ok((sum, SumSpace::Host(workspace))),
        }
    }
}
