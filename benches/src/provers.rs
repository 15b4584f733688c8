//! `provers`: warpfield beside ark-groth16, bellperson and bellman, in one process.

mod ark;
mod bellman;
mod bellperson;
mod warpfield;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;

use crate::Result;
use crate::case::{Case, LOG_SIZES, Values};
use crate::setting::Setting;
use crate::times::Times;

/// Compare provers on the same circuits, interleaved
///
/// Every prover makes a key of its own (not timed), then proves once untimed. In each round every
/// prover makes one proof, the first one in turn. Every proof is verified.
#[derive(clap::Args)]
pub struct Args {
    /// log₂ of the sizes: 2^k is the domain, with 2^k − 2 constraints and one public input
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "16,18",
          value_parser = clap::value_parser!(u32).range(LOG_SIZES))]
    log_constraints: Vec<u32>,

    /// Threads that each prover may use
    #[arg(long, default_value_t = 2, value_parser = parse_threads)]
    threads: usize,

    /// Timed proofs of each prover for each circuit
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Witnesses to prove
    #[arg(long, value_enum, value_delimiter = ',', default_value = "full-width,boolean")]
    values: Vec<Values>,

    /// Provers to compare with warpfield
    #[arg(long, value_enum, value_delimiter = ',', default_value = "ark,bellperson,bellman")]
    against: Vec<Other>,

    /// Write every single time to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A prover that warpfield is compared with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Other {
    Ark,
    Bellperson,
    Bellman,
}

fn parse_threads(text: &str) -> std::result::Result<usize, &'static str> {
    text.parse().ok().filter(|threads| *threads > 0).ok_or("a number from 1 is needed")
}

/// What a proof took.
struct Cost {
    wall: Duration,
    /// Processor time of all threads together.
    cpu: Duration,
    /// Part of the wall time that went through the circuit's constraints, where a prover insists on
    /// that.
    synthesis: Option<Duration>,
}

/// A prover with a key and a witness for one case.
trait Contender {
    fn name(&self) -> &'static str;

    /// Makes one proof and then, untimed, verifies it; an invalid one is an error.
    fn prove(&mut self) -> Result<Cost>;
}

#[derive(Serialize)]
struct Report {
    setting: Setting,
    rows: Vec<Measured>,
}

/// One prover on one case.
#[derive(Serialize)]
struct Measured {
    log_constraints: u32,
    constraints: usize,
    values: Values,
    prover: &'static str,
    /// The median of `seconds` over warpfield's.
    ratio: f64,
    seconds: Times,
    cpu_seconds: Times,
    synthesis_seconds: Option<Times>,
}

pub fn run(args: &Args) -> Result<()> {
    set_threads(args.threads)?;
    let mut packages = vec!["warpfield"];
    for other in &args.against {
        packages.extend(match other {
            Other::Ark => &["ark-groth16", "ark-bls12-381"][..],
            Other::Bellperson => &["bellperson", "blstrs"],
            Other::Bellman => &["bellman", "groth16", "bls12_381"],
        });
    }
    let setting = Setting::new(args.threads, Some(args.rounds), &packages);
    setting.print();
    println!(
        "| domain | witness | prover | median | fastest – slowest | processor time | synthesis | × |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut rows = Vec::new();
    for &log_size in &args.log_constraints {
        for &values in &args.values {
            let case = Case::new(log_size, values);
            let measured = measure(&case, args)?;
            measured.iter().for_each(Measured::print);
            rows.extend(measured);
        }
    }
    if let Some(path) = &args.json {
        let report = serde_json::to_string_pretty(&Report { setting, rows })?;
        fs::write(path, report + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The pools of all provers: rayon's global one, and bellperson's own.
fn set_threads(threads: usize) -> Result<()> {
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("EC_GPU_NUM_THREADS", threads.to_string()) };
    Ok(rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?)
}

fn contenders(case: &Case, against: &[Other]) -> Result<Vec<Box<dyn Contender>>> {
    let mut contenders: Vec<Box<dyn Contender>> = vec![Box::new(warpfield::Warpfield::new(case)?)];
    for other in against {
        eprintln!("setup of {}", other.to_possible_value().expect("none is hidden").get_name());
        contenders.push(match other {
            Other::Ark => Box::new(ark::Ark::new(case)?),
            Other::Bellperson => Box::new(bellperson::Bellperson::new(case)?),
            Other::Bellman => Box::new(bellman::Bellman::new(case)?),
        });
    }
    Ok(contenders)
}

fn measure(case: &Case, args: &Args) -> Result<Vec<Measured>> {
    let mut contenders = contenders(case, &args.against)?;
    // Pages of keys come into memory, pools start.
    for contender in &mut contenders {
        contender.prove()?;
    }
    let mut rows: Vec<_> =
        contenders.iter().map(|contender| Measured::new(case, contender.name())).collect();
    for round in 0..args.rounds as usize {
        for turn in 0..rows.len() {
            let index = (round + turn) % rows.len();
            let cost = contenders[index].prove()?;
            eprintln!("{}: {:.3} s", rows[index].prover, cost.wall.as_secs_f64());
            rows[index].push(&cost);
        }
    }
    let reference = rows[0].seconds.median();
    for row in &mut rows {
        row.ratio = row.seconds.median() / reference;
    }
    Ok(rows)
}

impl Measured {
    fn new(case: &Case, prover: &'static str) -> Self {
        Self {
            log_constraints: case.log_size,
            constraints: case.r1cs.n_constraints(),
            values: case.values,
            prover,
            ratio: f64::NAN,
            seconds: Times::default(),
            cpu_seconds: Times::default(),
            synthesis_seconds: None,
        }
    }

    fn push(&mut self, cost: &Cost) {
        self.seconds.push(cost.wall);
        self.cpu_seconds.push(cost.cpu);
        if let Some(synthesis) = cost.synthesis {
            self.synthesis_seconds.get_or_insert_default().push(synthesis);
        }
    }

    fn print(&self) {
        let Self { log_constraints, values, prover, seconds, ratio, .. } = self;
        let cpu = self.cpu_seconds.median();
        let synthesis = self
            .synthesis_seconds
            .as_ref()
            .map_or_else(|| "–".to_owned(), |times| format!("{:.3} s", times.median()));
        println!(
            "| 2^{log_constraints} | {values} | {prover} | {seconds} | {cpu:.3} s | {synthesis} | \
             {ratio:.2} |"
        );
    }
}
