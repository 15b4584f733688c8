//! Barriers within a block, and between blocks.

use crate::support::{
    device, download, kernel, kernel_text, launch, module, run, unchecked, upload,
};
use ptx_emulator::{Checks, Config, Device, LaunchConfig};

const STORE: &str = "mad.wide.u32 %rd9, %gid, 4, %out;\nst.global.u32 [%rd9], %r9;";

/// A tree sum in shared memory, as every textbook has it.
fn tree_sum() -> String {
    kernel_text(
        ".shared .align 4 .b8 s[1024];\nmov.u32 %r2, s;\nmad.lo.u32 %r3, %tid, 4, %r2;\n\
         st.shared.u32 [%r3], %tid;\nmov.u32 %r4, 128;\nLOOP:\nbar.sync 0;\n\
         setp.ge.u32 %p1, %tid, %r4;\n@%p1 bra SKIP;\nmad.lo.u32 %r5, %r4, 4, %r3;\n\
         ld.shared.u32 %r6, [%r5];\nld.shared.u32 %r7, [%r3];\nadd.u32 %r7, %r7, %r6;\n\
         st.shared.u32 [%r3], %r7;\nSKIP:\nshr.u32 %r4, %r4, 1;\nsetp.ne.u32 %p2, %r4, 0;\n\
         @%p2 bra LOOP;\nsetp.ne.u32 %p3, %tid, 0;\n@%p3 bra END;\nld.shared.u32 %r9, [%r2];\n\
         mov.u32 %r0, %ctaid.x;\nmad.wide.u32 %rd9, %r0, 4, %out;\nst.global.u32 [%rd9], %r9;\nEND:",
    )
}

#[test]
fn block_reduction_for_every_seed() {
    let m = module(&tree_sum());
    for seed in 0..8 {
        let out = run(&device(seed), &m, LaunchConfig::new(5, 256), 5).unwrap();
        assert_eq!(out, [255 * 128; 5]);
    }
    let parallel = Device::new(Config::default().threads(2).memory(1 << 20));
    assert_eq!(run(&parallel, &m, LaunchConfig::new(64, 256), 64).unwrap(), [255 * 128; 64]);
}

#[test]
fn barrier_reductions() {
    let m = kernel(&format!(
        "setp.lt.u32 %p1, %tid, 70;\nbar.red.popc.u32 %r2, 0, %p1;\nbar.red.and.pred %p2, 1, %p1;\n\
         barrier.cta.red.or.pred %p3, 0, 96, !%p1;\nselp.u32 %r3, 1000, 0, %p2;\n\
         selp.u32 %r4, 500, 0, %p3;\nadd.u32 %r9, %r2, %r3;\nadd.u32 %r9, %r9, %r4;\n{STORE}"
    ));
    assert_eq!(run(&device(0), &m, LaunchConfig::new(1, 96), 96).unwrap(), [570; 96]);
}

#[test]
fn named_barriers_of_producers_and_consumers() {
    // Warp 0 fills, the others wait for it alone.
    let m = kernel(&format!(
        ".shared .align 4 .u32 s[32];\nmov.u32 %r2, s;\nshr.u32 %r3, %tid, 5;\n\
         and.b32 %r4, %tid, 31;\nmad.lo.u32 %r5, %r4, 4, %r2;\nsetp.ne.u32 %p1, %r3, 0;\n\
         @%p1 bra CONSUME;\nst.shared.u32 [%r5], %tid;\nbar.arrive 3, 96;\nmov.u32 %r9, 77;\n\
         bra MEET;\nCONSUME:\nbar.sync 3, 96;\nld.shared.u32 %r9, [%r5];\nMEET:\n{STORE}"
    ));
    for seed in 0..4 {
        let out = run(&device(seed), &m, LaunchConfig::new(1, 96), 96).unwrap();
        for (i, &v) in out.iter().enumerate() {
            assert_eq!(v, if i < 32 { 77 } else { i as u32 % 32 });
        }
    }
}

#[test]
fn divergent_threads_at_an_unaligned_barrier() {
    // The two halves of each warp wait at different places.
    let m = kernel(&format!(
        "and.b32 %r2, %tid, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\nbarrier.sync 0;\n\
         mov.u32 %r9, 1;\nbra MEET;\nEVEN:\nbarrier.sync 0;\nmov.u32 %r9, 2;\nMEET:\n{STORE}"
    ));
    let out = run(&device(0), &m, LaunchConfig::new(1, 64), 64).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == 2 - i as u32 % 2));
}

