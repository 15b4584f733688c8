//! The kernels of sums in a group.

use std::marker::PhantomData;

use super::group::DeviceGroup;
use crate::gpu::{Error, Kernel, Module};

/// Named as in `warpfield_device::msm`.
#[derive(Clone, Debug)]
pub(super) struct Kernels<G> {
    pub digits: Kernel,
    pub bins: Kernel,
    pub partition: Kernel,
    pub sort: Kernel,
    pub segments: Kernel,
    pub order: Kernel,
    pub tile_sums: Kernel,
    pub starts: Kernel,
    pub accumulate: Kernel,
    /// Where the group has it.
    pub accumulate_halved: Option<Kernel>,
    pub join: Kernel,
    pub fold: Kernel,
    pub fold_run: Kernel,
    pub table: Kernel,
    pub fixed_base: Kernel,
    group: PhantomData<G>,
}

impl<G: DeviceGroup> Kernels<G> {
    pub fn find(module: &Module) -> Result<Self, Error> {
        let common = |name: &str| module.kernel(&format!("msm_{name}"));
        let own = |name: &str| module.kernel(&format!("{}_msm_{name}", G::PREFIX));
        Ok(Self {
            digits: common("digits")?,
            bins: common("bins")?,
            partition: common("partition")?,
            sort: common("sort")?,
            segments: common("segments")?,
            order: common("order")?,
            tile_sums: common("tile_sums")?,
            starts: common("starts")?,
            accumulate: own("accumulate")?,
            accumulate_halved: G::HALVES.then(|| own("accumulate_halved")).transpose()?,
            join: own("join")?,
            fold: own("fold")?,
            fold_run: own("fold_run")?,
            table: own("table")?,
            fixed_base: own("fixed_base")?,
            group: PhantomData,
        })
    }
}
