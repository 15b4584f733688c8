//! The command line.

mod bench_prove;
mod engine;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use serde::Serialize;

use crate::device::{DeviceName, Devices};
use crate::seed::Seed;
pub use bench_prove::BenchProve;
#[cfg(feature = "ptx")]
pub use bench_prove::{FormName, ShapeName, Values};
use engine::bytes_or_all;
pub use engine::{EngineOptions, OnDeviceError, ReportForm, ReportOptions};

const EXIT_CODES: &str = "\
Exit codes:
  0  done; for `verify`: the proof is valid
  1  the proof is not valid, or a witness does not satisfy its circuit
  2  it could not be done or told: wrong arguments, a bad file, a system error

Errors go to stderr, one line each: the file, the section, the offset, and what to do.";

/// Groth16 proofs over BLS12-381 from circom and snarkjs files.
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES, propagate_version = true)]
pub struct Args {
    /// Worker threads, 1 to 1024 [default: one a processor]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// No progress and no remarks; warnings and errors remain
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Show the stages within stages
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Prove(Prove),
    Plan(Plan),
    Verify(Verify),
    ExportVk(ExportVk),
    Inspect(Inspect),
    Setup(Setup),
    Demo(Demo),
    /// List the CUDA devices: name, compute capability, memory, PCI bus, driver
    ///
    /// The numbers are the driver's, which leaves out what CUDA_VISIBLE_DEVICES hides. Without
    /// devices it says what is missing; the exit code is 0 whenever it could tell.
    #[command(after_help = EXIT_CODES)]
    Devices,
    #[command(subcommand)]
    Bench(Bench),
}

/// Measure a device, or the CPU
#[derive(Subcommand)]
pub enum Bench {
    /// Field operations and additions of points, as rates and beside what the chip can do
    ///
    /// It takes half a minute and about 9 GiB of the GPU's memory, 32 where there are 64 free.
    #[command(after_help = EXIT_CODES)]
    Field(BenchOptions),

    /// Number-theoretic transforms of some sizes
    #[command(after_help = EXIT_CODES)]
    Ntt(NttOptions),

    /// Multi-scalar multiplications with everything on the device, step by step
    ///
    /// Scalars are random, bases are known multiples of the generator. Every sum is checked: against
    /// those multiples, and up to 2^16 terms against the CPU's.
    #[command(after_help = EXIT_CODES)]
    Msm(BenchMsm),

    /// Search for the digits, segments, halvings and bins that make multi-scalar multiplications quickest
    ///
    /// Prints rows for the library's table (host/msm/gpu/tuning/rows.rs), best times beside them. Every sum is
    /// checked as `bench msm` checks them.
    #[command(after_help = EXIT_CODES)]
    TuneMsm(TuneMsm),

    /// Proofs of many partitions of a synthetic circuit
    ///
    /// Makes a circuit, a witness and a key, then partition after partition; every proof is verified. Several
    /// locks, or workers, take turns.
    #[command(after_help = EXIT_CODES)]
    Prove(BenchProve),

    /// The same with every lock, and with one worker as well, by turns
    #[command(after_help = EXIT_CODES)]
    Locks(BenchProve),
}

#[derive(clap::Args)]
pub struct NttOptions {
    /// log₂ of the sizes, up to 30; memory is 128 bytes an element
    #[arg(long = "log-size", value_delimiter = ',', default_value = "16,18,20,22,24", value_parser = clap::value_parser!(u32).range(..=30))]
    pub log_sizes: Vec<u32>,

    /// cpu, cuda, cuda:N, or emulated (which tells nothing of a GPU's speed)
    #[arg(long, default_value = "cuda")]
    pub device: DeviceName,

    /// How often each transform is timed
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,

    /// Print JSON: seconds, not milliseconds
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct BenchOptions {
    /// cpu, cuda, cuda:N, or emulated (which tells nothing of a GPU's speed)
    #[arg(long, default_value = "cuda")]
    pub device: DeviceName,

    /// How often each is timed
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,

    /// Print JSON: seconds and operations a second
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args)]
pub struct BenchMsm {
    /// Logarithms of the numbers of terms, such as 16,20
    #[arg(long, required = true, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=28))]
    pub log_size: Vec<u32>,

