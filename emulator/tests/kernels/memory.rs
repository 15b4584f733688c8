//! Every state space, width and vector.

use crate::support::{device, download, kernel, kernel_text, launch, module, run, upload};
use ptx_emulator::{Arg, LaunchConfig};

const STORE: &str = "mad.wide.u32 %rd9, %gid, 4, %out;\nst.global.u32 [%rd9], %r9;";

#[test]
fn widths_and_extension() {
    let d = device(0);
    let m = module(
        ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n\
         .reg .b64 %rd<8>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n\
         ld.global.u8 %r1, [%rd1+3];\nld.global.s8 %r2, [%rd1+3];\nld.global.u16 %r3, [%rd1+2];\n\
         ld.global.s16 %r4, [%rd1+2];\nld.global.s32 %rd3, [%rd1];\nld.global.u32 %rd4, [%rd1];\n\
         ld.global.s8 %h1, [%rd1+3];\ncvt.u32.u16 %r5, %h1;\nld.global.b8 %rd5, [%rd1];\n\
         st.global.u32 [%rd2], %r1;\nst.global.u32 [%rd2+4], %r2;\nst.global.u32 [%rd2+8], %r3;\n\
         st.global.u32 [%rd2+12], %r4;\nst.global.u64 [%rd2+16], %rd3;\n\
         st.global.u64 [%rd2+24], %rd4;\nst.global.u32 [%rd2+32], %r5;\n\
         st.global.u8 [%rd2+37], %r1;\nst.global.u16 [%rd2+38], %r3;\n\
         st.global.v2.u8 [%rd2+40], {%r1, %r3};\nst.global.v4.u16 [%rd2+48], {%r1, %r2, %r3, %r4};\n\
         ld.global.v2.u8 {%r6, %r7}, [%rd2+40];\nst.global.u32 [%rd2+56], %r7;\n\
         st.global.u64 [%rd2+64], %rd5;\nret;\n}",
    );
    let p = upload(&d, &[0x8923_4567]);
    let q = upload(&d, &[0; 18]);
    launch(&d, &m, LaunchConfig::new(1, 1), &[p.into(), q.into()]).unwrap();
    let out = download(&d, q, 18);
    assert_eq!(
        out,
        [
            0x89,
            0xffff_ff89,
            0x8923,
            0xffff_8923,
            0x8923_4567,
            0xffff_ffff,
            0x8923_4567,
            0,
            0xff89,
            0x8923_8900,
            0x2389,
            0,
            0xff89_0089,
            0x8923_8923,
            0x23,
            0,
            0x67,
            0,
        ]
    );
}

#[test]
fn vectors() {
    let d = device(0);
    let m = module(
        ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n\
         .reg .f32 %f<4>;\n.reg .f64 %d<3>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n\
         mov.u32 %r0, %tid.x;\nmad.wide.u32 %rd1, %r0, 16, %rd1;\nmad.wide.u32 %rd2, %r0, 64, %rd2;\n\
         ld.global.nc.L1::no_allocate.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n\
         st.global.v4.b32 [%rd2], {%r4, %r3, %r2, %r1};\nld.global.v2.u64 {%rd3, %rd4}, [%rd1];\n\
         st.global.cg.v2.b64 [%rd2+16], {%rd4, %rd3};\nld.global.ca.v2.f32 {%f1, %f2}, [%rd1+8];\n\
         st.global.v2.f32 [%rd2+32], {%f2, %f1};\nld.global.v2.f64 {%d1, %d2}, [%rd1];\n\
         st.global.v2.f64 [%rd2+48], {%d2, %d1};\nret;\n}",
    );
    let words: Vec<u32> = (0..128).map(|i| i * 0x0101_0101).collect();
    let p = upload(&d, &words);
    let q = upload(&d, &[0; 512]);
    launch(&d, &m, LaunchConfig::new(1, 32), &[p.into(), q.into()]).unwrap();
    for (i, o) in download(&d, q, 512).chunks(16).enumerate() {
        let w = &words[4 * i..4 * i + 4];
        let (a, b, c, e) = (w[0], w[1], w[2], w[3]);
        assert_eq!(o, [e, c, b, a, c, e, a, b, e, c, 0, 0, c, e, a, b]);
    }
}

