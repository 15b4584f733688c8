//! Data races in shared and device memory.

use crate::support::{device, kernel, launch, run, unchecked, upload};
use crate::{accept, report};
use ptx_emulator::{Access, Checks, Config, Device, Fault, LaunchConfig};

/// Each thread stores its own word and reads its neighbour's.
fn neighbours(space: &str, between: &str) -> String {
    let base = if space == "shared" {
        ".shared .align 4 .b8 s[1024];\nmov.u64 %rd1, s;\n"
    } else {
        "mov.u64 %rd1, %out;\n"
    };
    format!(
        "{base}mov.u32 %r1, %ntid.x;\nmad.wide.u32 %rd2, %tid, 4, %rd1;\n\
         st.{space}.u32 [%rd2], %tid;\n{between}\nadd.u32 %r2, %tid, 1;\nrem.u32 %r2, %r2, %r1;\n\
         mad.wide.u32 %rd3, %r2, 4, %rd1;\nld.{space}.u32 %r3, [%rd3];"
    )
}

#[test]
fn a_missing_barrier() {
    for space in ["shared", "global"] {
        for threads in [32, 64, 256] {
            let config = LaunchConfig::new(1, threads);
            let r = report(&kernel(&neighbours(space, "")), config, 256);
            let Fault::Race { access, other } = &r.fault else { panic!("{r}") };
            // Whoever comes second: a read after the write, or the write after a read.
            assert!(matches!(
                (access, other.access),
                (Access::Read, Access::Write) | (Access::Write, Access::Read)
            ));
            assert_ne!(r.thread, other.thread);
            assert!(other.line.text.starts_with("st.") || other.line.text.starts_with("ld."));
            accept(&kernel(&neighbours(space, "bar.sync 0;")), config, 256);
        }
        // Within a warp its own barrier is enough; a shuffle is none.
        let warp = LaunchConfig::new(1, 32);
        accept(&kernel(&neighbours(space, "bar.warp.sync -1;")), warp, 256);
        report(&kernel(&neighbours(space, "shfl.sync.idx.b32 %r9, %tid, 0, 31, -1;")), warp, 256);
        report(&kernel(&neighbours(space, "bar.warp.sync -1;")), LaunchConfig::new(1, 64), 256);
    }
}

#[test]
fn races_are_found_only_when_looked_for() {
    let m = kernel(&neighbours("shared", ""));
    run(&unchecked(0), &m, LaunchConfig::new(1, 64), 1).unwrap();
    let config = Config::default().memory(1 << 20).checks(Checks::ALL.races(false));
    // The neighbour may not have written yet.
    let _ = run(&Device::new(config), &m, LaunchConfig::new(1, 32), 1);
}

#[test]
fn write_after_write() {
    let config = LaunchConfig::new(1, 64);
    let r = report(&kernel("st.global.u32 [%out], %tid;"), config, 1);
    let Fault::Race { access: Access::Write, other } = &r.fault else { panic!("{r}") };
    assert_eq!(other.access, Access::Write);
    accept(
        &kernel("setp.ne.u32 %p1, %tid, 5;\n@%p1 exit;\nst.global.u32 [%out], %tid;"),
        config,
        1,
    );
    // A strong store next to weak ones is still a race; strong ones among themselves are not.
    accept(&kernel("st.relaxed.gpu.global.u32 [%out], %tid;"), config, 1);
    accept(
        &kernel("st.volatile.global.u32 [%out], %tid;\nld.volatile.global.u32 %r2, [%out];"),
        config,
        1,
    );
    report(
        &kernel(
            "setp.eq.u32 %p1, %tid, 0;\n@%p1 st.global.u32 [%out], 1;\n@!%p1 st.volatile.global.u32 [%out], %tid;",
        ),
        config,
        1,
    );
}

