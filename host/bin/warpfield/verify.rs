//! `warpfield verify`.

use warpfield::formats::json;
use warpfield::groth16;

use crate::args::Verify;
use crate::failure::Failure;

pub fn run(args: &Verify) -> Result<(), Failure> {
    let key = json::read_verification_key(&json::open(&args.key)?)?;
    let signals = json::read_public(&json::open(&args.public)?)?;
    let proof = json::read_proof(&json::open(&args.proof)?)?;
    let valid = groth16::verify(&key, &signals, &proof)
        .map_err(|error| Failure::from(error).within(args.public.display()))?;
    if !valid {
        Failure::print("invalid")?;
        return Err(Failure::Invalid(format!(
            "{}: the proof is not valid for these public signals and this key",
            args.proof.display()
        )));
    }
    Failure::print("valid")
}
