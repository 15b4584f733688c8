//! The program as a user runs it: arguments, outputs, exit codes, messages.

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
    folder
        .run("verify vk.json two.json p.json")
        .fails(2, &["two.json", "2 public signals", "has 1"]);
    folder.run("verify vk.json none.json p.json").fails(2, &["none.json", "No such file"]);
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
fn outputs_that_collide_are_refused_before_any_work() {
    let folder = Folder::new();
    fs::create_dir(folder.path("sub")).unwrap();
    fs::copy(folder.path("w.wtns"), folder.path("sub/w.wtns")).unwrap();
    let before = folder.names();
    folder
        .run("prove k.zkey --out-dir out w.wtns sub/w.wtns")
        .fails(2, &["w.proof.json", "would overwrite another output"]);
    fs::remove_dir(folder.path("out")).unwrap();
    for (arguments, name) in [
        ("prove k.zkey w.wtns p.json p.json", "p.json"),
        ("prove k.zkey w.wtns p.json ./sub/../p.json", "p.json"),
        ("prove k.zkey w.wtns w.wtns x.json", "w.wtns"),
        ("prove k.zkey w.wtns ./k.zkey x.json", "k.zkey"),
        ("prove k.zkey w.wtns k.zkey.checked x.json", "k.zkey.checked"),
        ("export-vk k.zkey k.zkey", "k.zkey"),
        ("setup c.r1cs c.r1cs", "c.r1cs"),
    ] {
        folder.run(arguments).fails(2, &[name, "would overwrite"]);
    }
    for (arguments, parts) in [
        ("prove k.zkey w.wtns none/p x", ["none/p", "No such file"]),
        ("prove k.zkey w.wtns sub x", ["sub", "is a folder"]),
        ("prove k.zkey --out-dir w.wtns w.wtns", ["w.wtns", "is not a folder"]),
        ("setup c.r1cs none/k.zkey", ["none/k.zkey", "No such file"]),
    ] {
        folder.run(arguments).fails(2, &parts);
    }
    assert_eq!(folder.names(), before);
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
    folder.run("prove k.zkey w.wtns").fails(2, &["PROOF.json", "--out-dir"]);
    folder.run("prove k.zkey w.wtns p x y").fails(2, &["4 file(s)", "--out-dir"]);
    folder.run("prove . w.wtns p x").fails(2, &[".: ", "directory"]);
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

#[cfg(unix)]
#[test]
fn special_outputs() {
    let folder = Folder::new();
    let run = folder.run("prove --quiet k.zkey w.wtns /dev/stdout /dev/null").succeeds();
    assert!(run.stdout.contains("pi_a"), "{run:?}");
    std::os::unix::fs::symlink("target.json", folder.path("link.json")).unwrap();
    fs::write(folder.path("target.json"), "").unwrap();
    folder.run("prove k.zkey w.wtns link.json x.json").succeeds();
    assert!(read(folder.path("target.json")).contains("pi_a"));
    assert!(folder.path("link.json").is_symlink());
    std::os::unix::fs::symlink("fresh.json", folder.path("dangling.json")).unwrap();
    folder.run("prove k.zkey w.wtns dangling.json x.json").succeeds();
    assert!(read(folder.path("fresh.json")).contains("pi_a"));
    std::os::unix::fs::symlink("loop.json", folder.path("loop.json")).unwrap();
    folder.run("prove k.zkey w.wtns loop.json x.json").fails(2, &["loop.json", "links"]);
    assert!(!folder.names().iter().any(|name| name.starts_with(".warpfield")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_or_a_closed_pipe_is_an_error_and_no_panic() {
    let folder = Folder::new();
    folder.run("prove k.zkey w.wtns p x").succeeds();
    folder.run("export-vk k.zkey vk").succeeds();
    for arguments in ["verify vk x p", "inspect k.zkey", "demo", "devices"] {
        let output = Command::new(env!("CARGO_BIN_EXE_warpfield"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path("."))
            .stdout(fs::File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        Run::from(output).fails(2, &["stdout", "No space left"]);
    }
    folder.run("setup c.r1cs /dev/full").fails(2, &["/dev/full", "No space left"]);
    fs::remove_file(folder.path("x")).unwrap();
    folder.run("prove k.zkey w.wtns /dev/full x").fails(2, &["/dev/full", "No space left"]);
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

/// The JSON that a run prints.
fn json(run: Run) -> serde_json::Value {
    serde_json::from_str(&run.succeeds().stdout).unwrap()
}

/// That all that are named have a line that begins so.
#[track_caller]
fn has_lines(run: Run, names: &[&str]) {
    let text = run.succeeds().stdout;
    for name in names {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}: {text}");
    }
}

#[test]
fn bench_measures_on_the_emulator_too() {
    let folder = Folder::new();
    let run = folder.run("bench field --device emulated --repeats 1");
    if cfg!(feature = "test-kernels") {
        has_lines(
            run,
            &[
                "wide multiply-add",
                "Fp squaring",
                "G1 XYZZ + affine",
                "G2 affine + affine",
                "spread:",
                "memory of the host",
                "memory of the device",
            ],
        );
        let json = json(folder.run("bench field --device emulated --repeats 2 --json"));
        let rows = json["rows"].as_array().unwrap();
        assert!(rows.len() >= 11 && rows.iter().all(|row| row["median"].as_f64() > Some(0.0)));
        assert_eq!(json["multiprocessors"].as_u64(), Some(1));
    } else {
        run.fails(2, &["--features cuda,test-kernels", "--device cpu"]);
    }
    folder.run("bench field --device gpu").fails(2, &["cuda:N"]);
}

#[test]
fn bench_sums_on_the_emulator_too() {
    let folder = Folder::new();
    let run = folder.run("bench msm --device emulated --log-size 0,4 --bits 4 --repeats 1");
    if cfg!(feature = "ptx") {
        let text = run.succeeds().stdout;
        for part in ["accumulate", "G1", "2^0", "2^4", "spread:", "operands", "workspace"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let arguments = "bench msm --device emulated --log-size 2 --group g2 --tables all \
                         --repeats 2 --json";
        let json = json(folder.run(arguments));
        let row = &json["rows"][0];
        assert_eq!(
            (row["log_size"].as_u64(), row["steps"].as_array().unwrap().len()),
            (Some(2), 7)
        );
        assert_eq!(row["copies"], row["windows"]);
        assert!(row["wall"]["median"].as_f64() > Some(0.0), "{json}");
        let memory = &json["memory"]["device"];
        let bytes = |name: &str| memory[name].as_u64().unwrap();
        let used = bytes("free_before_bytes") - bytes("free_least_bytes");
        let (parts, workspace) = (&memory["parts"], row["workspace_bytes"].as_u64().unwrap());
        assert_eq!(parts["operands"].as_u64(), Some(4 * (192 + 32)));
        assert_eq!(parts["workspace"].as_u64(), Some(workspace));
        assert!(used >= 4 * (192 + 32) + workspace && bytes("total_bytes") > used, "{json}");
        let arguments =
            "bench msm --device emulated --log-size 2 --bits 5 --tables all --repeats 1";
        folder.run(arguments).succeeds();
        let arguments = "bench msm --device emulated --log-size 2 --group g2 --halvings 1";
        folder.run(arguments).fails(2, &["--halvings", "G2"]);
    } else {
        run.fails(2, &["--features cuda"]);
    }
    folder.run("bench msm --device emulated --log-size 29").fails(2, &["--log-size"]);
    folder.run("bench msm --log-size 2 --tables most").fails(2, &["--tables"]);
}

/// The numbers of a row of the library's table, `row(log, bits, log_segment, bin)`.
fn row_of_table(line: &str) -> Option<[u32; 4]> {
    let (numbers, rest) = line.strip_prefix("    row(")?.split_once(')')?;
    let numbers = numbers.split(", ").map(|number| number.replace('_', "").parse().ok());
    let halved = rest.strip_prefix(".halved(").is_some();
    assert!(!halved && rest.starts_with(", // ") && rest.contains(" ms"), "{line}");
    numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
}

#[test]
fn bench_tunes_on_the_emulator_too() {
    let folder = Folder::empty();
    let tune = "bench tune-msm --device emulated --seconds 1";
    let run = folder.run(&format!("{tune} --log-size 3,1"));
    if cfg!(feature = "ptx") {
        let Run { stdout, stderr, .. } = run.succeeds();
        let lines: Vec<_> = stdout.lines().collect();
        let [head, table, rows @ .., end] = &lines[..] else { panic!("{stdout}") };
        assert!(head.starts_with("// ") && head.contains("tune-msm"), "{stdout}");
        assert_eq!((*table, *end), ("const G1_NONE: &[Row] = &[", "];"));
        let rows: Vec<_> = rows.iter().map(|line| row_of_table(line).expect(line)).collect();
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [1, 3]);
        for [_, bits, log_segment, bin] in &rows {
            assert!((2..=24).contains(bits) && (1..=12).contains(log_segment), "{stdout}");
            assert!((256..=25_600).contains(bin), "{stdout}");
        }
        assert!(rows[0][1] <= rows[1][1], "{stdout}");
        assert!(stderr.contains("2^1: ") && stderr.contains("2^3: "), "{stderr}");

        // All copies of four bases fit, those of 2^10 do not.
        let arguments = format!("{tune} --log-size 2,10 --group g2 --tables 50000 --json");
        let run = folder.run(&arguments).succeeds();
        assert!(run.stderr.contains("2^10: no room"), "{}", run.stderr);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let rows = json["rows"].as_array().unwrap();
        assert_eq!((json["group"].as_str(), rows.len()), (Some("G2"), 1));
        let row = &rows[0];
        let bits = row["bits"].as_u64().unwrap();
        assert_eq!(row["copies"].as_u64(), Some(255_u64.div_ceil(bits)));
        assert!(row["seconds"].as_f64() > Some(0.0) && row["sums"].as_u64() >= Some(2), "{json}");
        assert!(row["halving"].is_null(), "{json}");
    } else {
        run.fails(2, &["--features cuda"]);
    }
    folder.run("bench tune-msm --device emulated --log-size 29").fails(2, &["--log-size"]);
    folder.run("bench tune-msm --device cpu --log-size 2").fails(2, &["CPU", "kernels"]);
    folder.run("bench tune-msm --device emulated").fails(2, &["required"]);
    folder.run(&format!("{tune} --log-size 2 --seconds 0")).fails(2, &["--seconds"]);
}

#[test]
fn bench_sums_operands_of_the_host_too() {
    let folder = Folder::new();
    let bench = "bench msm --device emulated --repeats 1";
    let run = folder.run(&format!("{bench} --log-size 0,3 --scalars pinned"));
    if cfg!(feature = "ptx") {
        let parts = ["G1, bases in device memory, scalars in pinned memory", "2^0 ", "2^3 "];
        has_lines(run, &[&parts[..], &["spread:", "memory of the device"]].concat());

        let host = format!("{bench} --log-size 3 --bases pageable --scalars pageable");
        let run = folder.run(&format!("{host} --budget 1000"));
        let least = run.stderr.trim().rsplit(' ').next().unwrap().parse::<u64>();
        run.fails(2, &["budget of 1000 bytes"]);
        let least = least.unwrap();
        let json = json(folder.run(&format!("{host} --budget {least} --json")));
        let row = &json["rows"][0];
        let number = |name: &str| row[name].as_u64().unwrap();
        assert_eq!((&json["bases"], &json["scalars"]), (&"pageable".into(), &"pageable".into()));
        assert!(number("workspace_bytes") <= least && number("pinned_bytes") > 0, "{json}");
        assert_eq!(number("chunks"), 8_u64.div_ceil(number("most")));
        assert!(number("chunks") > 1 && row["wall"]["median"].as_f64() > Some(0.0), "{json}");
        assert_eq!(json["memory"]["device"]["parts"]["operands"].as_u64(), Some(0));

        let run = folder.run(&format!("{bench} --log-size 2 --bases pinned --tables all"));
        run.fails(2, &["--tables"]);
        let run = folder.run(&format!("{bench} --log-size 2 --scalars pinned --bits 4"));
        run.fails(2, &["--bits", "device memory"]);
    } else {
        run.fails(2, &["--features cuda"]);
    }
    folder.run(&format!("{bench} --log-size 2 --scalars elsewhere")).fails(2, &["--scalars"]);
    let run = folder.run("bench msm --device cpu --log-size 2 --bases pinned");
    run.fails(2, &["--bases", "GPU"]);
}

#[test]
fn bench_transforms_on_the_emulator_too() {
    let folder = Folder::new();
    let run = folder.run("bench ntt --device emulated --log-size 0,3,8 --repeats 1");
    if cfg!(feature = "ptx") {
        has_lines(run, &["2^0     natural", "2^3     reversed", "2^8     natural", "spread:"]);
        let json = json(folder.run("bench ntt --device emulated --log-size 5 --json"));
        assert_eq!(json["rows"].as_array().unwrap().len(), 2);
        assert!(json["rows"][1]["max"].as_f64() > Some(0.0), "{json}");
        assert_eq!(json["memory"]["device"]["parts"]["scratch"].as_u64(), Some(32 * 32));
    } else {
        run.fails(2, &["--features cuda", "--device cpu"]);
    }
}

#[test]
fn bench_measures_the_cpu() {
    let folder = Folder::new();
    let ends = ["spread:", "memory of the host"];
    let run = folder.run("bench field --device cpu --repeats 1");
    has_lines(run, &[&["Fr multiplication", "Fp squaring", "Fp2"][..], &ends].concat());
    let run = folder.run("bench ntt --device cpu --log-size 0,10 --repeats 1");
    has_lines(run, &[&["2^0     natural", "2^10    reversed"][..], &ends].concat());
    let run = folder.run("bench msm --device cpu --log-size 0,6 --repeats 1 --group g2");
    has_lines(run, &[&["G2", "2^0", "2^6"][..], &ends].concat());
    for bench in ["field", "ntt --log-size 4", "msm --log-size 4"] {
        let json = json(folder.run(&format!("bench {bench} --device cpu --repeats 3 --json")));
        let row = &json["rows"][0];
        let time = if row["wall"].is_null() { row } else { &row["wall"] };
        let [min, median, max] = ["min", "median", "max"].map(|name| time[name].as_f64().unwrap());
        assert!(0.0 < min && min <= median && median <= max, "{json}");
        assert!(json["device"].as_str().unwrap().contains("thread"), "{json}");
        assert!(json["memory"]["device"].is_null(), "{json}");
        if cfg!(target_os = "linux") {
            assert!(json["memory"]["host_peak_bytes"].as_u64() > Some(1 << 20), "{json}");
        }
    }
    for option in ["--bits 3", "--tables all", "--scalars pinned"] {
        let run = folder.run(&format!("bench msm --device cpu --log-size 4 {option}"));
        run.fails(2, &["--bits", "GPU"]);
    }
}

#[test]
fn bench_without_a_gpu_tells_what_goes_without() {
    let folder = Folder::new();
    for bench in ["ntt", "msm --log-size 4", "tune-msm --log-size 4"] {
        folder.run(&format!("bench {bench} --device cuda:4711")).fails(2, &["--device cpu"]);
    }
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