#[test]
fn results_that_nobody_needs() {
    // One result of several is used; the others must not take its place.
    let all = ["%r10", "%r11", "%r12", "%r13"];
    for (i, used) in all.iter().enumerate() {
        let text = |body: &str| format!("{body}\nmov.u32 %r9, {used};\n{STORE}");
        let start = "st.global.v4.u32 [%out], {%r2, %r3, %r4, %r5};\n";
        let numbers = "mov.u32 %r2, 20;\nmov.u32 %r3, 21;\nmov.u32 %r4, 22;\nmov.u32 %r5, 23;\n";
        let load = "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%out];";
        let m = kernel(&text(&format!("{numbers}{start}{load}")));
        assert_eq!(run(&device(0), &m, LaunchConfig::new(1, 1), 4).unwrap()[0], 20 + i as u32);
        if i < 2 {
            let unpack = "mov.u64 %rd1, 0x1500000014;\nmov.b64 {%r10, %r11}, %rd1;";
            let out = run(&device(0), &kernel(&text(unpack)), LaunchConfig::new(1, 1), 1).unwrap();
            assert_eq!(out, [20 + i as u32]);
        }
    }
    for (used, expected) in [("%p1", 1), ("%p2", 0)] {
        for set in ["setp.eq.u32 %p1|%p2, %gid, 0;", "setp.ne.u32 %p2|%p1, %gid, 0;"] {
            let m = kernel(&format!("{set}\nselp.u32 %r9, 1, 0, {used};\n{STORE}"));
            let out = run(&device(0), &m, LaunchConfig::new(1, 1), 1).unwrap();
            assert_eq!(out, [expected]);
        }
    }
    for (result, expected) in [("mov.u32 %r9, %r10;", 3), ("selp.u32 %r9, 1, 0, %p1;", 1)] {
        let m = kernel(&format!("shfl.sync.idx.b32 %r10|%p1, %tid, 3, 31, -1;\n{result}\n{STORE}"));
        let out = run(&device(0), &m, LaunchConfig::new(1, 32), 32).unwrap();
        assert_eq!(out, [expected; 32]);
    }
}

#[test]
fn parameters() {
    let d = device(0);
    let m = module(
        ".visible .entry k(.param .u8 a, .param .u16 b, .param .u32 c, .param .u64 p,\n\
         .param .align 8 .b8 s[12], .param .f32 f) {\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n\
         .reg .f32 %f;\nld.param.u64 %rd1, [p];\nld.param.u8 %r1, [a];\nld.param.u16 %r2, [b];\n\
         ld.param.u32 %r3, [c];\nld.param.u32 %r4, [s+8];\nmov.b64 %rd2, s;\n\
         ld.param.u32 %r5, [%rd2+4];\nld.param.f32 %f, [f];\n\
         st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};\nst.global.u32 [%rd1+16], %r5;\n\
         st.global.f32 [%rd1+20], %f;\nret;\n}",
    );
    let k = m.kernel("k").unwrap();
    let offsets: Vec<_> = k.params().iter().map(|p| (p.offset, p.size)).collect();
    assert_eq!(offsets, [(0, 1), (2, 2), (4, 4), (8, 8), (16, 12), (28, 4)]);
    let p = upload(&d, &[0; 6]);
    let s: Vec<u8> = [1u32, 2, 3].iter().flat_map(|w| w.to_le_bytes()).collect();
    let args: [Arg; 6] = [7u8.into(), Arg::U16(8), 9u32.into(), p.into(), s.into(), 1.5f32.into()];
    d.launch(&k, LaunchConfig::new(1, 1), &args).unwrap();
    assert_eq!(download(&d, p, 6), [7, 8, 9, 3, 2, 1.5f32.to_bits()]);
}