#[test]
fn the_next_round_must_wait_too() {
    // Reads of one round against writes of the next: the second barrier of a loop.
    let round = |second: &str| {
        kernel(&format!(
            ".shared .align 4 .b8 s[256];\nmov.u64 %rd1, s;\nmad.wide.u32 %rd2, %tid, 4, %rd1;\n\
             xor.b32 %r2, %tid, 33;\nmad.wide.u32 %rd3, %r2, 4, %rd1;\nmov.u32 %r5, 0;\nL:\n\
             st.shared.u32 [%rd2], %r5;\nbar.sync 0;\nld.shared.u32 %r3, [%rd3];\n{second}\n\
             add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 3;\n@%p1 bra L;"
        ))
    };
    report(&round(""), LaunchConfig::new(1, 64), 1);
    accept(&round("bar.sync 0;"), LaunchConfig::new(1, 64), 1);
}

#[test]
fn one_barrier_does_not_order_another() {
    // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2; then 0 writes what 2 wrote.
    let m = |id: &str| {
        kernel(&format!(
            ".shared .u32 s[1];\nshr.u32 %r2, %tid, 6;\nadd.u32 %r3, %r2, 1;\n\
             setp.ne.u32 %p1, %tid, 64;\n@%p1 bra A;\nst.shared.u32 [s], %tid;\nA:\n\
             bar.sync {id};\nsetp.ne.u32 %p2, %tid, 0;\n@%p2 bra B;\nst.shared.u32 [s], %tid;\nB:"
        ))
    };
    report(&m("%r3, 64"), LaunchConfig::new(1, 128), 1);
    accept(&m("0"), LaunchConfig::new(1, 128), 1);
}

#[test]
fn bytes_of_a_word() {
    let config = LaunchConfig::new(1, 64);
    accept(&kernel("mad.wide.u32 %rd1, %tid, 1, %out;\nst.global.u8 [%rd1], %tid;"), config, 16);
    accept(&kernel("mad.wide.u32 %rd1, %tid, 2, %out;\nst.global.u16 [%rd1], %tid;"), config, 32);
    report(
        &kernel(
            "shr.u32 %r2, %tid, 1;\nmad.wide.u32 %rd1, %r2, 1, %out;\nst.global.u8 [%rd1], %tid;",
        ),
        config,
        16,
    );
}

#[test]
fn the_last_reader_writes() {
    // All read; then the thread that read last, or first, writes: the others' reads remain.
    for writer in [0, 31, 63] {
        let m = kernel(&format!(
            "ld.global.u32 %r2, [%out];\nsetp.eq.u32 %p1, %tid, {writer};\n\
             @%p1 st.global.u32 [%out], %tid;"
        ));
        let config = LaunchConfig::new(1, 64);
        report(&m, config, 1);
        let m = kernel(&format!(
            "setp.eq.u32 %p1, %tid, {writer};\n@!%p1 exit;\nld.global.u32 %r2, [%out];\n\
             st.global.u32 [%out], %tid;"
        ));
        accept(&m, config, 1);
    }
}

#[test]
fn atomics_do_not_race() {
    let config = LaunchConfig::new(4, 64);
    accept(&kernel("atom.global.add.u32 %r2, [%out], 1;"), config, 1);
    report(
        &kernel("ld.global.u32 %r2, [%out];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%out], %r2;"),
        config,
        1,
    );
    let r = report(
        &kernel("atom.global.add.u32 %r2, [%out], 1;\nld.global.u32 %r3, [%out];"),
        config,
        1,
    );
    assert!(matches!(r.fault, Fault::Race { .. }));
}

#[test]
fn blocks_are_not_ordered() {
    // Two blocks write one word; a barrier of the block does not help.
    let m = kernel(
        "setp.ne.u32 %p1, %tid, 0;\n@%p1 bra A;\nst.global.u32 [%out], %r0;\nA:\nbar.sync 0;",
    );
    accept(&m, LaunchConfig::new(1, 64), 1);
    let r = report(&m, LaunchConfig::new(2, 64), 1);
    let Fault::Race { other, .. } = &r.fault else { panic!("{r}") };
    assert_ne!(r.block, other.block);
    // Many readers, then a writer of any of the blocks.
    let m = kernel(
        "setp.eq.u32 %p1, %gid, 70;\nld.global.u32 %r2, [%out];\n@%p1 st.global.u32 [%out], 1;",
    );
    report(&m, LaunchConfig::new(4, 32), 1);
    // Launches are ordered.
    let d = device(0);
    let p = upload(&d, &[0]);
    let m = kernel("st.global.u32 [%out], %tid;");
    for _ in 0..2 {
        launch(&d, &m, LaunchConfig::new(1, 1), &[p.into()]).unwrap();
    }
}

