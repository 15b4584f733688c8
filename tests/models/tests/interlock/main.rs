//! Models of the interlock: workers on a device, in all orders that their threads may run in.
//!
//! Loom tells of deadlocks, and so of lost wake-ups; the device tells of the rest.

mod admitted;
mod cancelled;
mod device;
mod workers;

use loom::model::Builder;
use warpfield_models::pipeline::interlock::Strategy;

/// Runs a model of every strategy on a device with one slot and with two, in all orders in which its threads
/// take over from each other where they wait, and at most `preemptions` times where they need not.
fn explore(preemptions: usize, model: impl Fn(Strategy, usize) + Copy + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    let all = Strategy::compiled().flat_map(|strategy| [1, 2].map(|slots| (strategy, slots)));
    for (strategy, slots) in all {
        builder.check(move || model(strategy, slots));
    }
}
