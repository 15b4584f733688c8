//! Every check: a kernel that does wrong, and its twin that does right.

#[path = "checks/barriers.rs"]
mod barriers;
#[path = "checks/bounds.rs"]
mod bounds;
#[path = "checks/races.rs"]
mod races;
#[path = "kernels/support.rs"]
mod support;

use ptx_emulator::{LaunchConfig, Module, Report};

/// Runs a kernel that must be at fault, with several seeds; gives the first report.
fn report(m: &Module, config: LaunchConfig, words: usize) -> Report {
    let run = |seed| match support::run(&support::device(seed), m, config, words) {
        Ok(_) => panic!("seed {seed} found nothing"),
        Err(e) => e.report().unwrap_or_else(|| panic!("{e}")).clone(),
    };
    for seed in 1..4 {
        run(seed);
    }
    run(0)
}

/// Runs a kernel that must be right, with several seeds.
fn accept(m: &Module, config: LaunchConfig, words: usize) {
    for seed in 0..6 {
        if let Err(e) = support::run(&support::device(seed), m, config, words) {
            panic!("seed {seed}: {e}");
        }
    }
}
