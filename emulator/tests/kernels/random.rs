//! Random programs with branches, loops and guards, run by the emulator and thread by thread by a
//! simple interpreter: lanes must part and meet, and registers share places, without a trace.

use crate::support::{device, kernel, run};
use proptest::prelude::*;
use ptx_emulator::LaunchConfig;
use std::fmt::Write;

const REGS: usize = 12;

#[derive(Clone, Debug)]
enum Step {
    /// d = a ∘ b, by every lane or by those where bit 0 of the last is what the flag says.
    Op(usize, usize, usize, usize, Option<(usize, bool)>),
    /// Skips as many steps, where bit 0 of a register is set.
    Skip(usize, usize),
    /// Repeats as many steps before, up to this many times more in all.
    Back(usize, usize, usize),
}

type Meaning = fn(u32, u32) -> u32;

const OPS: [(&str, Meaning); 4] = [
    ("add.u32", |a, b| a.wrapping_add(b)),
    ("xor.b32", |a, b| a ^ b),
    ("mul.lo.u32", |a, b| a.wrapping_mul(b)),
    ("sub.u32", |a, b| a.wrapping_sub(b)),
];

fn step() -> impl Strategy<Value = Step> {
    let r = 0..REGS;
    prop_oneof![
        6 => (r.clone(), r.clone(), r.clone(), 0..OPS.len(),
              prop::option::of((r.clone(), any::<bool>())))
            .prop_map(|(d, a, b, op, guard)| Step::Op(d, a, b, op, guard)),
        2 => (r.clone(), 1usize..8).prop_map(|(a, n)| Step::Skip(a, n)),
        1 => (r, 1usize..8, 1usize..4).prop_map(|(a, n, times)| Step::Back(a, n, times)),
    ]
}

fn text(steps: &[Step], results: &[usize]) -> String {
    let mut s = String::from(".reg .b32 %x<12>, %c<64>, %t;\n.reg .pred %q;\n");
    for r in 0..REGS {
        writeln!(s, "mad.lo.u32 %x{r}, %gid, {}, {r};", 2 * r + 3).unwrap();
    }
    for (i, step) in steps.iter().enumerate() {
        if let Step::Back(.., times) = step {
            writeln!(s, "mov.u32 %c{i}, {times};").unwrap();
        }
    }
    for (i, step) in steps.iter().enumerate() {
        writeln!(s, "S{i}:").unwrap();
        match step {
            Step::Op(d, a, b, op, guard) => {
                let mut prefix = String::new();
                if let Some((g, set)) = guard {
                    writeln!(s, "and.b32 %t, %x{g}, 1;\nsetp.ne.u32 %q, %t, 0;").unwrap();
                    prefix = format!("@{}%q ", if *set { "" } else { "!" });
                }
                writeln!(s, "{prefix}{} %x{d}, %x{a}, %x{b};", OPS[*op].0).unwrap();
            }
            Step::Skip(a, n) => {
                let to = (i + 1 + n).min(steps.len());
                writeln!(s, "and.b32 %t, %x{a}, 1;\nsetp.ne.u32 %q, %t, 0;\n@%q bra S{to};")
                    .unwrap();
            }
            Step::Back(a, n, _) => {
                let to = i.saturating_sub(*n);
                writeln!(
                    s,
                    "setp.eq.u32 %q, %c{i}, 0;\n@%q bra S{};\nand.b32 %t, %x{a}, 1;\n\
                     setp.eq.u32 %q, %t, 0;\n@%q bra S{};\nsub.u32 %c{i}, %c{i}, 1;\nbra S{to};",
                    i + 1,
                    i + 1
                )
                .unwrap();
            }
        }
    }
    writeln!(s, "S{}:\nmov.u32 %t, 0;", steps.len()).unwrap();
    for r in results {
        writeln!(s, "mad.lo.u32 %t, %t, 31, %x{r};").unwrap();
    }
    // All lanes are together again.
    s + "activemask.b32 %r9;\nsetp.ne.u32 %q, %r9, -1;\n@%q trap;\n\
         mad.wide.u32 %rd9, %gid, 4, %out;\nst.global.u32 [%rd9], %t;"
}

fn interpret(steps: &[Step], results: &[usize], gid: u32) -> u32 {
    let mut x: Vec<u32> =
        (0..REGS as u32).map(|r| gid.wrapping_mul(2 * r + 3).wrapping_add(r)).collect();
    let mut left: Vec<usize> =
        steps.iter().map(|s| if let Step::Back(.., times) = s { *times } else { 0 }).collect();
    let mut i = 0;
    while i < steps.len() {
        match &steps[i] {
            Step::Op(d, a, b, op, guard) => {
                if guard.is_none_or(|(g, set)| (x[g] & 1 == 1) == set) {
                    x[*d] = OPS[*op].1(x[*a], x[*b]);
                }
            }
            Step::Skip(a, n) if x[*a] & 1 == 1 => {
                i = (i + 1 + n).min(steps.len());
                continue;
            }
            Step::Back(a, n, _) if left[i] > 0 && x[*a] & 1 == 1 => {
                left[i] -= 1;
                i = i.saturating_sub(*n);
                continue;
            }
            Step::Skip(..) | Step::Back(..) => {}
        }
        i += 1;
    }
    results.iter().fold(0, |t, &r| t.wrapping_mul(31).wrapping_add(x[r]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn programs_agree(
        steps in prop::collection::vec(step(), 1..40),
        results in prop::collection::vec(0..REGS, 1..5),
        seed in 0u64..4,
    ) {
        let m = kernel(&text(&steps, &results));
        let out = run(&device(seed), &m, LaunchConfig::new(2, 64), 128).unwrap();
        for (gid, v) in out.iter().enumerate() {
            prop_assert_eq!(*v, interpret(&steps, &results, gid as u32), "thread {}", gid);
        }
    }
}
