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
    pub accumulate: Kernel,
    pub join: Kernel,
    pub fold: Kernel,
    pub fold_run: Kernel,
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
            accumulate: own("accumulate")?,
            join: own("join")?,
            fold: own("fold")?,
            fold_run: own("fold_run")?,
            group: PhantomData,
        })
    }
}
