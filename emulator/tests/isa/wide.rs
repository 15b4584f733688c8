//! Long carry chains, as multi-word arithmetic writes them, against num-bigint.

use num_bigint::BigUint;
use proptest::prelude::*;
use ptx_emulator::{Config, Device, LaunchConfig, Module};
use std::fmt::Write;
use std::sync::OnceLock;

/// 32-bit words of a number: 12 make 384 bits.
const WORDS: usize = 12;

/// Kernels `add`, `sub` (with the flag as word 12) and `mul` (24 words) on one pair of numbers a
/// thread.
fn text() -> String {
    let mut s = String::from(".version 7.8\n.target sm_80\n.address_size 64\n");
    for (name, first, next) in [("add", "add.cc", "addc.cc"), ("sub", "sub.cc", "subc.cc")] {
        let mut body = String::new();
        for i in 0..WORDS {
            let op = if i == 0 { first } else { next };
            writeln!(body, "{op}.u32 %r{i}, %a{i}, %b{i};").unwrap();
        }
        writeln!(body, "{}.u32 %r{WORDS}, 0, 0;", next.trim_end_matches(".cc")).unwrap();
        s += &kernel(name, &body, WORDS + 1);
    }
    // Row by row: the low halves of a row, then the high halves one word up.
    let mut body = String::new();
    for i in 0..2 * WORDS {
        writeln!(body, "mov.u32 %r{i}, 0;").unwrap();
    }
    for j in 0..WORDS {
        for (half, up) in [("lo", 0), ("hi", 1)] {
            for i in 0..WORDS {
                let op = if i == 0 { "mad" } else { "madc" };
                let k = i + j + up;
                writeln!(body, "{op}.{half}.cc.u32 %r{k}, %a{i}, %b{j}, %r{k};").unwrap();
            }
            let top = WORDS + j + up;
            if top < 2 * WORDS {
                writeln!(body, "addc.u32 %r{top}, %r{top}, 0;").unwrap();
            }
        }
    }
    s += &kernel("mul", &body, 2 * WORDS);
    s
}

fn kernel(name: &str, body: &str, results: usize) -> String {
    let mut s = format!(
        ".visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %a<{WORDS}>;\n.reg .b32 %b<{WORDS}>;\n.reg .b32 %r<32>;\n\
         .reg .b64 %p<3>;\n.reg .b32 %t;\nld.param.u64 %p0, [in];\nld.param.u64 %p1, [out];\n\
         mov.u32 %t, %tid.x;\nmad.wide.u32 %p0, %t, {}, %p0;\nmad.wide.u32 %p1, %t, {}, %p1;\n",
        8 * WORDS,
        4 * results
    );
    for i in 0..WORDS {
        writeln!(s, "ld.global.u32 %a{i}, [%p0+{}];", 4 * i).unwrap();
        writeln!(s, "ld.global.u32 %b{i}, [%p0+{}];", 4 * (WORDS + i)).unwrap();
    }
    s += body;
    for i in 0..results {
        writeln!(s, "st.global.u32 [%p1+{}], %r{i};", 4 * i).unwrap();
    }
    s + "ret;\n}\n"
}

/// A number of 384 bits whose words are often all zeros or ones, where carries run far.
fn number() -> impl Strategy<Value = Vec<u32>> {
    let word = prop_oneof![Just(0u32), Just(u32::MAX), Just(1), any::<u32>()];
    prop::collection::vec(word, WORDS)
}

fn big(words: &[u32]) -> BigUint {
    BigUint::new(words.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chains_are_exact(pairs in prop::collection::vec((number(), number()), 1..40)) {
        static MODULE: OnceLock<Module> = OnceLock::new();
        let module = MODULE.get_or_init(|| Module::parse(&text()).unwrap());
        let device = Device::new(Config::default().threads(1));
        let n = pairs.len();
        let bytes: Vec<u8> = pairs
            .iter()
            .flat_map(|(a, b)| a.iter().chain(b))
            .flat_map(|w| w.to_le_bytes())
            .collect();
        let input = device.alloc(bytes.len() as u64).unwrap();
        device.copy_to_device(input, &bytes).unwrap();
        let modulus = BigUint::from(1u32) << (32 * WORDS);
        for (name, results) in [("add", WORDS + 1), ("sub", WORDS + 1), ("mul", 2 * WORDS)] {
            let out = device.alloc((4 * results * n) as u64).unwrap();
            let kernel = module.kernel(name).unwrap();
            let config = LaunchConfig::new(1, n as u32);
            device.launch(&kernel, config, &[input.into(), out.into()]).unwrap();
            let mut bytes = vec![0; 4 * results * n];
            device.copy_to_host(&mut bytes, out).unwrap();
            let words: Vec<u32> =
                bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
            for ((a, b), r) in pairs.iter().zip(words.chunks(results)) {
                let (a, b) = (big(a), big(b));
                let expected = match name {
                    "add" => &a + &b,
                    "mul" => &a * &b,
                    // The borrow is a word of ones.
                    _ if a < b => (&modulus << 32u32) + &a - &b,
                    _ => &a - &b,
                };
                prop_assert_eq!(big(r), expected, "{}", name);
            }
        }
    }
}
