//! A sum that is queued.

use group::Group as _;

use super::combine::combine;
use super::error::Error;
use super::group::DeviceGroup;
use super::plan::Plan;
use super::workspace::Workspace;
use crate::gpu::{DeviceSlice, Pending, PinnedBuffer, Stream};

/// A sum that a stream is going to have made. Dropping it gives the sum and the workspace up without
/// waiting.
#[derive(Debug)]
#[must_use = "the sum is given up"]
pub struct Running<G> {
    plan: Plan<G>,
    memory: DeviceSlice<u8>,
    results: Results,
}

#[derive(Debug)]
enum Results {
    /// Of no terms.
    None(PinnedBuffer<u8>),
    Coming(Pending<PinnedBuffer<u8>>),
}

impl<G: DeviceGroup> Running<G> {
    /// The sum of no terms.
    pub(super) fn empty(workspace: Workspace<G>) -> Self {
        let (plan, memory, results) = workspace.into_parts();
        Self { plan, memory, results: Results::None(results) }
    }

    /// Queues the copy of what the kernels leave.
    pub(super) fn download(stream: &Stream, workspace: Workspace<G>) -> Result<Self, Error> {
        let from = workspace.results();
        let (plan, memory, results) = workspace.into_parts();
        let results = Results::Coming(stream.download_pinned(&from, results, ..)?);
        Ok(Self { plan, memory, results })
    }

    /// Whether the device is done.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`].
    pub fn is_done(&self) -> Result<bool, Error> {
        match &self.results {
            Results::None(_) => Ok(true),
            Results::Coming(pending) => Ok(pending.is_done()?),
        }
    }

    /// Waits for the device and gives the sum, and the workspace back.
    ///
    /// # Errors
    ///
    /// As [`Stream::synchronize`]; the workspace is given up then.
    pub fn wait(self) -> Result<(G::Projective, Workspace<G>), Error> {
        let (sum, results) = match self.results {
            Results::None(results) => (G::Projective::identity(), results),
            Results::Coming(pending) => {
                let results = pending.wait()?;
                (combine::<G>(&results, self.plan.split().bits), results)
            }
        };
        Ok((sum, Workspace::from_parts(self.plan, self.memory, results)))
    }
}
