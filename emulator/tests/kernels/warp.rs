//! Shuffles, votes, matches, reductions of a warp.

use crate::support::{device, kernel, run};
use ptx_emulator::{Fault, LaunchConfig};

const STORE: &str = "mad.wide.u32 %rd9, %gid, 4, %out;\nst.global.u32 [%rd9], %r9;";

/// Runs `body`, which leaves a result in %r9, on one full warp.
fn warp(body: &str) -> Vec<u32> {
    run(&device(0), &kernel(&format!("{body}\n{STORE}")), LaunchConfig::new(1, 32), 32).unwrap()
}

#[test]
fn shuffles() {
    // Mode, b, c, and the source lane and predicate that the manual's formulas give.
    type Source = fn(u32) -> (u32, bool);
    let cases: [(&str, &str, u32, Source); 8] = [
        ("up", "3", 0, |l| if l >= 3 { (l - 3, true) } else { (l, false) }),
        ("down", "5", 31, |l| if l + 5 < 32 { (l + 5, true) } else { (l, false) }),
        ("bfly", "9", 31, |l| (l ^ 9, true)),
        ("idx", "7", 31, |_| (7, true)),
        // Segments of eight lanes.
        ("up", "2", 0x1800, |l| if l % 8 >= 2 { (l - 2, true) } else { (l, false) }),
        ("down", "2", 0x181f, |l| if l % 8 < 6 { (l + 2, true) } else { (l, false) }),
        ("idx", "11", 0x181f, |l| (l & !7 | 3, true)),
        // Clamped: lanes beyond 15 keep their own.
        ("bfly", "16", 15, |l| if l ^ 16 <= 15 { (l ^ 16, true) } else { (l, false) }),
    ];
    for (mode, b, c, source) in cases {
        let out = warp(&format!(
            "mul.lo.u32 %r2, %tid, 3;\nshfl.sync.{mode}.b32 %r9|%p1, %r2, {b}, {c}, -1;\n\
             selp.u32 %r3, 0x1000, 0, %p1;\nor.b32 %r9, %r9, %r3;"
        ));
        for (l, &v) in out.iter().enumerate() {
            let (from, inside) = source(l as u32);
            assert_eq!(v, (from * 3) | (u32::from(inside) << 12), "{mode} {b} {c:#x} lane {l}");
        }
    }
    let rotate = warp("add.u32 %r2, %tid, 1;\nshfl.sync.idx.b32 %r9, %tid, %r2, 31, 0xffffffff;");
    assert!(rotate.iter().enumerate().all(|(l, &v)| v == (l as u32 + 1) % 32));
}

#[test]
fn votes() {
    let p = "setp.lt.u32 %p1, %tid, 20;\n";
    let pred = |op: &str| {
        let out = warp(&format!("{p}vote.sync.{op}.pred %p2, %p1, -1;\nselp.u32 %r9, 1, 0, %p2;"));
        assert!(out.iter().all(|&v| v == out[0]));
        out[0]
    };
    assert_eq!([pred("all"), pred("any"), pred("uni")], [0, 1, 0]);
    assert_eq!(warp(&format!("{p}vote.sync.ballot.b32 %r9, %p1, -1;")), [0xf_ffff; 32]);
    assert_eq!(warp(&format!("{p}vote.sync.ballot.b32 %r9, !%p1, -1;")), [0xfff0_0000; 32]);
}

#[test]
fn matches_and_reductions() {
    let out = warp("and.b32 %r2, %tid, 3;\nmatch.any.sync.b32 %r9, %r2, -1;");
    assert!(out.iter().enumerate().all(|(l, &v)| v == 0x1111_1111 << (l % 4)));
    let all = "match.all.sync.b64 %r9|%p1, %rd1, -1;\nselp.u32 %r9, %r9, 5, %p1;";
    assert_eq!(warp(&format!("mov.u64 %rd1, 7;\n{all}")), [u32::MAX; 32]);
    assert_eq!(warp(&format!("cvt.u64.u32 %rd1, %tid;\n{all}")), [5; 32]);
    for (op, expected) in [
        ("add.u32", 496 + 32),
        ("min.u32", 1),
        ("max.s32", 32),
        ("and.b32", 0),
        ("or.b32", 63),
        ("xor.b32", 32),
    ] {
        let out = warp(&format!("add.u32 %r2, %tid, 1;\nredux.sync.{op} %r9, %r2, -1;"));
        assert_eq!(out, [expected; 32], "{op}");
    }
    let out = warp("elect.sync %r2|%p1, -1;\nselp.u32 %r9, 9, %r2, %p1;");
    assert!(out.iter().enumerate().all(|(l, &v)| v == if l == 0 { 9 } else { 0 }));
}

#[test]
fn groups_with_different_masks() {
    // Lanes of each half form a group, at one instruction.
    let out = warp(
        "setp.lt.u32 %p1, %tid, 16;\nselp.b32 %r2, 0xffff, 0xffff0000, %p1;\n\
         redux.sync.add.u32 %r9, %tid, %r2;",
    );
    assert!(out.iter().enumerate().all(|(l, &v)| v == if l < 16 { 120 } else { 376 }));
}

#[test]
fn lanes_come_to_a_shuffle_by_different_ways() {
    // The odd lanes take a longer way; the shuffle waits for them although the branch's
    // post-dominator lies behind it.
    let out = warp(
        "and.b32 %r2, %tid, 1;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r3, %tid;\n@%p1 bra SHUFFLE;\n\
         add.u32 %r3, %r3, 100;\nSHUFFLE:\nshfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;",
    );
    assert!(out.iter().enumerate().all(|(l, &v)| v == (l as u32 ^ 1) + 100 * (1 - l as u32 % 2)));
    // Half the warp synchronises while the other half has ended.
    let out = warp(
        "setp.lt.u32 %p1, %tid, 16;\nmov.u32 %r9, 0;\n@%p1 exit;\nbar.warp.sync -1;\n\
         redux.sync.add.u32 %r9, %tid, -1;",
    );
    assert_eq!(out[16..], [376; 16]);
    // Syncs in both arms of a branch are one.
    warp(
        "setp.lt.u32 %p1, %tid, 16;\n@%p1 bra A;\nbar.warp.sync -1;\nbra B;\nA:\nbar.warp.sync -1;\n\
         B:\nmov.u32 %r9, 0;",
    );
}

#[test]
fn masks_must_name_who_executes() {
    let m = kernel("vote.sync.ballot.b32 %r9, %p1, 0x7;");
    let e = run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap_err();
    let r = e.report().unwrap();
    assert_eq!((&r.fault, r.thread.x), (&Fault::MemberMask { mask: 7 }, 3));
    // A lane that the mask names never comes.
    let m = kernel(
        "setp.eq.u32 %p1, %tid, 3;\n@%p1 bra END;\nL: shfl.sync.idx.b32 %r9, %tid, 0, 31, -1;\nbra END2;\nEND: bar.sync 1;\nEND2:",
    );
    let e = run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap_err();
    assert!(matches!(e.report().unwrap().fault, Fault::BarrierDivergence { .. }), "{e}");
}
