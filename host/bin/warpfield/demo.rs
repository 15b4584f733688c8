//! `warpfield demo`: every step of a proof on a circuit that the program makes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use blstrs::Scalar;
use ff::Field;
use rand_core::RngCore;
use warpfield::circuit::merkle_membership;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, json, r1cs, write_atomically, wtns};
use warpfield::groth16::{self, Blinding, Prover, ToxicWaste, Witness};

use crate::args::Demo;
use crate::failure::Failure;
use crate::seed;

const DEPTH: usize = 32;

pub fn run(args: &Demo) -> Result<(), Failure> {
    seed::warn(args.seed.as_ref());
    match &args.dir {
        Some(folder) => {
            let failure = |error| Failure::other(format!("{}: {error}", folder.display()));
            fs::create_dir_all(folder).map_err(failure)?;
            demo(folder, args)
        }
        None => {
            let folder = tempfile::tempdir().map_err(Failure::other)?;
            demo(folder.path(), args)
        }
    }
}

fn demo(folder: &Path, args: &Demo) -> Result<(), Failure> {
    let file = |name: &str| folder.join(name);
    let mut rng = seed::generator(args.seed.as_ref(), 0)?;

    let clock = Instant::now();
    let siblings: Vec<Scalar> = (0..DEPTH).map(|_| Scalar::random(&mut rng)).collect();
    let (circuit, values) = merkle_membership(Scalar::random(&mut rng), rng.next_u64(), &siblings);
    let (witness, private) = (Witness::from_scalars(&values), values.len() - 2);
    write_atomically(&file("circuit.r1cs"), |out| r1cs::write(&circuit, out))?;
    write_atomically(&file("witness.wtns"), |out| wtns::write(&witness, out))?;
    say(
        clock,
        &format!(
            "circuit: a secret leaf in a Merkle tree of depth {DEPTH}; {} constraints, 1 public \
             value, {private} private ones",
            circuit.n_constraints()
        ),
    );

    let clock = Instant::now();
    let parts = groth16::setup(&circuit, &ToxicWaste::random(&mut rng))?;
    write_atomically(&file("key.zkey"), |out| zkey::write(&parts, out))?;
    say(clock, "setup:   a key made by this one process, INSECURE, good for this demo only");

    let clock = Instant::now();
    let prover = Prover::new(Arc::new(zkey::open(file("key.zkey"), Trust::CheckOnce)?))?;
    let vk = prover.key().verifying_key();
    let text = json::verification_key_to_json(vk);
    write_atomically(&file("verification_key.json"), |out| json::write(&text, out))?;
    say(clock, &format!("key:     loaded, all its points checked; {}", size(prover.key())));

    let clock = Instant::now();
    let witness = wtns::open(file("witness.wtns"))?;
    let proof = prover.prove(&witness, Blinding::random(&mut rng)?)?;
    let public = json::public_to_json(&witness.public_signals(prover.key().n_public()));
    write_atomically(&file("public.json"), |out| json::write(&public, out))?;
    write_atomically(&file("proof.json"), |out| json::write(&json::proof_to_json(&proof), out))?;
    say(clock, "prove:   a proof of 192 bytes (compressed)");

    let clock = Instant::now();
    let vk = json::read_verification_key(&Source::open(file("verification_key.json"))?)?;
    let signals = json::read_public(&Source::open(file("public.json"))?)?;
    let proof = json::read_proof(&Source::open(file("proof.json"))?)?;
    if !groth16::verify(&vk, &signals, &proof)? {
        return Err(Failure::Invalid("the demo's proof does not verify".into()));
    }
    say(clock, "verify:  the proof is valid");
    if args.dir.is_some() {
        println!("\nThe files of each step are in {}", folder.display());
    }
    Ok(())
}

fn say(since: Instant, what: &str) {
    println!("{:>7.3} s  {what}", since.elapsed().as_secs_f64());
}

fn size(key: &groth16::ProvingKey) -> String {
    format!("{:.1} MB", key.size_bytes() as f64 / 1e6)
}