/// A barrier of the grid: a counter in device memory that every block raises and watches. The
/// words behind it hold one number a block, which all blocks add up afterwards.
const GRID_BARRIER: &str = "setp.ne.u32 %p1, %tid, 0;\nmov.u32 %r0, %ctaid.x;\n\
    mov.u32 %r2, %nctaid.x;\nmad.wide.u32 %rd1, %r0, 4, %out;\nadd.u32 %r3, %r0, 1;\n\
    @%p1 bra SYNC;\nst.global.u32 [%rd1+4], %r3;\nSYNC:\nbar.sync 0;\n@%p1 bra PASS;\n\
    membar.gl;\natom.global.add.u32 %r4, [%out], 1;\nSPIN:\nld.volatile.global.u32 %r4, [%out];\n\
    setp.lt.u32 %p2, %r4, %r2;\n@%p2 bra SPIN;\nPASS:\nbar.sync 0;\nmov.u32 %r5, 0;\n\
    mov.u32 %r9, 0;\nSUM:\nmad.wide.u32 %rd2, %r5, 4, %out;\nld.global.u32 %r6, [%rd2+4];\n\
    add.u32 %r9, %r9, %r6;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, %r2;\n@%p3 bra SUM;\n\
    mad.wide.u32 %rd3, %r2, 4, %out;\nmad.wide.u32 %rd3, %gid, 4, %rd3;\n\
    st.global.u32 [%rd3+4], %r9;";

#[test]
fn blocks_that_wait_for_each_other() {
    let m = kernel(GRID_BARRIER);
    for (seed, threads) in [(0, 1), (1, 1), (2, 2), (3, 2)] {
        let d = Device::new(Config::default().memory(1 << 20).seed(seed).threads(threads));
        let config = LaunchConfig::new(6, 64).cooperative();
        let out = run(&d, &m, config, 7 + 6 * 64).unwrap();
        assert!(out[7..].iter().all(|&v| v == 21));
    }
    // Without the fence the other blocks' numbers need not be visible.
    let m = kernel(&GRID_BARRIER.replace("membar.gl;", ""));
    let e = run(&device(0), &m, LaunchConfig::new(6, 64).cooperative(), 7 + 6 * 64).unwrap_err();
    assert!(e.to_string().contains("data race"), "{e}");
}

#[test]
fn blocks_that_are_not_resident_cannot_wait() {
    let m = kernel(GRID_BARRIER);
    let d = Device::new(Config::default().memory(1 << 20).threads(1).step_limit(100_000));
    let e = run(&d, &m, LaunchConfig::new(6, 64), 7 + 6 * 64).unwrap_err();
    assert_eq!(e.report().unwrap().fault, ptx_emulator::Fault::StepLimit);
}

#[test]
fn a_lock_within_a_warp() {
    // Each lane takes the lock in turn; the others spin in the same warp.
    let m = kernel(
        "SPIN:\natom.acquire.gpu.global.cas.b32 %r2, [%out], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n\
         @%p1 bra SPIN;\nld.global.u32 %r3, [%out+4];\nadd.u32 %r3, %r3, 1;\n\
         st.global.u32 [%out+4], %r3;\nmembar.gl;\natom.release.gpu.global.exch.b32 %r4, [%out], 0;",
    );
    let out = run(&unchecked(1), &m, LaunchConfig::new(1, 8), 2).unwrap();
    assert_eq!(out, [0, 8]);
}

#[test]
fn seeds_change_the_order_only() {
    // A ticket for each warp: the order differs, the set of tickets does not.
    let m = kernel(
        "and.b32 %r2, %tid, 31;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 exit;\n\
         atom.global.add.u32 %r9, [%out], 1;\nshr.u32 %r3, %tid, 5;\nmad.wide.u32 %rd1, %r3, 4, %out;\n\
         st.global.u32 [%rd1+4], %r9;",
    );
    let config = Config::default().memory(1 << 20).threads(1).checks(Checks::ALL);
    let order = |seed| {
        let d = Device::new(config.clone().seed(seed));
        let out = upload(&d, &[0; 9]);
        launch(&d, &m, LaunchConfig::new(1, 256), &[out.into()]).unwrap();
        download(&d, out, 9)[1..].to_vec()
    };
    let orders: Vec<_> = (0..8).map(order).collect();
    assert!(orders.iter().any(|o| o != &orders[0]));
    assert_eq!(order(5), orders[5]);
    for mut o in orders {
        o.sort_unstable();
        assert_eq!(o, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
