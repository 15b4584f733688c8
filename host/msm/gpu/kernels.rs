//! The kernels of sums in a group.

use std::marker::PhantomData;

use super::group::DeviceGroup;
use crate::gpu::{Error, Kernel, Module};

/// Named as in `warpfield_device::msm`.
#[derive(Clone, Debug)]
pub(super) struct Kernels<G> {
    pub count: Kernel,
    pub tile_sums: Kernel,
    pub tile_starts: Kernel,
    pub starts: Kernel,
    pub scatter: Kernel,
    pub segments: Kernel,
    pub order: Kernel,
    pub accumulate: Kernel,
    /// Where the group has it.
    pub accumulate_halved: Option<Kernel>,
    pub join: Kernel,
    pub fold: Kernel,
    pub collect: Kernel,
    group: PhantomData<G>,
}

impl<G: DeviceGroup> Kernels<G> {
    pub fn find(module: &Module) -> Result<Self, Error> {
        let common = |name: &str| module.kernel(&format!("msm_{name}"));
        let own = |name: &str| module.kernel(&format!("{}_msm_{name}", G::PREFIX));
        Ok(Self {
            count: common("count")?,
            tile_sums: common("tile_sums")?,
            tile_starts: common("tile_starts")?,
            starts: common("starts")?,
            scatter: common("scatter")?,
            segments: common("segments")?,
            order: common("order")?,
            accumulate: own("accumulate")?,
            accumulate_halved: G::HALVES.then(|| own("accumulate_halved")).transpose()?,
            join: own("join")?,
            fold: own("fold")?,
            collect: own("collect")?,
            group: PhantomData,
        })
    }
}
