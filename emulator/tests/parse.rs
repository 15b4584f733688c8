//! What is not understood is an error with its line, and nothing panics.

#[path = "kernels/support.rs"]
#[allow(dead_code)]
mod support;

use proptest::prelude::*;
use ptx_emulator::{Arg, Config, Device, LaunchConfig, Module};

fn error(body: &str) -> (u32, String) {
    let text =
        format!(".version 7.8\n.target sm_80\n.address_size 64\n{}", support::kernel_text(body));
    let e = Module::parse(&text).expect_err(body);
    // The body starts on line 16 of the text.
    (e.line() - 15, e.message().to_owned())
}

#[test]
fn unknown_instructions_have_their_line() {
    for (body, line, word) in [
        ("add.u32 %r1, %r1, 1;\nfrobnicate.u32 %r1, %r1;", 2, "frobnicate"),
        ("ex2.approx.f32 %r1, %r1;", 1, "ex2"),
        ("\n\nadd.u32.magic %r1, %r1, 1;", 3, "magic"),
        ("add.u32 %r1, %r1;", 1, "operands"),
        ("add.u32 %r1, %r99, 1;", 1, "%r99"),
        ("add.u32 %rd1, %r1, 1;", 1, "destination"),
        ("add.u64 %rd1, %r1, 1;", 1, "operand"),
        ("add.b32 %r1, %r1, 1;", 1, "type"),
        ("bra NOWHERE;", 1, "NOWHERE"),
        ("call nobody;", 1, "nobody"),
        ("div.approx.f32 %r1, %r1, %r1;", 1, "approximate"),
        ("add.f16 %r1, %r1, %r1;", 1, "type"),
        ("setp.lo.s32 %p1, %r1, %r2;", 1, "lo"),
        ("st.param.u32 [out], %r1;", 1, "read-only"),
        ("atom.global.add.f16 %r1, [%out], %r1;", 1, "type"),
        ("shfl.idx.b32 %r1, %r1, 0, 31;", 1, "sync"),
        ("ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%out];", 1, "16 bytes"),
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%out];", 1, "wmma"),
        ("cvt.f32.f64 %r1, %rd1;", 1, "rounding"),
        (".frob 7;", 1, "frob"),
        ("L: add.u32 %r1, %r1, 1;\nL: ret;", 2, "twice"),
        (".reg .u32 x;\n.reg .u32 x;", 2, "twice"),
    ] {
        let (at, message) = error(body);
        assert_eq!(at, line, "{body}: {message}");
        assert!(message.contains(word), "{body}: {message}");
    }
    assert!(Module::parse("").is_err());
    assert!(Module::parse("hello").is_err());
    assert!(Module::parse(".version 7.8\n.target sm_80\n.address_size 32").is_err());
}

#[test]
fn debug_information_is_no_code() {
    let text = ".version 7.8\n.target sm_80, debug\n.address_size 64\n.file 1 \"a.rs\"\n\
        .visible .entry k() .maxntid 256, 1, 1 .minnctapersm 2 .reqntid 32\n{\n.pragma \"nounroll\";\n\
        $L__func_begin0:\n.loc 1 5 9, function_name $L__info_string0, inlined_at 1 3 0\n\
        ret; // done\n/* over\ntwo lines */\n}\n\
        .section .debug_abbrev\n{\n.b8 1\n.b8 0x11\n}\n.section .debug_info { .b32 36 }\n";
    let m = Module::parse(text).unwrap();
    let k = m.kernel("k").unwrap();
    assert_eq!((k.required_block(), k.max_block()), (Some([32, 1, 1]), Some([256, 1, 1])));
    assert_eq!((m.version(), m.target()), ("7.8", "sm_80"));
    assert!(m.kernel("other").unwrap_err().to_string().contains("it has: k"));
}

fn sample() -> String {
    format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.global .u32 g[2] = {{1, 2}};\n{}",
        support::kernel_text(
            "{ .reg .u32 t; mov.u32 t, 5; L: sub.u32 t, t, 1; @%p1 bra L; }\n\
         ld.global.v2.u32 {%r1, %r2}, [%out+8];\natom.global.cas.b32 %r1, [%out], 1, 2;\n\
         mad.lo.cc.u32 %r1, %r2, %r3, %r4;\nmov.b64 {%r1, %r2}, %rd1;\nbar.sync 0;\n\
         setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;\nfma.rz.f64 %rd1, %rd2, 0d4000000000000000, %rd3;",
        )
    )
}

/// Parses, and runs what can be parsed; either may fail.
fn attempt(text: &str) {
    let Ok(m) = Module::parse(text) else { return };
    let d = Device::new(Config::default().memory(4096).threads(1).step_limit(3000));
    for k in m.kernels() {
        let args: Vec<Arg> = k.params().iter().map(|p| vec![0; p.size as usize].into()).collect();
        let _ = d.launch(&k, LaunchConfig::new(2, 40), &args);
        let p = d.alloc(256).unwrap();
        let args: Vec<Arg> = k.params().iter().map(|_| p.into()).collect();
        let _ = d.launch(&k, LaunchConfig::new(2, 40), &args);
    }
}

#[test]
fn extremes_are_errors() {
    let deep = "(".repeat(100_000);
    for text in [
        format!("call {deep}"),
        format!("mov.b64 %rd1, {};", "{".repeat(100_000)),
        format!("{} ret;", "{".repeat(100_000)),
        ".local .b8 x[4294967295];\n.local .b8 y[4294967295];".into(),
        "P: .callprototype (.param .b8 _[4294967295], .param .b64 _) _ ();\ncall (%r1, %r1), %rd1, (), P;".into(),
    ] {
        attempt(&format!(".version 7.8\n.target sm_80\n.address_size 64\n{}", support::kernel_text(&text)));
    }
    for text in [
        format!(".global .u32 g = {};", "{".repeat(100_000)),
        format!(".global .u64 g = {};", "generic(".repeat(100_000)),
        ".global .b8 g[4294967295][4294967295];".into(),
        ".shared .b8 s[4294967295];\n.shared .align 65536 .b8 t[4294967295];\n.entry k() { .reg .u32 r; mov.u32 r, s; mov.u32 r, t; }".into(),
        ".entry k(.param .b8 a[4294967295], .param .b64 b) { ret; }".into(),
        ".entry k() { .reg .u32 r<4294967295>; mov.u32 r4294967294, 1; }".into(),
        ".global .b8 big[4294967295];\n.entry k() { .reg .u64 r; mov.u64 r, big; }".into(),
    ] {
        attempt(&format!(".version 7.8\n.target sm_80\n.address_size 64\n{text}"));
    }
}

#[test]
fn handles_go_between_threads() {
    fn both<T: Send + Sync>() {}
    both::<Device>();
    both::<Module>();
    both::<ptx_emulator::Kernel>();
    both::<ptx_emulator::Stream>();
    both::<ptx_emulator::Event>();
    both::<ptx_emulator::PinnedBuffer>();
    both::<ptx_emulator::Error>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_text_never_panics(cut in 0usize..1200, at in 0usize..1200, what in "[ -~]{0,4}") {
        let text = sample();
        let cut = cut.min(text.len());
        attempt(&text[..cut]);
        let at = at.min(text.len());
        attempt(&format!("{}{what}{}", &text[..at], &text[at..]));
        let end = (at + what.len()).min(text.len());
        attempt(&format!("{}{}", &text[..at], &text[end..]));
        // A word in the place of another.
        let words: Vec<&str> = text.split(' ').collect();
        let mut other = words.clone();
        other[cut % words.len()] = words[at % words.len()];
        attempt(&other.join(" "));
    }
}
