//! Bounds, alignment, lifetime, initialisation, read-only memory, traps.

use crate::support::{device, kernel, kernel_text, launch, module, run, unchecked, upload};
use crate::{accept, report};
use ptx_emulator::{Access, Dim3, Fault, LaunchConfig, Space};

#[test]
fn out_of_bounds() {
    let text = "mad.wide.u32 %rd1, %gid, 4, %out;\nst.global.u32 [%rd1], %tid;";
    let m = kernel(text);
    accept(&m, LaunchConfig::new(2, 32), 64);
    let r = report(&m, LaunchConfig::new(2, 32), 63);
    assert_eq!(r.fault, Fault::OutOfBounds(Access::Write));
    assert_eq!((r.block, r.thread), (Dim3::new(1, 0, 0), Dim3::new(31, 0, 0)));
    assert_eq!((r.kernel.as_str(), r.line.text.as_str()), ("k", "st.global.u32 [%rd1], %tid;"));
    let l = r.location.clone().unwrap();
    assert_eq!((l.space, l.bytes), (Space::Global, 4));
    assert_eq!(l.within, Some(("allocation #0".into(), 252)));
    let message = r.to_string();
    for part in ["kernel k", "line 17", "block (1, 0, 0)", "thread (31, 0, 0)", "offset 252"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // It is found without the checks too, since there is nothing that could be written.
    assert!(run(&unchecked(0), &m, LaunchConfig::new(2, 32), 63).is_err());
}

#[test]
fn reports_name_the_source() {
    let m = module(
        ".file 2 \"kernels/sum.rs\"\n.visible .entry a() {\n.loc 2 7 1\nret;\n}\n\
         .visible .entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\n.loc 2 40 5\nmov.u32 %r1, 1;\n\
         .loc 2 41 9, function_name $L__info_string0, inlined_at 2 3 1\ntrap;\nret;\n}\n\
         .visible .entry other() { trap; ret; }",
    );
    let error = |name: &str| {
        let k = m.kernel(name).unwrap();
        device(0).launch(&k, LaunchConfig::new(1, 1), &[]).unwrap_err()
    };
    assert!(error("k").to_string().contains("trap; (kernels/sum.rs:41)"), "{}", error("k"));
    assert_eq!(error("other").report().unwrap().line.source, None);
}

#[test]
fn out_of_bounds_elsewhere() {
    let one = LaunchConfig::new(1, 1);
    for (body, space) in [
        ("mov.u64 %rd1, 0;\nld.global.u32 %r2, [%rd1];", Space::Global),
        (".shared .u32 s[4];\nmov.u32 %r2, s;\nst.shared.u32 [%r2+16], %r2;", Space::Shared),
        (".shared .u32 s[4];\nmov.u32 %r2, s;\nst.shared.u32 [%r2+-4], %r2;", Space::Shared),
        (".local .b8 d[128];\nmov.u64 %rd1, d;\nst.local.u32 [%rd1+128], %r2;", Space::Local),
        ("ld.param.u64 %rd1, [out+8];", Space::Param),
    ] {
        let r = report(&kernel(body), one, 1);
        assert!(matches!(r.fault, Fault::OutOfBounds(_)), "{r}");
        assert_eq!(r.location.unwrap().space, space);
    }
    // The last element of a vector counts.
    let m = kernel("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%out];");
    accept(&m, one, 4);
    assert!(matches!(report(&m, one, 3).fault, Fault::OutOfBounds(Access::Read)));
}

#[test]
fn the_byte_behind_the_end() {
    let d = device(0);
    let p = d.alloc(7).unwrap();
    d.fill(p, 0, 7).unwrap();
    let byte = |n: u32| kernel(&format!("ld.global.u8 %r2, [%out+{n}];"));
    launch(&d, &byte(6), LaunchConfig::new(1, 1), &[p.into()]).unwrap();
    launch(&d, &byte(7), LaunchConfig::new(1, 1), &[p.into()]).unwrap_err();
    for store in ["st.shared.u8 [s+6], %r2;", "st.shared.u8 [s+7], %r2;"] {
        let m = kernel(&format!(".shared .b8 s[7];\n{store}"));
        let outcome = run(&device(0), &m, LaunchConfig::new(1, 1), 1);
        assert_eq!(outcome.is_err(), store.contains('7'));
    }
}

#[test]
fn misaligned() {
    for (body, good) in [
        ("ld.global.u32 %r2, [%out+2];", "ld.global.u16 %r2, [%out+2];"),
        (
            "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%out+8];",
            "ld.global.v2.u32 {%r2, %r3}, [%out+8];",
        ),
        ("atom.global.add.u64 %rd1, [%out+4], 1;", "atom.global.add.u32 %r2, [%out+4], 1;"),
        (
            ".shared .b8 s[16];\nst.shared.u32 [s+1], %r2;",
            ".shared .b8 s[16];\nst.shared.u8 [s+1], %r2;",
        ),
    ] {
        let config = LaunchConfig::new(1, 1);
        assert!(matches!(report(&kernel(body), config, 8).fault, Fault::Misaligned(_)));
        accept(&kernel(good), config, 8);
    }
}

#[test]
fn use_after_free() {
    let m = kernel("ld.global.u64 %rd1, [%out];\nld.global.u32 %r2, [%rd1+8];");
    let d = device(0);
    let inner = upload(&d, &[1, 2, 3, 4]);
    let a = inner.address();
    let outer = upload(&d, &[a as u32, (a >> 32) as u32]);
    launch(&d, &m, LaunchConfig::new(1, 1), &[outer.into()]).unwrap();
    d.free(inner).unwrap();
    // Memory that comes afterwards never hides it.
    upload(&d, &[1, 2, 3, 4]);
    let e = launch(&d, &m, LaunchConfig::new(1, 1), &[outer.into()]).unwrap_err();
    let r = e.report().unwrap();
    assert_eq!(r.fault, Fault::UseAfterFree(Access::Read));
    assert_eq!(r.location.as_ref().unwrap().within, Some(("allocation #0".into(), 8)));
}

#[test]
fn uninitialised() {
    let one = LaunchConfig::new(1, 1);
    for (body, good) in [
        (
            ".shared .u32 s[4];\nst.shared.u16 [s+8], %r2;\nld.shared.u32 %r3, [s+8];",
            ".shared .u32 s[4];\nst.shared.u16 [s+8], %r2;\nld.shared.u16 %r3, [s+8];",
        ),
        (
            ".local .b8 d[8];\nmov.u64 %rd1, d;\nst.local.u8 [%rd1], %r2;\nld.local.u16 %r3, [%rd1];",
            ".local .b8 d[8];\nmov.u64 %rd1, d;\nst.local.u16 [%rd1], %r2;\nld.local.u16 %r3, [%rd1];",
        ),
    ] {
        assert_eq!(report(&kernel(body), one, 1).fault, Fault::Uninitialised);
        accept(&kernel(good), one, 1);
    }
    // Device memory: one byte of sixteen is missing.
    let m = kernel("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%out];");
    let d = device(0);
    let p = d.alloc(16).unwrap();
    d.fill(p, 0, 15).unwrap();
    let e = launch(&d, &m, one, &[p.into()]).unwrap_err();
    let r = e.report().unwrap();
    assert_eq!(r.fault, Fault::Uninitialised);
    let l = r.location.as_ref().unwrap();
    assert_eq!((l.address, &l.within), (p.address(), &Some(("allocation #0".into(), 0))));
    d.fill(p.add(15), 0, 1).unwrap();
    launch(&d, &m, one, &[p.into()]).unwrap();
    // A copy of unknown bytes leaves them unknown.
    let q = d.alloc(16).unwrap();
    let fresh = d.alloc(16).unwrap();
    d.fill(q, 0, 16).unwrap();
    launch(&d, &m, one, &[q.into()]).unwrap();
    d.copy_on_device(q, p, 16).unwrap();
    launch(&d, &m, one, &[q.into()]).unwrap();
    d.copy_on_device(fresh, p, 8).unwrap();
    assert!(launch(&d, &m, one, &[fresh.into()]).is_err());
    // Local memory of a call is new each time.
    let m = module(&format!(
        ".func f(.reg .pred first) {{ .local .u32 x; .reg .u32 %r;\n@first st.local.u32 [x], 1;\n\
         ld.local.u32 %r, [x];\nret; }}\n{}",
        kernel_text(
            "setp.eq.u32 %p1, %r1, %r1;\ncall f, (%p1);\nnot.pred %p1, %p1;\ncall f, (%p1);"
        )
    ));
    assert_eq!(report(&m, one, 1).fault, Fault::Uninitialised);
}

#[test]
fn read_only() {
    let one = LaunchConfig::new(1, 1);
    let constant = |body: &str| {
        module(&format!(".const .u32 c = 5;\n.global .u32 g = 5;\n{}", kernel_text(body)))
    };
    for body in [
        "mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\nst.u32 [%rd1], %r2;",
        "mov.u64 %rd1, c;\natom.add.u32 %r2, [%rd1], 1;",
    ] {
        assert_eq!(report(&constant(body), one, 1).fault, Fault::ReadOnly);
        accept(
            &constant(&body.replace(", c;", ", g;").replace("cvta.const", "cvta.global")),
            one,
            1,
        );
    }
    let r = report(
        &kernel("mov.u64 %rd1, out;\ncvta.param.u64 %rd1, %rd1;\nst.u64 [%rd1], %rd1;"),
        one,
        1,
    );
    assert_eq!(r.fault, Fault::ReadOnly);
    // Not even the text may say so.
    let text = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.const .u32 c;\n{}",
        kernel_text("st.const.u32 [c], 1;")
    );
    assert!(ptx_emulator::Module::parse(&text).is_err());
}

