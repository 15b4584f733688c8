//! The groups as the kernels know them.

use warpfield_device::field::{Fp, Fp2};
use warpfield_device::launch::{G1_THREADS, G2_THREADS, SUM_SLOTS, bytes};
use warpfield_device::words::Words;

use crate::curve::{CurveGroup, G1, G2};
use crate::gpu::{LaunchConfig, Plain};

/// A group that kernels sum in.
pub trait DeviceGroup: CurveGroup {
    /// The field of the coordinates in device memory, the same bytes as [`CurveGroup::Field`].
    type Coordinate: Words + Plain;

    /// What the names of its kernels begin with.
    const PREFIX: &'static str;

    /// Threads of a block that sums points.
    const THREADS: u32;

    /// At least so many threads that sum points.
    #[must_use]
    fn grid(threads: u32) -> LaunchConfig {
        let bytes = bytes::<Self::Coordinate>(Self::THREADS, SUM_SLOTS);
        LaunchConfig::new(threads.div_ceil(Self::THREADS), Self::THREADS).shared_bytes(bytes)
    }
}

impl DeviceGroup for G1 {
    type Coordinate = Fp;
    const PREFIX: &'static str = "g1";
    const THREADS: u32 = G1_THREADS;
}

impl DeviceGroup for G2 {
    type Coordinate = Fp2;
    const PREFIX: &'static str = "g2";
    const THREADS: u32 = G2_THREADS;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx;

    fn launches_are_as_described<G: DeviceGroup>() {
        for name in ["accumulate", "fold", "join"] {
            let entry = ptx::entry(&format!("{}_msm_{name}", G::PREFIX)).expect("a kernel");
            assert_eq!(G::grid(3 * G::THREADS), entry.config(3, G::THREADS), "{}", entry.name);
        }
    }

    #[test]
    fn launches_of_both_groups() {
        launches_are_as_described::<G1>();
        launches_are_as_described::<G2>();
    }
}
