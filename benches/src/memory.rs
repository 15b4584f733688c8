//! `memory`: the peak memory of a process that makes one proof with warpfield.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rand_core::OsRng;
use warpfield::formats::wtns;
use warpfield::formats::zkey::{self, Trust};
use warpfield::groth16::{Blinding, Prover, ToxicWaste, Witness, setup};

use crate::Result;
use crate::case::{Case, LOG_SIZES, Values};
use crate::setting::Setting;

/// Measure the peak memory of a process that makes one proof (Linux only)
///
/// Each figure is of a fresh process that opens a key file and a witness file and proves: once with
/// a key that it has not seen, whose subgroups it checks, and once with the same key again.
#[derive(clap::Args)]
pub struct Args {
    /// log₂ of the sizes: 2^k is the domain, with 2^k − 2 constraints and one public input
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "16,18",
          value_parser = clap::value_parser!(u32).range(LOG_SIZES))]
    log_constraints: Vec<u32>,

    /// Threads of the process
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// Make one proof and print the peak of this process' resident memory in bytes
#[derive(clap::Args)]
pub struct ProveOnce {
    key: PathBuf,
    witness: PathBuf,
    threads: usize,
}

pub fn run(args: &Args) -> Result<()> {
    Setting::new(args.threads, None, &["warpfield"]).print();
    println!("| domain | witness | key | use of the key | peak | over the key, a constraint |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for &log_size in &args.log_constraints {
        for values in [Values::FullWidth, Values::Boolean] {
            measure(&Case::new(log_size, values), args.threads)?;
        }
    }
    Ok(())
}

fn measure(case: &Case, threads: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [key, witness] = ["key.zkey", "witness.wtns"].map(|name| folder.path().join(name));
    let parts = setup(&case.r1cs, &ToxicWaste::random(&mut OsRng)?)?;
    zkey::write(&parts, BufWriter::new(File::create(&key)?))?;
    drop(parts);
    let scalars = Witness::from_scalars(&case.witness);
    wtns::write(&scalars, BufWriter::new(File::create(&witness)?))?;

    let key_bytes = fs::metadata(&key)?.len();
    let Case { log_size, values, r1cs, .. } = case;
    for usage in ["first", "later"] {
        let peak = peak_of_proof(&key, &witness, threads)?;
        let over = (peak as f64 - key_bytes as f64) / r1cs.n_constraints() as f64;
        println!("| 2^{log_size} | {values} | {key_bytes} B | {usage} | {peak} B | {over:.0} B |");
    }
    Ok(())
}

/// Runs [`prove_once`] in a process of its own.
fn peak_of_proof(key: &Path, witness: &Path, threads: usize) -> Result<u64> {
    let output = Command::new(std::env::current_exe()?)
        .arg("prove-once")
        .args([key, witness])
        .arg(threads.to_string())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

pub fn prove_once(args: &ProveOnce) -> Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(args.threads).build_global()?;
    let prover = Prover::new(Arc::new(zkey::open(&args.key, Trust::CheckOnce)?))?;
    let witness = wtns::open(&args.witness)?;
    prover.prove(&witness, Blinding::random(&mut OsRng)?)?;
    println!("{}", peak_resident_bytes()?);
    Ok(())
}

/// `VmHWM` of this process: the most that was resident at one time, pages of mapped files counted.
fn peak_resident_bytes() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")
        .map_err(|error| format!("/proc/self/status: {error}; peak memory needs Linux"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kibibytes = kibibytes.ok_or("/proc/self/status has no line VmHWM in kB")?;
    Ok(kibibytes.trim().parse::<u64>()? * 1024)
}
