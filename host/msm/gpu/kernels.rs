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
    pub accumulate: Kernel,
    pub join: Kernel,
    pub fold: Kernel,
    pub collect: Kernel,
    pub table: Kernel,
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
            accumulate: own("accumulate")?,
            join: own("join")?,
            fold: own("fold")?,
            collect: own("collect")?,
            table: own("table")?,
            group: PhantomData,
        })
    }
}
