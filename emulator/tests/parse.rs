//! What is not understood is an error with its line, and nothing panics.

#[path = "kernels/support.rs"]
#[allow(dead_code)]
mod support;

use proptest::prelude::*;
use ptx_emulator::Module;

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_text_never_panics(cut in 0usize..1200, at in 0usize..1200, what in "[ -~]{0,4}") {
        let text = sample();
        let cut = cut.min(text.len());
        let _ = Module::parse(&text[..cut]);
        let at = at.min(text.len());
        let _ = Module::parse(&format!("{}{what}{}", &text[..at], &text[at..]));
        let end = (at + what.len()).min(text.len());
        let _ = Module::parse(&format!("{}{}", &text[..at], &text[end..]));
    }
}
