//! Measures warpfield beside other Groth16 provers over BLS12-381. `README.md` has a command for
//! each table.

mod case;
mod memory;
mod provers;
mod setting;
mod snarkjs;
mod times;

use std::error::Error;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Whatever goes wrong ends the program: a measurement with a fault in it is none.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Measures warpfield beside other Groth16 provers over BLS12-381
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Provers(provers::Args),
    Memory(memory::Args),
    #[command(hide = true)]
    ProveOnce(memory::ProveOnce),
    Snarkjs(snarkjs::Args),
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Provers(args) => provers::run(&args),
        Command::Memory(args) => memory::run(&args),
        Command::ProveOnce(args) => memory::prove_once(&args),
        Command::Snarkjs(args) => snarkjs::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
