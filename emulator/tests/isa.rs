//! Every instruction that computes, against a definition of its own: on edge values, and on random
//! ones that proptest shrinks.

#[path = "isa/bits.rs"]
mod bits;
#[path = "isa/convert.rs"]
mod convert;
#[path = "isa/float.rs"]
mod float;
#[path = "isa/integer.rs"]
mod integer;
#[path = "isa/table.rs"]
mod table;
#[path = "isa/wide.rs"]
mod wide;

use proptest::prelude::*;
use ptx_emulator::{Config, Device, LaunchConfig, Module};
use std::sync::OnceLock;
use table::{Op, edges, module_text};

fn ops() -> &'static (Vec<Op>, Module) {
    static OPS: OnceLock<(Vec<Op>, Module)> = OnceLock::new();
    OPS.get_or_init(|| {
        let ops = table::all();
        let module = Module::parse(&module_text(&ops)).unwrap();
        (ops, module)
    })
}

/// Runs an operation on cases of up to four inputs; gives two outputs a case.
fn run(device: &Device, module: &Module, index: usize, cases: &[[u64; 4]]) -> Vec<[u64; 2]> {
    let n = cases.len() as u64;
    let bytes: Vec<u8> = cases.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let input = device.alloc(32 * n).unwrap();
    let output = device.alloc(16 * n).unwrap();
    device.copy_to_device(input, &bytes).unwrap();
    let kernel = module.kernel(&format!("op{index}")).unwrap();
    let config = LaunchConfig::new((n as u32).div_ceil(64), 64);
    device.launch(&kernel, config, &[input.into(), output.into(), (n as u32).into()]).unwrap();
    let mut bytes = vec![0; 16 * cases.len()];
    device.copy_to_host(&mut bytes, output).unwrap();
    device.free(input).unwrap();
    device.free(output).unwrap();
    let word = |b: &[u8]| u64::from_le_bytes(b.try_into().unwrap());
    bytes.chunks(16).map(|c| [word(&c[..8]), word(&c[8..])]).collect()
}

fn disagreement(op: &Op, case: &[u64; 4], got: [u64; 2]) -> Option<String> {
    let inputs = op.cut(case);
    (!op.agrees(&inputs, got)).then(|| {
        format!("{}: inputs {inputs:x?} gave {got:x?}, expected {}", op.text, op.expected(&inputs))
    })
}

#[test]
fn edge_values() {
    let (ops, module) = ops();
    let device = Device::new(Config::default());
    for (index, op) in ops.iter().enumerate() {
        let cases = edges(op);
        for (case, got) in cases.iter().zip(run(&device, module, index, &cases)) {
            if let Some(message) = disagreement(op, case, got) {
                panic!("{message}");
            }
        }
    }
}

/// Words with few bits, few zeros, or few differing runs are as likely as others.
fn word() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => any::<u64>(),
        1 => any::<u32>().prop_map(u64::from),
        1 => (0u32..64).prop_map(|s| 1 << s),
        1 => (0u32..64).prop_map(|s| u64::MAX >> s),
        1 => (0u32..64).prop_map(|s| u64::MAX << s),
        1 => any::<f64>().prop_map(f64::to_bits),
        1 => any::<f32>().prop_map(|f| u64::from(f.to_bits())),
        1 => 0u64..70,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_values(cases in prop::collection::vec([word(), word(), word(), word()], 1..64)) {
        let (ops, module) = ops();
        let device = Device::new(Config::default().threads(1));
        for (index, op) in ops.iter().enumerate() {
            for (case, got) in cases.iter().zip(run(&device, module, index, &cases)) {
                if let Some(message) = disagreement(op, case, got) {
                    prop_assert!(false, "{}", message);
                }
            }
        }
    }
}
