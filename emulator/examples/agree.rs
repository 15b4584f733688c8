//! Runs every instruction of the test's table on a GPU and on the emulator, and prints agreement
//! instruction by instruction. Needs an NVIDIA driver, nothing else.

#[path = "../tests/isa/bits.rs"]
mod bits;
#[path = "../tests/isa/convert.rs"]
mod convert;
#[path = "agree/driver.rs"]
mod driver;
#[path = "../tests/isa/float.rs"]
mod float;
#[path = "../tests/isa/integer.rs"]
mod integer;
#[path = "../tests/isa/table.rs"]
mod table;

use ptx_emulator::{Config, Device, LaunchConfig, Module};
use table::{Op, edges, module_text};

/// Threads of a block; cases come in whole blocks.
const BLOCK: usize = 64;

/// What the lanes of a warp do together; all lanes of the warp take part.
fn warp_ops() -> Vec<Op> {
    let mut texts = Vec::new();
    for mode in ["up", "down", "bfly", "idx"] {
        texts.push((format!("shfl.sync.{mode}.b32 d|q, a, b, c, -1;"), "b32 b32 b32 -> b32 pred"));
    }
    for mode in ["all", "any", "uni"] {
        texts.push((format!("vote.sync.{mode}.pred d, a, -1;"), "pred -> pred"));
    }
    texts.push(("vote.sync.ballot.b32 d, a, -1;".into(), "pred -> b32"));
    for ty in ["b32", "b64"] {
        let narrow = format!("and.{ty} a, a, 3;\n");
        texts.push((
            format!("{narrow}match.any.sync.{ty} d, a, -1;"),
            ["b32 -> b32", "b64 -> b32"][usize::from(ty == "b64")],
        ));
    }
    texts.push(("match.all.sync.b32 d|q, a, -1;".into(), "b32 -> b32 pred"));
    for op in
        ["add.u32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"]
    {
        texts.push((format!("redux.sync.{op} d, a, -1;"), "b32 -> b32"));
    }
    texts.into_iter().map(|(t, s)| Op::check(t, s, |_, _| true)).collect()
}

/// SplitMix64.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn cases(op: &Op, state: &mut u64) -> Vec<[u64; 4]> {
    let mut all = edges(op);
    for i in 0..4096 {
        all.push([0; 4].map(|_: u64| {
            let v = random(state);
            // Numbers of every length; some small, for positions and counts.
            match i % 4 {
                0 => v,
                1 => v >> (random(state) % 64),
                2 => v & random(state) & random(state),
                _ => random(state) % 70,
            }
        }));
    }
    all.resize(all.len().next_multiple_of(BLOCK), [0; 4]);
    all
}

fn words(bytes: &[u8]) -> Vec<[u64; 2]> {
    let word = |b: &[u8]| b.iter().rev().fold(0, |v, &x| v << 8 | u64::from(x));
    bytes.chunks(16).map(|c| [word(&c[..8]), word(&c[8..])]).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut ops = table::all();
    ops.extend(warp_ops());
    let device = Device::new(Config::default());
    let gpu = driver::Gpu::new()?;
    println!("{}", gpu.name());
    let mut state = 1;
    let (mut agreeing, mut differing) = (0, 0);
    for op in &ops {
        let cases = cases(op, &mut state);
        let input: Vec<u8> = cases.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let grid = (cases.len() / BLOCK) as u32;
        let name = "op0";
        // A module each, so that the driver may refuse one without the rest.
        let text = module_text(std::slice::from_ref(op));
        let module = Module::parse(&text)?;
        let code = match gpu.load(&text) {
            Ok(code) => code,
            Err(e) => {
                differing += 1;
                println!("REFUSED {}: {e}", op.text.replace('\n', " "));
                continue;
            }
        };

        let (from, to) = (device.alloc(input.len() as u64)?, device.alloc(input.len() as u64 / 2)?);
        device.copy_to_device(from, &input)?;
        let args = [from.into(), to.into(), (cases.len() as u32).into()];
        device.launch(&module.kernel(name)?, LaunchConfig::new(grid, BLOCK as u32), &args)?;
        let mut ours = vec![0; input.len() / 2];
        device.copy_to_host(&mut ours, to)?;
        device.free(from)?;
        device.free(to)?;

        let theirs = gpu.run(&code, name, &input, cases.len() as u32, BLOCK as u32)?;
        let mut count = 0;
        let mut first = None;
        let mut open = None;
        for ((case, ours), theirs) in cases.iter().zip(words(&ours)).zip(words(&theirs)) {
            let inputs = op.cut(case);
            if ours != theirs && (op.open)(&inputs) {
                open.get_or_insert((inputs, ours, theirs));
            } else if ours != theirs {
                count += 1;
                first.get_or_insert((inputs, ours, theirs));
            }
        }
        let text = op.text.replace('\n', " ");
        if let Some((inputs, ours, theirs)) = open {
            println!("open    {text}: {inputs:x?} emulator {ours:x?} GPU {theirs:x?}");
        }
        match first {
            None => {
                agreeing += 1;
                println!("agree   {:5} cases  {text}", cases.len());
            }
            Some((inputs, ours, theirs)) => {
                differing += 1;
                println!("DIFFER  {count:5} of {}  {text}", cases.len());
                let verdict = |v| if op.agrees(&inputs, v) { "right" } else { "wrong" };
                println!(
                    "        inputs {inputs:x?} emulator {ours:x?} {} GPU {theirs:x?} {} table {}",
                    verdict(ours),
                    verdict(theirs),
                    op.expected(&inputs)
                );
            }
        }
    }
    println!("{agreeing} instructions agree, {differing} differ");
    if differing > 0 {
        return Err("the emulator and the GPU differ".into());
    }
    Ok(())
}