/// The last block to finish adds up what all have written.
fn last_block(fence: &str) -> String {
    format!(
        ".shared .u32 last;\nmov.u32 %r2, %nctaid.x;\nadd.u32 %r3, %r0, 1;\n\
         mad.wide.u32 %rd1, %r3, 4, %out;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra A;\n\
         st.global.u32 [%rd1], %r3;\n{fence}\natom.global.inc.u32 %r4, [%out], %r2;\n\
         add.u32 %r4, %r4, 1;\nsetp.eq.u32 %p2, %r4, %r2;\nselp.u32 %r5, 1, 0, %p2;\n\
         st.shared.u32 [last], %r5;\nA:\nbar.sync 0;\nld.shared.u32 %r5, [last];\n\
         setp.eq.u32 %p3, %r5, 0;\n@%p3 exit;\nsetp.ge.u32 %p4, %tid, %r2;\n@%p4 exit;\n\
         mad.wide.u32 %rd2, %tid, 4, %out;\nld.global.u32 %r6, [%rd2+4];\n"
    )
}

#[test]
fn a_fence_and_an_atomic_order_blocks() {
    let config = LaunchConfig::new(9, 64);
    for fence in ["membar.gl;", "fence.acq_rel.gpu;", "fence.sc.sys;"] {
        accept(&kernel(&last_block(fence)), config, 10);
    }
    report(&kernel(&last_block("")), config, 10);
    // Release and acquire on the atomic itself.
    let m = last_block("").replace("atom.global.inc", "atom.acq_rel.gpu.global.inc");
    accept(&kernel(&m), config, 10);
}

#[test]
fn a_flag_between_warps() {
    let flag = |store: &str, load: &str| {
        kernel(&format!(
            ".shared .u32 data[1];\n.shared .u32 flag[1];\nsetp.eq.u32 %p3, %tid, 0;\n\
             @%p3 st.shared.u32 [flag], 0;\nbar.sync 0;\nsetp.eq.u32 %p1, %tid, 0;\n@%p1 bra WRITE;\n\
             setp.ne.u32 %p1, %tid, 32;\n@%p1 exit;\nSPIN: {load}.shared.u32 %r2, [flag];\n\
             setp.eq.u32 %p2, %r2, 0;\n@%p2 bra SPIN;\nld.shared.u32 %r3, [data];\nexit;\n\
             WRITE: st.shared.u32 [data], 5;\n{store}.shared.u32 [flag], 1;"
        ))
    };
    let config = LaunchConfig::new(1, 64);
    accept(&flag("st.release.cta", "ld.acquire.cta"), config, 1);
    accept(&flag("fence.acq_rel.cta;\nst.relaxed.cta", "ld.relaxed.cta"), config, 1);
    report(&flag("st.relaxed.cta", "ld.relaxed.cta"), config, 1);
}

#[test]
fn host_threads_find_the_same() {
    let d = Device::new(Config::default().memory(1 << 20).threads(4));
    let m = kernel("mad.wide.u32 %rd1, %tid, 4, %out;\nst.global.u32 [%rd1], %gid;");
    let e = run(&d, &m, LaunchConfig::new(64, 64), 64).unwrap_err();
    assert!(matches!(e.report().unwrap().fault, Fault::Race { .. }));
    let m = kernel("mad.wide.u32 %rd1, %gid, 4, %out;\nst.global.u32 [%rd1], %gid;");
    let out = run(&d, &m, LaunchConfig::new(64, 64), 4096).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| i as u32 == v));
}