    /// The group of the bases
    #[arg(long, value_enum, default_value_t = GroupName::G1)]
    pub group: GroupName,

    /// Bits of a digit, from 2 to 24, in place of what is known to be best
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(2..=24))]
    pub bits: Option<u32>,

    /// Bytes for tables of the bases, with the bases themselves, or `all` for as many as are of use
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = bytes_or_all)]
    pub tables: usize,

    /// Copies of each base, in place of those that fit the bytes for tables
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub copies: Option<u32>,

    /// The logarithm of the most entries that a thread sums up, in place of what is known to be best
    #[arg(long, value_name = "LOG", value_parser = clap::value_parser!(u32).range(1..=12))]
    pub log_segment: Option<u32>,

    /// How often neighbouring points of segments are added first, in place of what is known to be
    /// best
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=8))]
    pub halvings: Option<u32>,

    /// With --halvings, segments that a thread takes at a time
    #[arg(long, value_name = "N", default_value_t = 4, requires = "halvings")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 8))]
    pub segments: u32,

    /// The entries of a bin, about, in place of what is known to be best
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=25_600))]
    pub bin: Option<u32>,

    /// Where the bases are; from host memory they are copied chunk by chunk, under the work
    #[arg(long, value_enum, default_value_t = OperandPlace::Device)]
    pub bases: OperandPlace,

    /// Where the scalars are
    #[arg(long, value_enum, default_value_t = OperandPlace::Device)]
    pub scalars: OperandPlace,

    /// Bytes of device memory for a sum with operands in host memory, besides those in device memory, or
    /// `all` for as many as are of use
    #[arg(long, value_name = "BYTES", default_value = "all", value_parser = bytes_or_all)]
    pub budget: usize,

    #[command(flatten)]
    pub options: BenchOptions,
}

#[derive(clap::Args)]
pub struct TuneMsm {
    /// Logarithms of the numbers of terms, such as 16,20
    #[arg(long, required = true, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=28))]
    pub log_size: Vec<u32>,

    /// The group of the bases
    #[arg(long, value_enum, default_value_t = GroupName::G1)]
    pub group: GroupName,

    /// Bytes for all copies of the bases that are of use, or `all` for no limit: search with tables, but for
    /// sizes of which they do not fit; 0 for no tables
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = bytes_or_all)]
    pub tables: usize,

    /// Seconds for each size, about, after which the best so far counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: u32,

    /// cuda, cuda:N, or emulated (which tells nothing of a GPU's speed)
    #[arg(long, default_value = "cuda")]
    pub device: DeviceName,

    /// Print JSON: seconds
    #[arg(long)]
    pub json: bool,
}

impl BenchMsm {
    /// Whether an operand is in host memory.
    pub fn is_streamed(&self) -> bool {
        [self.bases, self.scalars].iter().any(|place| *place != OperandPlace::Device)
    }
}

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OperandPlace {
    /// In device memory
    Device,
    /// In page-locked host memory
    Pinned,
    /// In any other host memory
    Pageable,
}

/// A group by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroupName {
    /// Over Fp
    G1,
    /// Over Fp2
    G2,
}

/// Make proofs; each is verified before it is written
///
/// One partition, with the arguments in the order of snarkjs and rapidsnark:
///
///   warpfield prove circuit.zkey witness.wtns proof.json public.json
///
/// Many partitions of one circuit, to DIR/<stem>.proof.json and DIR/<stem>.public.json:
///
///   warpfield prove circuit.zkey --out-dir DIR one.wtns two.wtns three.wtns
///
/// The key's points are checked: to be on the curve, every time; to be in the right subgroup, once
/// for a key, which the file KEY.zkey.checked then remembers by the key's hash.
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES, verbatim_doc_comment)]
pub struct Prove {
    /// The proving key, as `snarkjs groth16 setup` makes it with curve bls12381
    #[arg(value_name = "KEY.zkey")]
    pub key: PathBuf,

    /// WITNESS.wtns PROOF.json PUBLIC.json, or with --out-dir any number of witnesses
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Prove every witness given and write the results to this folder (made if need be)
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,

