//! Prints how many PTX instructions a second the emulator executes on one core, with checks off and
//! on: a multi-word multiplication in a loop, and a loop of loads and stores in shared and device
//! memory, in blocks of 256 threads.

use ptx_emulator::{Checks, Config, Device, Error, LaunchConfig, Module};
use std::fmt::Write;
use std::time::Instant;

/// 12 words by 12 words, as field multiplication is written: two long chains a row.
fn multiply() -> String {
    let mut s = String::from("mov.u32 %n, 0;\nLOOP:\n");
    for i in 0..12 {
        let _ = writeln!(s, "add.u32 %a{i}, %a{i}, %n;\nxor.b32 %b{i}, %a{i}, %n;");
    }
    for i in 0..24 {
        let _ = writeln!(s, "mov.u32 %r{i}, 0;");
    }
    for j in 0..12 {
        for (half, up) in [("lo", 0), ("hi", 1)] {
            for i in 0..12 {
                let op = if i == 0 { "mad" } else { "madc" };
                let k = i + j + up;
                let _ = writeln!(s, "{op}.{half}.cc.u32 %r{k}, %a{i}, %b{j}, %r{k};");
            }
            let top = (12 + j + up).min(23);
            let _ = writeln!(s, "addc.u32 %r{top}, %r{top}, 0;");
        }
    }
    s + "add.u32 %n, %n, 1;\nsetp.lt.u32 %p, %n, %rounds;\n@%p bra LOOP;\n\
         st.global.u32 [%mine], %r23;\n"
}

const MOVE: &str = "mov.u64 %sp, s;\nmad.wide.u32 %sp, %t, 4, %sp;\nmov.u32 %n, 0;\nLOOP:\n\
    ld.global.u32 %r0, [%mine];\nadd.u32 %r0, %r0, %n;\nst.shared.u32 [%sp], %r0;\nbar.sync 0;\n\
    xor.b32 %r1, %t, 37;\nmov.u64 %sq, s;\nmad.wide.u32 %sq, %r1, 4, %sq;\n\
    ld.shared.u32 %r2, [%sq];\nbar.sync 0;\nst.global.u32 [%mine], %r2;\nadd.u32 %n, %n, 1;\n\
    setp.lt.u32 %p, %n, %rounds;\n@%p bra LOOP;\n";

fn module(body: &str) -> Module {
    let text = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 s[1024];\n\
         .visible .entry k(.param .u64 p, .param .u32 rounds) {{\n.reg .pred %p;\n\
         .reg .b32 %r<24>;\n.reg .b32 %a<12>;\n.reg .b32 %b<12>;\n\
         .reg .b32 %n, %t, %g, %rounds;\n.reg .b64 %mine, %sp, %sq;\n\
         ld.param.u64 %mine, [p];\nld.param.u32 %rounds, [rounds];\nmov.u32 %t, %tid.x;\n\
         mov.u32 %g, %ctaid.x;\nmad.lo.u32 %g, %g, 256, %t;\nmad.wide.u32 %mine, %g, 4, %mine;\n\
         {body}ret;\n}}\n"
    );
    Module::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

fn main() -> Result<(), Error> {
    println!("million thread instructions a second, one host thread, blocks of 256");
    for (name, body, rounds) in
        [("multi-word multiplication", multiply(), 60), ("memory", MOVE.to_owned(), 500)]
    {
        let kernel = module(&body).kernel("k")?;
        for (what, checks) in [("off", Checks::NONE), ("on", Checks::ALL)] {
            let device = Device::new(Config::default().threads(1).checks(checks));
            let p = device.alloc(4 * 256 * 8)?;
            device.fill(p, 1, 4 * 256 * 8)?;
            // The best of several runs: other programs only ever slow it down.
            let mut rate = 0f64;
            for _ in 0..8 {
                let start = Instant::now();
                let config = LaunchConfig::new(8, 256);
                let stats = device.launch(&kernel, config, &[p.into(), rounds.into()])?;
                let seconds = start.elapsed().as_secs_f64();
                rate = rate.max(stats.thread_instructions as f64 / seconds / 1e6);
            }
            println!("{name:28} checks {what:3} {rate:8.0}");
        }
    }
    Ok(())
}