#[test]
fn non_coherent_loads() {
    let config = LaunchConfig::new(1, 32);
    let load =
        "ld.global.nc.u32 %r2, [%out];\nbar.sync 0;\nsetp.ne.u32 %p1, %tid, 0;\n@%p1 bra END;\n";
    let m = kernel(&format!("{load}st.global.u32 [%out], %r2;\nEND:"));
    assert_eq!(report(&m, config, 8).fault, Fault::NonCoherent);
    accept(&kernel(&format!("{load}st.global.u32 [%out+4], %r2;\nEND:")), config, 8);
    accept(
        &kernel(&format!("{}st.global.u32 [%out], %r2;\nEND:", load.replace(".nc", ""))),
        config,
        8,
    );
    let m = kernel("st.global.u32 [%out], 1;\nld.global.nc.u32 %r2, [%out];");
    assert_eq!(report(&m, LaunchConfig::new(1, 1), 1).fault, Fault::NonCoherent);
}

#[test]
fn traps() {
    let m = kernel("setp.eq.u32 %p1, %gid, 40;\n@%p1 trap;");
    accept(&m, LaunchConfig::new(1, 32), 1);
    let r = report(&m, LaunchConfig::new(2, 32), 1);
    assert_eq!((r.fault, r.thread.x, r.block.x), (Fault::Trap, 8, 1));
}
