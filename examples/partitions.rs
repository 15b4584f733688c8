//! Proves several partitions of one circuit and verifies them as a batch.
//!
//! `cargo run --release --example partitions`

use std::error::Error;
use std::sync::Arc;

use blstrs::Scalar;
use rand_core::OsRng;
use warpfield::circuit::merkle_membership;
use warpfield::formats::Source;
use warpfield::formats::zkey::{self, Trust};
use warpfield::groth16::{self, Blinding, Prover, ToxicWaste, Witness};

fn main() -> Result<(), Box<dyn Error>> {
    // Leaves of one tree: the same constraints, another witness each.
    let siblings: Vec<Scalar> = (0..8).map(Scalar::from).collect();
    let partition = |leaf: u64| merkle_membership(Scalar::from(leaf), leaf, &siblings);

    // Insecure, as every key of a single party: a real one comes from `zkey::open(path, …)`.
    let (circuit, _) = partition(0);
    let mut bytes = Vec::new();
    zkey::write(&groth16::setup(&circuit, &ToxicWaste::random(&mut OsRng)?)?, &mut bytes)?;
    let key = zkey::read(&Source::from_bytes("key.zkey", bytes), Trust::CheckAlways)?;

    let prover = Prover::new(Arc::new(key))?;
    let mut batch = Vec::new();
    for leaf in 0..4 {
        let witness = Witness::from_scalars(&partition(leaf).1);
        let proof = prover.prove(&witness, Blinding::random(&mut OsRng)?)?;
        batch.push((witness.public_signals(prover.key().n_public()), proof));
    }

    let valid = groth16::verify_batch(prover.key().verifying_key(), &batch, &mut OsRng)?;
    println!("{} proofs, {}", batch.len(), if valid { "all valid" } else { "not all valid" });
    Ok(())
}