    /// After a partition that fails go on with the next; the exit code still tells
    #[arg(long)]
    pub keep_going: bool,

    /// Do not check that the key's points are in the right subgroup
    #[arg(long)]
    pub trust_key: bool,

    /// Check the subgroup now, and neither read nor write KEY.zkey.checked
    #[arg(long, conflicts_with = "trust_key")]
    pub no_sidecar: bool,

    /// Derive r and s from this seed: the same proof each time, for tests. INSECURE: it hides nothing
    #[arg(long, value_name = "HEX")]
    pub seed: Option<Seed>,

    /// What computes: cpu, cuda, cuda:N, several as cuda:N,M, or emulated (slow: for tests)
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: Devices,

    #[command(flatten)]
    pub engine: EngineOptions,

    /// What to do about a partition that ends with an error of its device [default: fail]
    #[arg(long, value_name = "WHAT")]
    pub on_device_error: Option<OnDeviceError>,

    /// Begin with this one of the witnesses, counted from 0: for the new process of --on-device-error retry
    #[arg(long, hide = true, value_name = "N")]
    pub from: Option<usize>,

    /// Let a kernel trap before this one of the witnesses: for tests of --on-device-error
    #[cfg(feature = "test-kernels")]
    #[arg(long, hide = true, value_name = "N")]
    pub trap_before: Option<usize>,

    #[command(flatten)]
    pub reports: ReportOptions,
}

/// Show how a device's memory would be used for proofs with some keys
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Plan {
    /// The proving keys
    #[arg(required = true, value_name = "KEY.zkey")]
    pub keys: Vec<PathBuf>,

    /// The device: cuda, cuda:N, several as cuda:N,M, or emulated
    #[arg(long, value_name = "DEVICE", default_value = "cuda")]
    pub device: Devices,

    #[command(flatten)]
    pub engine: EngineOptions,
}

/// Verify a proof: prints `valid` (exit code 0) or `invalid` (1)
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Verify {
    /// The verification key: `warpfield export-vk` or `snarkjs zkey export verificationkey`
    #[arg(value_name = "VK.json")]
    pub key: PathBuf,
    /// The public signals
    #[arg(value_name = "PUBLIC.json")]
    pub public: PathBuf,
    /// The proof
    #[arg(value_name = "PROOF.json")]
    pub proof: PathBuf,
}

/// Write a key's verification key as snarkjs' JSON
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct ExportVk {
    /// The proving key
    #[arg(value_name = "KEY.zkey")]
    pub key: PathBuf,
    /// The file to write
    #[arg(value_name = "VK.json")]
    pub output: PathBuf,
}

/// Show what is in a .zkey, .wtns or .r1cs: curve, sizes, sections, memory that a proof needs
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Inspect {
    /// The file
    pub file: PathBuf,
}

/// Make a key by a single party. INSECURE: for tests and benchmarks only
///
/// Whoever makes a key this way can forge proofs for it: the secrets are drawn in one process, on
/// one machine. A key for use comes from a ceremony, for example
/// `snarkjs groth16 setup` followed by `snarkjs zkey contribute`.
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Setup {
    /// The circuit, compiled with `circom --r1cs -p bls12381`
    #[arg(value_name = "CIRCUIT.r1cs")]
    pub circuit: PathBuf,
    /// The key to write
    #[arg(value_name = "KEY.zkey")]
    pub key: PathBuf,
    /// What makes the key's points: cpu, cuda, cuda:N, or emulated. The key is the same
    #[arg(long, default_value = "cpu")]
    pub device: DeviceName,
    /// Derive the secrets from this seed: the same key each time
    #[arg(long, value_name = "HEX")]
    pub seed: Option<Seed>,
}

/// Make a circuit and a witness, a key, a proof, and verify it: what to run first
///
/// The circuit proves that a secret leaf lies in a Merkle tree whose root is public (depth 32,
/// hash MiMC-x⁵, about 10,700 constraints).
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Demo {
    /// Keep the files of every step in this folder (made if need be); they must not be there yet
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Derive everything random from this seed
    #[arg(long, value_name = "HEX")]
    pub seed: Option<Seed>,
}
