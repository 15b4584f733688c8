//! The groups as the kernels know them.

use warpfield_device::field::{Fp, Fp2};
use warpfield_device::launch::{G1_THREADS, G2_THREADS, SUM_SLOTS, TEAM, TEAM_SLOTS, bytes};
use warpfield_device::words::Words;

use super::tuning::{self, Tuning};
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

    /// Whether there is a kernel that halves segments: over the quadratic extension it is no quicker.
    const HALVES: bool;

    /// How its sums are split.
    const TUNING: Tuning;

    /// At least so many threads that sum points.
    #[must_use]
    fn grid(threads: u32) -> LaunchConfig {
        let bytes = bytes::<Self::Coordinate>(Self::THREADS, SUM_SLOTS);
        LaunchConfig::new(threads.div_ceil(Self::THREADS), Self::THREADS).shared_bytes(bytes)
    }

    /// Teams of lanes in a block of those.
    const TEAMS: u32 = Self::THREADS / TEAM;

    /// So many blocks of teams that sum points.
    #[must_use]
    fn team_grid(blocks: u32) -> LaunchConfig {
        let bytes = bytes::<Self::Coordinate>(Self::THREADS, TEAM_SLOTS);
        LaunchConfig::new(blocks, Self::THREADS).shared_bytes(bytes)
    }
}

impl DeviceGroup for G1 {
    type Coordinate = Fp;
    const PREFIX: &'static str = "g1";
    const THREADS: u32 = G1_THREADS;
    const HALVES: bool = true;
    const TUNING: Tuning = tuning::G1;
}

impl DeviceGroup for G2 {
    type Coordinate = Fp2;
    const PREFIX: &'static str = "g2";
    const THREADS: u32 = G2_THREADS;
    const HALVES: bool = false;
    const TUNING: Tuning = tuning::G2;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx;

    fn launches_are_as_described<G: DeviceGroup>() {
        let entry = |name: &str| ptx::entry(&format!("{}_msm_{name}", G::PREFIX));
        let mut names = vec!["accumulate", "fixed_base", "fold", "table"];
        names.extend(G::HALVES.then_some("accumulate_halved"));
        for name in names {
            let config = entry(name).expect("a kernel").config(3, G::THREADS);
            assert_eq!(G::grid(3 * G::THREADS), config, "{name}");
        }
        for name in ["fold_run", "join"] {
            let config = entry(name).expect("a kernel").config(3, G::THREADS);
            assert_eq!(G::team_grid(3), config, "{name}");
        }
    }

    #[test]
    fn launches_of_both_groups() {
        launches_are_as_described::<G1>();
        launches_are_as_described::<G2>();
    }
}
