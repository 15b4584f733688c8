//! Barriers that some threads do not reach.

use crate::support::{kernel, run, unchecked};
use crate::{accept, report};
use ptx_emulator::{Fault, LaunchConfig, Module};

fn diverges(m: &Module, config: LaunchConfig) -> String {
    match report(m, config, 64).fault {
        Fault::BarrierDivergence { detail } => detail,
        other => panic!("{other}"),
    }
}

const HALF: &str = "setp.lt.u32 %p1, %tid, 16;\n";

#[test]
fn a_barrier_in_both_arms() {
    // As a compiler leaves it that copies a barrier into the arms of a branch.
    let m = kernel(&format!(
        "{HALF}@%p1 bra A;\nmov.u32 %r2, 1;\nbar.sync 0;\nbra B;\nA: mov.u32 %r2, 2;\nbar.sync 0;\nB:"
    ));
    assert!(diverges(&m, LaunchConfig::new(1, 32)).contains("different barriers"));
    // Whole warps may do so.
    accept(
        &kernel("setp.lt.u32 %p1, %tid, 32;\n@%p1 bra A;\nbar.sync 0;\nbra B;\nA: bar.sync 0;\nB:"),
        LaunchConfig::new(1, 64),
        1,
    );
    accept(
        &kernel(&format!(
            "{HALF}@%p1 bra A;\nmov.u32 %r2, 1;\nbra B;\nA: mov.u32 %r2, 2;\nB: bar.sync 0;"
        )),
        LaunchConfig::new(1, 32),
        1,
    );
}

#[test]
fn a_barrier_in_one_arm() {
    let m = kernel(&format!("{HALF}@%p1 bra A;\nbar.sync 0;\nA:"));
    diverges(&m, LaunchConfig::new(1, 32));
    diverges(&kernel(&format!("{HALF}@%p1 bar.sync 0;")), LaunchConfig::new(1, 32));
    // A whole warp that passes by and waits elsewhere.
    let m = kernel("setp.lt.u32 %p1, %tid, 32;\n@%p1 bra A;\nbar.sync 0;\nA:\nbar.sync 1;");
    diverges(&m, LaunchConfig::new(1, 64));
}

#[test]
fn threads_that_left() {
    let m = kernel("setp.ge.u32 %p1, %gid, 40;\n@%p1 exit;\nbar.sync 0;");
    assert!(diverges(&m, LaunchConfig::new(1, 64)).contains("24 threads"));
    // Hardware lets it pass, and so it does where the check is off.
    run(&unchecked(0), &m, LaunchConfig::new(1, 64), 1).unwrap();
    accept(
        &kernel("bar.sync 0;\nsetp.ge.u32 %p1, %gid, 40;\n@%p1 exit;"),
        LaunchConfig::new(1, 64),
        1,
    );
    accept(&m, LaunchConfig::new(1, 40), 1);
}

#[test]
fn different_trip_counts() {
    let m = |bound: &str| {
        kernel(&format!(
            "mov.u32 %r2, 0;\nL:\nbar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, {bound};\n@%p1 bra L;"
        ))
    };
    diverges(&m("%tid"), LaunchConfig::new(1, 32));
    accept(&m("5"), LaunchConfig::new(1, 96), 1);
}

#[test]
fn counts_and_numbers() {
    diverges(&kernel("mov.u32 %r2, 16;\nbar.sync %r2;"), LaunchConfig::new(1, 32));
    diverges(&kernel("bar.sync 0, 40;"), LaunchConfig::new(1, 64));
    diverges(&kernel("bar.sync 0, 96;"), LaunchConfig::new(1, 64));
    accept(&kernel("bar.sync 15, 64;"), LaunchConfig::new(1, 64), 1);
}