#[test]
fn shared_static_and_dynamic() {
    // A static variable, one inside the function, and a dynamic one behind both.
    let m = module(&format!(
        ".shared .align 4 .b8 first[128];\n.extern .shared .align 16 .b8 dyn[];\n{}",
        kernel_text(&format!(
            ".shared .align 4 .u32 second[32];\nmov.u32 %r2, first;\nmov.u32 %r3, second;\n\
             mov.u32 %r4, dyn;\nmad.lo.u32 %r2, %tid, 4, %r2;\nmad.lo.u32 %r3, %tid, 4, %r3;\n\
             mad.lo.u32 %r4, %tid, 4, %r4;\nst.shared.u32 [%r2], %tid;\nshl.b32 %r5, %tid, 8;\n\
             st.shared.u32 [%r3], %r5;\nshl.b32 %r5, %tid, 16;\nst.shared.u32 [%r4], %r5;\n\
             bar.sync 0;\nxor.b32 %r6, %tid, 31;\nmov.u64 %rd1, first;\n\
             cvta.shared.u64 %rd1, %rd1;\nmad.wide.u32 %rd1, %r6, 4, %rd1;\nld.u32 %r9, [%rd1];\n\
             mov.u64 %rd2, second;\nmad.wide.u32 %rd2, %r6, 4, %rd2;\nld.shared.u32 %r7, [%rd2];\n\
             or.b32 %r9, %r9, %r7;\nmov.u64 %rd3, dyn;\nmad.wide.u32 %rd3, %r6, 4, %rd3;\n\
             ld.volatile.shared.u32 %r7, [%rd3];\nor.b32 %r9, %r9, %r7;\n{STORE}"
        ))
    ));
    assert_eq!(m.kernel("k").unwrap().static_shared(), 256);
    let d = device(0);
    let out = run(&d, &m, LaunchConfig::new(2, 32).shared_bytes(128), 64).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == (31 - i as u32 % 32) * 0x10101));
    // One byte less and the last thread is outside.
    let e = run(&d, &m, LaunchConfig::new(1, 32).shared_bytes(127), 32).unwrap_err();
    assert_eq!(e.report().unwrap().thread.x, 31);
}

#[test]
fn local_memory_is_private() {
    let m = kernel(&format!(
        ".local .align 8 .b8 depot[64];\nmov.u64 %rd1, depot;\ncvta.local.u64 %rd2, %rd1;\n\
         mov.u32 %r2, 0;\nFILL:\nmad.wide.u32 %rd3, %r2, 4, %rd2;\nmad.lo.u32 %r3, %tid, 16, %r2;\n\
         st.u32 [%rd3], %r3;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 16;\n@%p1 bra FILL;\n\
         and.b32 %r4, %tid, 15;\nmad.wide.u32 %rd4, %r4, 4, %rd1;\nld.local.u32 %r9, [%rd4];\n{STORE}"
    ));
    let out = run(&device(0), &m, LaunchConfig::new(1, 64), 64).unwrap();
    assert!(out.iter().enumerate().all(|(i, &v)| v == i as u32 * 16 + (i as u32 & 15)));
}

#[test]
fn module_variables() {
    let m = module(&format!(
        ".global .align 4 .u32 table[4] = {{10, 0x14, 30}};\n.const .align 4 .b8 bytes[8] = {{1, 2, 3, 4, 5}};\n\
         .global .align 8 .u64 pointer = table+4;\n.global .align 4 .f32 f = 0f3F800000;\n\
         .visible .global .align 4 .u32 counter;\n.const .align 8 .u64 generic_ptr = generic(table);\n{}",
        kernel_text(
            "ld.global.u32 %r2, [table+8];\nld.const.u32 %r3, [bytes+4];\nld.global.u64 %rd1, [pointer];\n\
             ld.global.u32 %r4, [%rd1];\nld.global.u32 %r5, [table+12];\n\
             st.global.v4.u32 [%out], {%r2, %r3, %r4, %r5};\nld.global.u32 %r6, [f];\n\
             st.global.u32 [%out+16], %r6;\natom.global.add.u32 %r7, [counter], 5;\n\
             st.global.u32 [%out+20], %r7;\nld.const.u64 %rd2, [generic_ptr];\nld.u32 %r8, [%rd2];\n\
             st.global.u32 [%out+24], %r8;\nmov.u64 %rd3, bytes;\ncvta.const.u64 %rd3, %rd3;\n\
             ld.u8 %r9, [%rd3+1];\nst.global.u32 [%out+28], %r9;"
        )
    ));
    let d = device(0);
    let first = run(&d, &m, LaunchConfig::new(1, 1), 8).unwrap();
    assert_eq!(first, [30, 5, 20, 0, 0x3f80_0000, 0, 10, 2]);
    // The module's memory stays between launches, and is one for each device.
    assert_eq!(run(&d, &m, LaunchConfig::new(1, 1), 8).unwrap()[5], 5);
    assert_eq!(run(&device(0), &m, LaunchConfig::new(1, 1), 8).unwrap()[5], 0);
    let (p, size) = d.variable(&m, "counter").unwrap();
    assert_eq!((download(&d, p, 1)[0], size), (10, 4));
}

