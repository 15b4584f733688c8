//! Branches, loops, tables, calls.

use crate::support::{device, download, kernel, kernel_text, launch, module, run, upload};
use ptx_emulator::{Fault, LaunchConfig};

const STORE: &str = "mad.wide.u32 %rd9, %gid, 4, %out;\nst.global.u32 [%rd9], %r9;";

#[test]
fn lanes_part_and_meet_again() {
    // Nested, with lanes taking each of the four ways; activemask shows that they met.
    let m = kernel(&format!(
        "and.b32 %r2, %tid, 1;\nsetp.eq.u32 %p1, %r2, 0;\nand.b32 %r3, %tid, 2;\n\
         setp.eq.u32 %p2, %r3, 0;\n@%p1 bra EVEN;\n@%p2 bra B;\nmov.u32 %r9, 3;\nbra MEET;\n\
         B: mov.u32 %r9, 1;\nbra MEET;\nEVEN:\n@%p2 bra D;\nmov.u32 %r9, 2;\nbra MEET;\n\
         D: mov.u32 %r9, 0;\nMEET:\nactivemask.b32 %r4;\nsetp.ne.u32 %p3, %r4, 0xffffffff;\n\
         @%p3 trap;\n{STORE}"
    ));
    for seed in 0..4 {
        let out = run(&device(seed), &m, LaunchConfig::new(2, 64), 128).unwrap();
        assert!(out.iter().enumerate().all(|(i, &v)| v == i as u32 % 4));
    }
}

#[test]
fn loops_of_different_lengths() {
    let m = kernel(&format!(
        "mov.u32 %r9, 0;\nmov.u32 %r2, 0;\nLOOP:\nsetp.gt.u32 %p1, %r2, %tid;\n@%p1 bra DONE;\n\
         add.u32 %r9, %r9, %r2;\nadd.u32 %r2, %r2, 1;\nbra LOOP;\nDONE:\nactivemask.b32 %r4;\n\
         setp.ne.u32 %p3, %r4, 0xffffffff;\n@%p3 trap;\n{STORE}"
    ));
    let out = run(&device(1), &m, LaunchConfig::new(1, 96), 96).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == (i * (i + 1) / 2) as u32));
}

#[test]
fn branch_table() {
    let m = kernel(&format!(
        "and.b32 %r2, %tid, 3;\nT: .branchtargets A, B, C, A;\nbrx.idx %r2, T;\n\
         A: mov.u32 %r9, 10;\nbra MEET;\nB: mov.u32 %r9, 11;\nbra MEET;\nC: mov.u32 %r9, 12;\n\
         MEET:\n{STORE}"
    ));
    let out = run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap();
    let expected = [10, 11, 12, 10];
    assert!(out.iter().enumerate().all(|(i, &v)| v == expected[i % 4]));
}

#[test]
fn scopes_hide_names() {
    // The same register and label names twice, as inlined assembly leaves them.
    let m = kernel(&format!(
        "mov.u32 %r9, 0;\n\
         {{ .reg .u32 t; .reg .pred p; mov.u32 t, 5; L: sub.u32 t, t, 1; add.u32 %r9, %r9, 1;\n\
            setp.ne.u32 p, t, 0; @p bra L; }}\n\
         {{ .reg .u32 t; .reg .pred p; mov.u32 t, 7; L: sub.u32 t, t, 1; add.u32 %r9, %r9, 1;\n\
            setp.ne.u32 p, t, 0; @p bra L; }}\n{STORE}"
    ));
    assert_eq!(run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap(), [12; 32]);
}

#[test]
fn guarded_exits() {
    let m = kernel(&format!("setp.lt.u32 %p1, %tid, 5;\nmov.u32 %r9, 7;\n@%p1 exit;\n{STORE}"));
    let out = run(&device(0), &m, LaunchConfig::new(1, 64), 64).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == if i < 5 { 0 } else { 7 }));
}

/// As LLVM writes calls: parameters in `.param` variables of a scope.
const CALLS: &str = ".visible .func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .pred %p<2>;\n\
    .reg .b32 %r<8>;\nld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra SMALL;\n\
    sub.u32 %r2, %r1, 1;\n{ .param .b32 a; .param .b32 v; st.param.b32 [a+0], %r2;\n\
    call.uni (v), fib, (a);\nld.param.b32 %r3, [v+0]; }\nsub.u32 %r2, %r1, 2;\n\
    { .param .b32 a; .param .b32 v; st.param.b32 [a], %r2;\ncall (v), fib, (a);\n\
    ld.param.b32 %r4, [v]; }\nadd.u32 %r1, %r3, %r4;\nSMALL:\nst.param.b32 [r], %r1;\nret;\n}\n";

