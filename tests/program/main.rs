//! The program as a user runs it: arguments, outputs, exit codes, messages.

mod bench;
mod devices;
mod killed;
mod outputs;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::*;
use tempfile::TempDir;
use warpfield::circuit::WitnessValues;

struct Folder(TempDir);

impl Folder {
    /// A folder with a small circuit's key and witness, and one that does not satisfy it.
    fn new() -> Self {
        let folder = Self::empty();
        let sample = Sample::synthetic(30, 1, WitnessValues::FullWidth);
        let values = section(&sample.wtns, 2);
        fs::write(folder.path("bad.wtns"), patched(&sample.wtns, values + 64, &[7; 8])).unwrap();
        fs::write(folder.path("c.r1cs"), sample.r1cs).unwrap();
        fs::write(folder.path("w.wtns"), sample.wtns).unwrap();
        fs::write(folder.path("k.zkey"), sample.zkey).unwrap();
        folder
    }

    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs the program in the folder; the arguments are separated by spaces.
    fn run(&self, arguments: &str) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_warpfield"))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .env("RUST_BACKTRACE", "1")
            .output()
            .unwrap();
        Run::from(output)
    }
}

#[derive(Debug)]
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("not ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    #[track_caller]
    fn succeeds(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// Fails with this code and one line that has these parts.
    #[track_caller]
    fn fails(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        let errors: Vec<_> =
            self.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert_eq!(errors.len(), 1, "{self:?}");
        for part in parts {
            assert!(errors[0].contains(part), "{:?} should contain {part:?}", errors[0]);
        }
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn demo_runs_every_step() {
    let folder = Folder::empty();
    let run = folder.run("demo --dir out").succeeds();
    assert!(run.stdout.contains("the proof is valid"), "{run:?}");
    assert!(run.stdout.contains("INSECURE"), "{run:?}");
    folder.run("verify out/verification_key.json out/public.json out/proof.json").succeeds();
    folder.run("demo --dir out").fails(2, &["out/circuit.r1cs", "exists already"]);
    let before = folder.names();
    let quiet = folder.run("demo --quiet").succeeds();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    assert_eq!(folder.names(), before, "without --dir nothing is left");
}

#[test]
fn prove_and_verify_snarkjs_own_files() {
    let folder = Folder::empty();
    let data = data("mult1000").display().to_string();
    folder
        .run(&format!("prove {data}/circuit.zkey {data}/witness.wtns p.json x.json --no-sidecar"))
        .succeeds();
    let run = folder.run(&format!("verify {data}/verification_key.json x.json p.json")).succeeds();
    assert_eq!(run.stdout, "valid\n");
    assert_eq!(read(folder.path("x.json")).trim_end(), read(format!("{data}/snarkjs.public.json")));

    folder
        .run(&format!(
            "verify {data}/verification_key.json {data}/snarkjs.public.json {data}/snarkjs.proof.json"
        ))
        .succeeds();

    folder.run(&format!("export-vk {data}/circuit.zkey vk.json")).succeeds();
    assert_eq!(
        read(folder.path("vk.json")).trim_end(),
        read(format!("{data}/verification_key.json"))
    );
}

#[test]
fn verify_tells_valid_from_invalid_from_unclear() {
    let folder = Folder::new();
    folder.run("prove k.zkey w.wtns p.json x.json").succeeds();
    folder.run("export-vk k.zkey vk.json").succeeds();
    folder.run("verify vk.json x.json p.json").succeeds();

    fs::write(folder.path("other.json"), r#"["1"]"#).unwrap();
    let run = folder.run("verify vk.json other.json p.json").fails(1, &["p.json", "not valid"]);
    assert_eq!(run.stdout, "invalid\n");

    fs::write(folder.path("two.json"), r#"["1", "2"]"#).unwrap();
    let run = folder.run("verify vk.json two.json p.json");
    run.fails(2, &["two.json", "2 public signals", "has 1", "same circuit"]);
    let run = folder.run("verify vk.json none.json p.json");
    run.fails(2, &["none.json", "No such file", "is the path right?"]);
    folder.run("verify p.json x.json vk.json").fails(2, &["p.json", "missing field"]);
}

#[test]
fn partitions_to_a_folder() {
    let folder = Folder::new();
    fs::copy(folder.path("w.wtns"), folder.path("v.wtns")).unwrap();
    folder.run("prove k.zkey --out-dir out w.wtns v.wtns").succeeds();
    folder.run("export-vk k.zkey vk.json").succeeds();
    for stem in ["v", "w"] {
        folder
            .run(&format!("verify vk.json out/{stem}.public.json out/{stem}.proof.json"))
            .succeeds();
    }
    let (v, w) = (read(folder.path("out/v.proof.json")), read(folder.path("out/w.proof.json")));
    assert_ne!(v, w, "each proof has its own blinding");
}

#[test]
fn a_bad_witness_is_named_and_nothing_is_written_for_it() {
    let folder = Folder::new();
    fs::write(folder.path("p.json"), "before").unwrap();
    folder
        .run("prove k.zkey bad.wtns p.json x.json")
        .fails(1, &["bad.wtns", "does not satisfy the circuit"]);
    assert_eq!(read(folder.path("p.json")), "before");
    assert!(!folder.path("x.json").exists());

    folder
        .run("prove k.zkey --out-dir one w.wtns bad.wtns")
        .fails(1, &["partition 2 of 2", "bad.wtns"]);
    folder.run("prove k.zkey --out-dir two bad.wtns w.wtns").fails(1, &["partition 1 of 2"]);
    assert!(folder.path("one/w.proof.json").exists() && !folder.path("two/w.proof.json").exists());

    let run = folder.run("prove k.zkey --out-dir three --keep-going bad.wtns w.wtns");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.stderr.contains("error: partition 1 of 2") && run.stderr.contains("1 of 2 partitions")
    );
    let names = fs::read_dir(folder.path("three")).unwrap().count();
    assert_eq!(names, 2, "w.proof.json and w.public.json alone");

    fs::write(folder.path("cut.wtns"), &fs::read(folder.path("w.wtns")).unwrap()[..200]).unwrap();
    let run = folder.run("prove k.zkey --out-dir four --keep-going cut.wtns w.wtns");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(folder.path("four/w.proof.json").exists());
}

#[test]
fn a_witness_of_another_circuit() {
    let folder = Folder::new();
    let data = data("mult1000").display().to_string();
    folder
        .run(&format!("prove k.zkey {data}/witness.wtns p.json x.json"))
        .fails(2, &["1003 values", "34 wires", "another circuit"]);
    folder
        .run("prove w.wtns k.zkey p.json x.json")
        .fails(2, &["w.wtns", "not a .zkey file", "right place"]);
}

#[test]
fn seeds_make_everything_repeatable() {
    let folder = Folder::new();
    for (seed, out) in [("2a", "a"), ("2a", "b"), ("2b", "c")] {
        let run =
            folder.run(&format!("prove k.zkey --seed {seed} w.wtns {out} {out}.x")).succeeds();
        assert!(run.stderr.contains("warning: --seed"), "{run:?}");
        let run = folder.run(&format!("setup c.r1cs {out}.zkey --seed {seed}")).succeeds();
        assert!(run.stderr.contains("warning: INSECURE"), "{run:?}");
    }
    assert_eq!(read(folder.path("a")), read(folder.path("b")));
    assert_ne!(read(folder.path("a")), read(folder.path("c")));
    let key = |name| fs::read(folder.path(name)).unwrap();
    assert_eq!(key("a.zkey"), key("b.zkey"));
    assert_ne!(key("a.zkey"), key("c.zkey"));
    folder.run("prove a.zkey w.wtns d d.x").succeeds();
    for bad in ["", "2", "xy", "ü"] {
        let run = folder.run(&format!("setup c.r1cs e.zkey --seed={bad}"));
        assert_eq!(run.code, 2, "{run:?}");
    }
}

#[test]
fn keys_by_a_device_are_those_of_the_cpu() {
    let folder = Folder::new();
    folder.run("setup c.r1cs a.zkey --seed 2a --device cpu").succeeds();
    let run = folder.run("setup c.r1cs b.zkey --seed 2a --device emulated");
    if cfg!(feature = "ptx") {
        run.succeeds();
        let key = |name| fs::read(folder.path(name)).unwrap();
        assert_eq!(key("a.zkey"), key("b.zkey"));
    } else {
        run.fails(2, &["--features cuda", "--device cpu"]);
    }
    folder.run("setup c.r1cs c.zkey --device cuda:999").fails(2, &["--device cpu"]);
    folder.run("setup none.r1cs c.zkey --device emulated").fails(2, &["none.r1cs"]);
    assert_eq!(folder.run("setup c.r1cs c.zkey --device gpu").code, 2);
    assert!(!folder.path("c.zkey").exists());
}

#[test]
fn the_subgroup_check_is_remembered_by_content() {
    let folder = Folder::new();
    let sidecar = folder.path("k.zkey.checked");
    folder.run("prove k.zkey --no-sidecar w.wtns p x").succeeds();
    folder.run("prove k.zkey --trust-key w.wtns p x").succeeds();
    assert!(!sidecar.exists());
    let first = folder.run("prove k.zkey -v w.wtns p x").succeeds();
    assert!(first.stderr.contains("check subgroups"), "{first:?}");
    assert!(sidecar.exists());
    let second = folder.run("prove k.zkey -v w.wtns p x").succeeds();
    assert!(!second.stderr.contains("check subgroups"), "{second:?}");

    // Another content, with a bad point: the sidecar does not count.
    let key = fs::read(folder.path("k.zkey")).unwrap();
    let changed = patched(&key, section(&key, 8), &outside_g1());
    fs::write(folder.path("k.zkey"), changed).unwrap();
    folder.run("prove k.zkey w.wtns p x").fails(2, &["section 8 (C), point 0", "subgroup"]);
    // Trusted all the same, it cannot put its point into a proof.
    fs::remove_file(folder.path("p")).unwrap();
    folder.run("prove --trust-key k.zkey w.wtns p x").fails(2, &["w.wtns", "made to deceive"]);
    assert!(!folder.path("p").exists());
}

#[cfg(unix)]
#[test]
fn a_sidecar_is_only_ever_a_file_of_its_own() {
    let folder = Folder::new();
    let sidecar = folder.path("k.zkey.checked");
    fs::write(folder.path("victim"), "untouched").unwrap();
    std::os::unix::fs::symlink("victim", &sidecar).unwrap();
    folder.run("prove k.zkey w.wtns p x").succeeds();
    assert_eq!(read(folder.path("victim")), "untouched");
    assert!(sidecar.symlink_metadata().unwrap().is_file());

    fs::remove_file(&sidecar).unwrap();
    assert!(Command::new("mkfifo").arg(&sidecar).status().unwrap().success());
    folder.run("prove k.zkey w.wtns p x").succeeds();
    fs::remove_file(&sidecar).unwrap();
    fs::create_dir(&sidecar).unwrap();
    folder.run("prove k.zkey w.wtns p x").succeeds();
}

#[test]
fn quiet_is_quiet_and_verbose_shows_more() {
    let folder = Folder::new();
    let quiet = folder.run("prove --quiet k.zkey w.wtns p x").succeeds();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let usual = folder.run("prove k.zkey w.wtns p x").succeeds();
    let verbose = folder.run("prove -v k.zkey w.wtns p x").succeeds();
    assert!(usual.stderr.contains("load key") && !usual.stderr.contains("msm g2"), "{usual:?}");
    assert!(verbose.stderr.contains("msm g2"), "{verbose:?}");
    folder.run("prove --quiet k.zkey bad.wtns p x").fails(1, &["bad.wtns"]);
}

#[test]
fn wrong_arguments() {
    let folder = Folder::new();
    for arguments in [
        "",
        "prove",
        "prove k.zkey",
        "prove k.zkey w.wtns p x --device tpu",
        "prove k.zkey w.wtns p x --threads 0",
        "prove k.zkey w.wtns p x --threads 1025",
        "prove k.zkey w.wtns p x --seed 1",
        "inspect",
        "verify vk.json",
    ] {
        assert_eq!(folder.run(arguments).code, 2, "{arguments}");
    }
    // In a line, as all errors.
    folder.run("prove").fails(2, &["KEY.zkey", "required", "Usage: warpfield prove"]);
    folder.run("prove k.zkey w.wtns p x --devise cpu").fails(2, &["--devise", "tip", "--device"]);
    folder.run("prov k.zkey").fails(2, &["prov", "tip", "prove", "--help"]);
    folder.run("prove k.zkey w.wtns").fails(2, &["PROOF.json", "--out-dir"]);
    folder.run("prove k.zkey w.wtns p x y").fails(2, &["4 file(s)", "--out-dir"]);
    folder.run("prove . w.wtns p x").fails(2, &[".: ", "directory", "the name of a file"]);
    folder.run("demo --dir k.zkey").fails(2, &["k.zkey", "is not a folder"]);
    let help = folder.run("prove --help").succeeds().stdout;
    for word in ["--out-dir", "--keep-going", "--trust-key", "Exit codes", "INSECURE"] {
        assert!(help.contains(word), "{help}");
    }
}

#[test]
fn inspect_tells_what_a_file_is() {
    let folder = Folder::new();
    let data = data("").display().to_string();
    for (file, parts) in [
        (
            "k.zkey".to_owned(),
            &["bls12381", "Groth16", "34", "32 (2^5)", "section 9 (H)", "memory"][..],
        ),
        ("w.wtns".to_owned(), &["bls12381", "values", "34"]),
        ("c.r1cs".to_owned(), &["bls12381", "constraints", "30", "32 (2^5)"]),
        (format!("{data}/bn128/tiny.zkey"), &["bn128"]),
        (format!("{data}/bn128/tiny.plonk.zkey"), &["PLONK"]),
    ] {
        let run = folder.run(&format!("inspect {file}")).succeeds();
        for part in parts {
            assert!(run.stdout.contains(part), "{part:?} in {run:?}");
        }
    }
    fs::write(folder.path("text"), "hello").unwrap();
    folder.run("inspect text").fails(2, &["text", "not a .zkey, .wtns or .r1cs", "hell"]);
}

#[test]
fn devices_are_listed_or_it_says_why_there_are_none() {
    let out = Folder::new().run("devices").succeeds().stdout;
    assert!(
        out.starts_with("0: ")
            || (out.lines().count(), out.contains("no CUDA devices")) == (1, true),
        "{out}"
    );
}

#[test]
fn names_cannot_write_on_the_terminal() {
    let folder = Folder::new();
    let output = Command::new(env!("CARGO_BIN_EXE_warpfield"))
        .args(["inspect", "a\u{1b}[2J\nb"])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    let run = Run::from(output);
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{run:?}");
    assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
}
