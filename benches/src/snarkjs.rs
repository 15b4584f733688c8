//! `snarkjs`: whole processes, from files to files.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::TempDir;
use warpfield::formats::{r1cs, wtns};
use warpfield::groth16::Witness;

use crate::Result;
use crate::case::{Case, LOG_SIZES, Values};
use crate::setting::{Setting, output};
use crate::times::Times;

/// Compare the program with snarkjs, each as a whole process
///
/// Both read the same key and witness and write their proof and public signals; both use all
/// processors. The key has been seen before, so that `warpfield prove` finds its remembered check.
/// They take turns at being first, and snarkjs verifies every proof.
#[derive(clap::Args)]
pub struct Args {
    /// log₂ of the sizes: 2^k is the domain, with 2^k − 2 constraints and one public input
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "14,16",
          value_parser = clap::value_parser!(u32).range(LOG_SIZES))]
    log_constraints: Vec<u32>,

    /// Timed runs of each program for each circuit
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Witnesses to prove
    #[arg(long, value_enum, value_delimiter = ',', default_value = "full-width")]
    values: Vec<Values>,

    /// The program to measure [default: built for release from this repository]
    #[arg(long, value_name = "PROGRAM")]
    warpfield: Option<PathBuf>,

    /// Write every single time to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    setting: Setting,
    rows: Vec<Measured>,
}

/// Both programs on one case.
#[derive(Serialize)]
struct Measured {
    log_constraints: u32,
    constraints: usize,
    values: Values,
    warpfield_seconds: Times,
    snarkjs_seconds: Times,
    /// snarkjs' median over warpfield's.
    ratio: f64,
}

pub fn run(args: &Args) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let programs = Programs {
        warpfield: match &args.warpfield {
            Some(program) => program.clone(),
            None => build(&root)?,
        },
        snarkjs: install_snarkjs(&root.join("tests/interop"))?,
    };
    let processors = std::thread::available_parallelism()?.get();
    let mut setting = Setting::new(processors, Some(args.rounds), &["warpfield"]);
    setting.push_version("snarkjs", programs.snarkjs_version()?);
    setting.push_version("node", output(Command::new("node").arg("--version")));
    setting.print();
    println!("| domain | witness | program | median | fastest – slowest | × |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut rows = Vec::new();
    for &log_size in &args.log_constraints {
        for &values in &args.values {
            let measured = measure(&programs, &Case::new(log_size, values), args.rounds)?;
            measured.print();
            rows.push(measured);
        }
    }
    if let Some(path) = &args.json {
        let report = serde_json::to_string_pretty(&Report { setting, rows })?;
        fs::write(path, report + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Builds the program as a user would and says where it is.
fn build(root: &Path) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments =
        ["build", "--release", "--locked", "--bin", "warpfield", "--message-format", "json"];
    let output =
        Command::new(cargo).current_dir(root).args(arguments).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the program warpfield does not build".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    let executable = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    executable.ok_or_else(|| "cargo does not say where the program warpfield is".into())
}

/// The script of snarkjs' command line, installed by npm as the lock file says.
fn install_snarkjs(folder: &Path) -> Result<PathBuf> {
    let script = folder.join("node_modules/snarkjs/build/cli.cjs");
    if !script.exists() {
        eprintln!("installing snarkjs: npm ci in {}", folder.display());
        run_command(Command::new("npm").arg("ci").current_dir(folder))?;
    }
    Ok(fs::canonicalize(script)?)
}

/// Runs a command to its end. Its output is only shown if it fails.
fn run_command(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let time = start.elapsed();
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        return Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&text)).into());
    }
    Ok(time)
}

struct Programs {
    warpfield: PathBuf,
    snarkjs: PathBuf,
}

impl Programs {
    fn warpfield(&self) -> Command {
        let mut command = Command::new(&self.warpfield);
        command.arg("--quiet");
        command
    }

    /// node itself runs the script: npx would add its own start to the time.
    fn snarkjs(&self) -> Command {
        let mut command = Command::new("node");
        command.arg(&self.snarkjs).arg("groth16");
        command
    }

    fn snarkjs_version(&self) -> Result<String> {
        let package = self.snarkjs.with_file_name("../package.json");
        let package: serde_json::Value = serde_json::from_slice(&fs::read(package)?)?;
        Ok(package["version"].as_str().unwrap_or("of unknown version").to_owned())
    }
}

/// The files of one case.
struct Files {
    folder: TempDir,
    key: PathBuf,
    witness: PathBuf,
    verification_key: PathBuf,
}

impl Files {
    fn new(programs: &Programs, case: &Case) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let [circuit, key, witness, verification_key] =
            ["circuit.r1cs", "key.zkey", "witness.wtns", "vk.json"]
                .map(|name| folder.path().join(name));
        r1cs::write(&case.r1cs, BufWriter::new(File::create(&circuit)?))?;
        let scalars = Witness::from_scalars(&case.witness);
        wtns::write(&scalars, BufWriter::new(File::create(&witness)?))?;
        run_command(programs.warpfield().arg("setup").args([&circuit, &key]))?;
        run_command(programs.warpfield().arg("export-vk").args([&key, &verification_key]))?;
        Ok(Self { folder, key, witness, verification_key })
    }

    /// Where a program puts its proof and its public signals.
    fn outputs(&self, program: Program) -> [PathBuf; 2] {
        ["proof", "public"].map(|what| self.folder.path().join(format!("{program:?}.{what}.json")))
    }
}

#[derive(Clone, Copy, Debug)]
enum Program {
    Warpfield,
    Snarkjs,
}

/// One proof by one program, and then, untimed, its verification by snarkjs.
fn prove(programs: &Programs, files: &Files, program: Program) -> Result<Duration> {
    let [proof, public] = files.outputs(program);
    let mut command = match program {
        Program::Warpfield => programs.warpfield(),
        Program::Snarkjs => programs.snarkjs(),
    };
    command.arg("prove").args([&files.key, &files.witness, &proof, &public]);
    let time = run_command(&mut command)?;
    eprintln!("{program:?}: {:.3} s", time.as_secs_f64());
    let verify = [&files.verification_key, &public, &proof];
    run_command(programs.snarkjs().arg("verify").args(verify))?;
    Ok(time)
}

fn measure(programs: &Programs, case: &Case, rounds: u32) -> Result<Measured> {
    let files = Files::new(programs, case)?;
    // The key's check is remembered, files come into memory.
    prove(programs, &files, Program::Warpfield)?;
    prove(programs, &files, Program::Snarkjs)?;
    let mut warpfield_seconds = Times::default();
    let mut snarkjs_seconds = Times::default();
    for round in 0..rounds {
        let mut order = [Program::Warpfield, Program::Snarkjs];
        order.rotate_left(round as usize % 2);
        for program in order {
            let time = prove(programs, &files, program)?;
            match program {
                Program::Warpfield => warpfield_seconds.push(time),
                Program::Snarkjs => snarkjs_seconds.push(time),
            }
        }
    }
    Ok(Measured {
        log_constraints: case.log_size,
        constraints: case.r1cs.n_constraints(),
        values: case.values,
        ratio: snarkjs_seconds.median() / warpfield_seconds.median(),
        warpfield_seconds,
        snarkjs_seconds,
    })
}

impl Measured {
    fn print(&self) {
        let Self { log_constraints, values, warpfield_seconds, snarkjs_seconds, ratio, .. } = self;
        println!("| 2^{log_constraints} | {values} | warpfield | {warpfield_seconds} | 1.00 |");
        println!("| 2^{log_constraints} | {values} | snarkjs | {snarkjs_seconds} | {ratio:.2} |");
    }
}