#[test]
fn divergent_recursion() {
    let body = format!(
        "and.b32 %r2, %tid, 7;\n{{ .param .b32 a; .param .b32 v; st.param.b32 [a], %r2;\n\
         call (v), fib, (a);\nld.param.b32 %r9, [v]; }}\nactivemask.b32 %r4;\n\
         setp.ne.u32 %p3, %r4, 0xffffffff;\n@%p3 trap;\n{STORE}"
    );
    let m = module(&(CALLS.to_owned() + &kernel_text(&body)));
    let fib = [0, 1, 1, 2, 3, 5, 8, 13];
    for seed in 0..3 {
        let out = run(&device(seed), &m, LaunchConfig::new(1, 64), 64).unwrap();
        assert!(out.iter().enumerate().all(|(i, &v)| v == fib[i % 8]));
    }
}

#[test]
fn endless_recursion_is_reported() {
    let m = module(&format!(
        ".func f() {{ .local .b8 x[64]; .reg .b64 %a; mov.u64 %a, x;\nst.local.u64 [%a], %a;\n\
         call f; ret; }}\n{}",
        kernel_text("call f;")
    ));
    let e = run(&device(0), &m, LaunchConfig::new(1, 1), 1).unwrap_err();
    assert_eq!(e.report().unwrap().fault, Fault::StackOverflow);
}

#[test]
fn early_returns_from_functions_meet_at_the_call() {
    let m = module(&format!(
        ".func (.reg .u32 v) f(.reg .u32 n) {{ .reg .pred %q; setp.lt.u32 %q, n, 9;\n\
         mov.u32 v, 1;\n@%q ret;\nadd.u32 v, n, 100;\nret; }}\n{}",
        kernel_text(&format!(
            "call (%r9), f, (%tid);\nactivemask.b32 %r4;\nsetp.ne.u32 %p3, %r4, 0xffffffff;\n\
             @%p3 trap;\n{STORE}"
        ))
    ));
    let out = run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == if i < 9 { 1 } else { i as u32 + 100 }));
}

#[test]
fn indirect_calls_through_a_table() {
    let m = module(&format!(
        ".func (.param .b32 v) one(.param .b32 n) {{ .reg .b32 %r; ld.param.u32 %r, [n];\n\
         add.u32 %r, %r, 1000; st.param.b32 [v], %r; ret; }}\n\
         .func (.param .b32 v) two(.param .b32 n) {{ .reg .b32 %r; ld.param.u32 %r, [n];\n\
         add.u32 %r, %r, 2000; st.param.b32 [v], %r; ret; }}\n\
         .global .align 8 .u64 table[2] = {{one, two}};\n{}",
        kernel_text(&format!(
            "and.b32 %r2, %tid, 1;\nmov.u64 %rd1, table;\nmad.wide.u32 %rd1, %r2, 8, %rd1;\n\
             ld.global.u64 %rd2, [%rd1];\n{{ .param .b32 a; .param .b32 v;\n\
             st.param.b32 [a], %tid;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
             call (v), %rd2, (a), P;\nld.param.b32 %r9, [v]; }}\n{STORE}"
        ))
    ));
    let out = run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == i as u32 + 1000 * (i as u32 % 2 + 1)));
}

#[test]
fn special_registers() {
    let m = module(
        ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<16>;\n.reg .b64 %rd<4>;\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %ctaid.y;\n\
         mov.u32 %r5, %nctaid.x;\nmov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r7, %r4, %r5, %r6;\n\
         mov.u32 %r8, %ntid.y;\nmul.lo.u32 %r9, %r3, %r8;\nmad.lo.u32 %r10, %r2, %r3, %r1;\n\
         mad.lo.u32 %r7, %r7, %r9, %r10;\nld.param.u64 %rd1, [out];\n\
         mad.wide.u32 %rd2, %r7, 16, %rd1;\nmov.u32 %r11, %laneid;\nmov.u32 %r12, %lanemask_lt;\n\
         mov.u32 %r13, %warpid;\nst.global.v4.u32 [%rd2], {%r7, %r11, %r12, %r13};\nret;\n}",
    );
    let d = device(3);
    let n = 6 * 48;
    let out = upload(&d, &vec![0; 4 * n]);
    launch(&d, &m, LaunchConfig::new((3, 2), (8, 6)), &[out.into()]).unwrap();
    for (i, c) in download(&d, out, 4 * n).chunks(4).enumerate() {
        let tid = i as u32 % 48;
        assert_eq!(c, [i as u32, tid % 32, (1 << (tid % 32)) - 1, tid / 32]);
    }
}

#[test]
fn clocks_go_on() {
    let m = kernel(&format!(
        "mov.u64 %rd1, %clock64;\nmov.u32 %r2, 0;\nmov.u64 %rd2, %globaltimer;\n\
         setp.gt.u64 %p1, %rd2, %rd1;\nselp.u32 %r9, 1, 0, %p1;\n{STORE}"
    ));
    assert_eq!(run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap(), [1; 32]);
}

#[test]
fn the_step_limit_stops_a_loop() {
    let m = kernel("L: bra L;");
    let e = run(&device(0), &m, LaunchConfig::new(1, 32), 1).unwrap_err();
    assert_eq!(e.report().unwrap().fault, Fault::StepLimit);
}