#[test]
fn atomics() {
    // Each operation on its own word, by 64 threads; what is returned is one of the values on
    // the way, which the final value stands for.
    let ops: [(&str, &str, u32, u32); 10] = [
        ("add.u32", "%tid", 5, 5 + 2016),
        ("min.s32", "%r5", 5, 0xffff_ffc1),
        ("max.u32", "%tid", 5, 63),
        ("and.b32", "%r6", 0xffff_ffff, 0),
        ("or.b32", "%r7", 0, 0xffff_ffff),
        ("xor.b32", "%r8", 1, 1),
        ("inc.u32", "40", 0, 64 % 41),
        ("dec.u32", "40", 0, 41 - 64 % 41),
        ("exch.b32", "9", 0, 9),
        ("min.u32", "%tid", 7, 0),
    ];
    for space in ["global", "shared"] {
        let mut body = String::from(
            ".shared .align 16 .b8 words[64];\nneg.s32 %r5, %tid;\nand.b32 %r4, %tid, 31;\n\
             mov.u32 %r3, 1;\nshl.b32 %r7, %r3, %r4;\nnot.b32 %r6, %r7;\nmov.u32 %r8, %r7;\n\
             setp.ne.u32 %p1, %tid, 0;\nmov.u64 %rd2, words;\nmov.u64 %rd1, %out;\n",
        );
        let base = if space == "shared" { "%rd2" } else { "%rd1" };
        for (i, (.., start, _)) in ops.iter().enumerate() {
            body += &format!("@!%p1 st.{space}.u32 [{base}+{}], {start};\n", 4 * i);
        }
        body += "bar.sync 0;\n";
        for (i, (op, arg, ..)) in ops.iter().enumerate() {
            let name = if i % 2 == 0 || op.starts_with("exch") { "atom" } else { "red" };
            let d = if name == "atom" { "%r9, " } else { "" };
            body += &format!("{name}.relaxed.gpu.{space}.{op} {d}[{base}+{}], {arg};\n", 4 * i);
        }
        body += "bar.sync 0;\n@%p1 exit;\n";
        for i in 0..ops.len() {
            body += &format!(
                "ld.{space}.u32 %r9, [{base}+{0}];\nst.global.u32 [%out+{0}], %r9;\n",
                4 * i
            );
        }
        let out = run(&device(2), &kernel(&body), LaunchConfig::new(1, 64), ops.len()).unwrap();
        for (v, (op, _, _, expected)) in out.iter().zip(&ops) {
            assert_eq!(v, expected, "{space} {op}");
        }
    }
}

#[test]
fn wide_and_float_atomics() {
    let m = kernel(
        "cvt.u64.u32 %rd1, %tid;\nshl.b64 %rd1, %rd1, 32;\natom.global.add.u64 %rd2, [%out], %rd1;\n\
         red.global.max.s64 [%out+8], %rd1;\nmov.u64 %rd3, 1;\natom.global.cas.b64 %rd4, [%out+16], 0, %rd1;\n\
         .reg .f32 %f; .reg .f64 %d; cvt.rn.f32.u32 %f, %tid; cvt.rn.f64.u32 %d, %tid;\n\
         red.global.add.f32 [%out+24], %f;\natom.global.add.f64 %d, [%out+32], %d;",
    );
    let out = run(&device(0), &m, LaunchConfig::new(1, 64), 10).unwrap();
    assert_eq!(out[..4], [0, 2016, 0, 63]);
    assert_eq!(out[4], 0);
    assert_eq!(f32::from_bits(out[6]), 2016.0);
    assert_eq!(f64::from_bits(u64::from(out[9]) << 32 | u64::from(out[8])), 2016.0);
}

#[test]
fn subnormals_in_float_atomics() {
    let m = module(
        ".visible .entry k(.param .u64 out) {\n.reg .f32 %f<3>;\n.reg .b64 %rd;\n\
         .shared .align 4 .f32 s;\nld.param.u64 %rd, [out];\nmov.f32 %f1, 0f00000001;\n\
         st.shared.f32 [s], %f1;\nred.shared.add.f32 [s], %f1;\nld.shared.f32 %f2, [s];\n\
         st.global.f32 [%rd+4], %f2;\nred.global.add.f32 [%rd], %f1;\nret;\n}",
    );
    assert_eq!(run(&device(0), &m, LaunchConfig::new(1, 1), 2).unwrap(), [0, 2]);
}
