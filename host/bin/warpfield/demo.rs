//! `warpfield demo`: every step of a proof on a circuit that the program makes.

use std::io::{self, Write};
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
use crate::{paths, seed};

const DEPTH: usize = 32;

/// The files of a demo, in the order of its steps.
const FILES: [&str; 6] = [
    "circuit.r1cs",
    "witness.wtns",
    "key.zkey",
    "verification_key.json",
    "public.json",
    "proof.json",
];

/// What goes from one step to the next as a file: in a folder if it is to stay, and in memory.
struct Files<'a> {
    folder: Option<&'a Path>,
}

impl Files<'_> {
    /// Writes the file of this number.
    fn write(
        &self,
        number: usize,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Source, Failure> {
        let name = FILES[number];
        let mut bytes = Vec::new();
        write(&mut bytes).map_err(|error| Failure::other(format!("{name}: {error}")))?;
        if let Some(folder) = self.folder {
            write_atomically(&folder.join(name), |out| out.write_all(&bytes))?;
        }
        Ok(Source::from_bytes(name, bytes))
    }
}

pub fn run(args: &Demo, quiet: bool) -> Result<(), Failure> {
    seed::warn(args.seed.as_ref());
    if let Some(folder) = &args.dir {
        paths::make_folder(folder)?;
        paths::check_new(&FILES.map(|name| folder.join(name)))?;
    }
    let files = Files { folder: args.dir.as_deref() };
    let say = |since: Instant, what: &str| match quiet {
        true => Ok(()),
        false => Failure::print(format_args!("{:>7.3} s  {what}", since.elapsed().as_secs_f64())),
    };
    let mut rng = seed::generator(args.seed.as_ref(), 0)?;

    let clock = Instant::now();
    let siblings: Vec<Scalar> = (0..DEPTH).map(|_| Scalar::random(&mut rng)).collect();
    let (circuit, values) = merkle_membership(Scalar::random(&mut rng), rng.next_u64(), &siblings);
    let (witness, private) = (Witness::from_scalars(&values), values.len() - 2);
    let circuit_file = files.write(0, |out| r1cs::write(&circuit, out))?;
    let witness_file = files.write(1, |out| wtns::write(&witness, out))?;
    say(
        clock,
        &format!(
            "circuit: a secret leaf in a Merkle tree of depth {DEPTH}; {} constraints, 1 public \
             value, {private} private ones",
            circuit.n_constraints()
        ),
    )?;

    let clock = Instant::now();
    let circuit = r1cs::read(&circuit_file)?;
    let parts = groth16::setup(&circuit, &ToxicWaste::random(&mut rng)?)?;
    let key_file = files.write(2, |out| zkey::write(&parts, out))?;
    say(clock, "setup:   a key made by this one process, INSECURE, good for this demo only")?;

    let clock = Instant::now();
    let prover = Prover::new(Arc::new(zkey::read(&key_file, Trust::CheckAlways)?))?;
    let vk = prover.key().verifying_key();
    let text = json::verification_key_to_json(vk);
    let vk_file = files.write(3, |out| json::write(&text, out))?;
    say(clock, &format!("key:     loaded, all its points checked; {}", size(prover.key())))?;

    let clock = Instant::now();
    let witness = wtns::read(&witness_file)?;
    let proof = prover.prove(&witness, Blinding::random(&mut rng)?)?;
    let public = json::public_to_json(&witness.public_signals(prover.key().n_public()));
    let public_file = files.write(4, |out| json::write(&public, out))?;
    let proof = json::proof_to_json(&proof);
    let proof_file = files.write(5, |out| json::write(&proof, out))?;
    say(clock, "prove:   a proof of 192 bytes (compressed)")?;

    let clock = Instant::now();
    let vk = json::read_verification_key(&vk_file)?;
    let signals = json::read_public(&public_file)?;
    let proof = json::read_proof(&proof_file)?;
    if !groth16::verify(&vk, &signals, &proof)? {
        return Err(Failure::Invalid("the demo's proof does not verify".into()));
    }
    say(clock, "verify:  the proof is valid")?;
    if let Some(folder) = files.folder
        && !quiet
    {
        Failure::print(format_args!("\nThe files of each step are in {}", folder.display()))?;
    }
    Ok(())
}

fn size(key: &groth16::ProvingKey) -> String {
    format!("{:.1} MB", key.size_bytes() as f64 / 1e6)
}
