//! `warpfield setup`.

use warpfield::formats::{r1cs, write_atomically, zkey};
use warpfield::groth16::{self, ToxicWaste};

use crate::args::Setup;
use crate::failure::Failure;
use crate::{paths, seed};

pub fn run(args: &Setup) -> Result<(), Failure> {
    tracing::warn!(
        "INSECURE KEY: a single-party setup lets whoever ran it forge proofs; \
         for tests and benchmarks only"
    );
    seed::warn(args.seed.as_ref());
    paths::check(&[&args.circuit], &[&args.key])?;
    let circuit = r1cs::open(&args.circuit)?;
    let waste = ToxicWaste::random(&mut seed::generator(args.seed.as_ref(), 0)?)?;
    let parts = groth16::setup(&circuit, &waste)?;
    write_atomically(&args.key, |out| zkey::write(&parts, out))?;
    tracing::info!(
        "key written to {1}; constraints: {0}",
        circuit.n_constraints(),
        args.key.display()
    );
    Ok(())
}
