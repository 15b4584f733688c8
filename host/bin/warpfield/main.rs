//! The program `warpfield`: files in, verified proofs out.

mod args;
mod arguments;
mod bench;
mod demo;
mod device;
mod devices;
#[cfg(feature = "ptx")]
mod engine;
mod export_vk;
mod failure;
mod inspect;
mod paths;
mod plan;
mod progress;
mod prove;
mod reports;
mod seed;
mod setup;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let Some(failure) = arguments::failure(&error) else { error.exit() };
            progress::init(false, false, false);
            return end(&failure);
        }
    };
    // These tell what they do themselves.
    let stages = !matches!(args.command, Command::Demo(_) | Command::Bench(_));
    progress::init(args.quiet, args.verbose, stages);
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => end(&failure),
    }
}

fn end(failure: &Failure) -> ExitCode {
    failure.report();
    failure.exit_code()
}

fn run(args: Args) -> Result<(), Failure> {
    let threads = match args.threads {
        Some(threads) => usize::from(threads),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|error| {
        Failure::other(format!("cannot start {threads} threads ({error}); try fewer by --threads"))
    })?;
    match args.command {
        Command::Prove(args) => prove::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::ExportVk(args) => export_vk::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Setup(args) => setup::run(&args),
        Command::Demo(command) => demo::run(&command, args.quiet),
        Command::Devices => devices::run(),
        Command::Bench(bench) => bench::run(&bench),
    }
}
