//! The fuzzers' targets without a fuzzer: over their corpus, over changes of it, and over large files.
//!
//! An input that fails is written to a file, which can be added to the corpus as it is.

mod grown;
mod mutate;
mod seeds;
#[path = "../support/mod.rs"]
mod support;
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rand_core::RngCore;
use support::rng;
use targets::{TARGETS, Target};

/// Random changes to a file of the corpus; each takes a key many times as long as the other formats.
fn changes(target: &str) -> usize {
    match target {
        "zkey" => 30,
        "parameters" | "verification_key" => 150,
        _ => 500,
    }
}

/// Time that a target may take whatever its input is, and for each byte: of a slow machine, with nothing
/// optimised but field arithmetic.
const ONCE: Duration = Duration::from_secs(1);
const A_BYTE: Duration = Duration::from_micros(2);

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

fn seed(name: &str) -> Vec<u8> {
    fs::read(corpus().join(name)).unwrap()
}

/// The files of a target's corpus, by name.
fn files(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(corpus().join(target)).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

/// Held by each test, as a target counts what the whole program allocates.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a target. An input that fails is kept.
fn run((name, target): (&str, Target), what: &str, bytes: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| targets::run(target, bytes))).unwrap_or_else(|panic| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-failed"));
        fs::write(&path, bytes).unwrap();
        eprintln!("{name}, {what}: the input is in {}", path.display());
        resume_unwind(panic)
    })
}

#[test]
fn the_seeds_are_in_the_corpus() {
    let _alone = alone();
    for seeds::Seed { target, name, bytes } in seeds::seeds() {
        let found = fs::read(corpus().join(target).join(name)).unwrap_or_default();
        assert!(
            found == bytes,
            "{target}/{name} is another; `cargo run --manifest-path fuzz/Cargo.toml --example seeds` writes it"
        );
    }
}

#[test]
fn the_corpus() {
    let _alone = alone();
    for target in TARGETS {
        let (mut good, mut bad) = (0, 0);
        for (name, bytes) in files(target.0) {
            let accepted = run(target, &name, &bytes);
            match name.split('-').next() {
                Some("good") => assert!(accepted, "{}/{name}", target.0),
                Some("bad") => assert!(!accepted, "{}/{name}", target.0),
                _ => {}
            }
            *(if accepted { &mut good } else { &mut bad }) += 1;
        }
        assert!(good > 0 && bad > 0, "{}: {good} good files and {bad} bad ones", target.0);
    }
}

#[test]
fn damaged_sections() {
    let _alone = alone();
    for target in TARGETS.into_iter().filter(|(name, _)| ["zkey", "wtns", "r1cs"].contains(name)) {
        let files = files(target.0).into_iter().filter(|(name, _)| name.starts_with("good-"));
        for (name, bytes) in files {
            for (index, damaged) in mutate::sections_damaged(&bytes).iter().enumerate() {
                run(target, &format!("{name}, damage {index}"), damaged);
            }
        }
    }
}

#[test]
fn random_changes() {
    let _alone = alone();
    for (seed, target) in (0..).zip(TARGETS) {
        let mut rng = rng(seed);
        let files = files(target.0);
        let mut accepted = 0;
        for (name, bytes) in &files {
            for change in 0..changes(target.0) {
                let (_, other) = &files[rng.next_u32() as usize % files.len()];
                let changed = mutate::mutated(&mut rng, bytes, other);
                accepted += u32::from(run(target, &format!("{name}, change {change}"), &changed));
            }
        }
        // Some pass all checks, so that what is behind them is reached, too. A key of bellman's has nothing but
        // points, of which a change makes none.
        assert!(accepted > 0 || target.0 == "parameters", "{}: nothing accepted", target.0);
    }
}

#[test]
fn time_grows_with_the_input() {
    let _alone = alone();
    for (name, what, bytes, good) in grown::grown(seed) {
        let target = TARGETS.into_iter().find(|(other, _)| *other == name).unwrap();
        assert!(bytes.len() >= 100_000, "{name}, {what}: {} bytes", bytes.len());
        let allowed = ONCE + A_BYTE * bytes.len() as u32;
        // The machine may have other work meanwhile, but not so much.
        let repeat = |time: &Duration| (allowed..4 * allowed).contains(time);
        let mut times = vec![];
        while times.len() < 3 && times.last().is_none_or(repeat) {
            let start = Instant::now();
            assert_eq!(run(target, what, &bytes), good, "{name}, {what}");
            times.push(start.elapsed());
        }
        let quick = times.last().is_some_and(|time| *time < allowed);
        assert!(quick, "{name}, {what}: {} bytes took {times:?}", bytes.len());
    }
}
