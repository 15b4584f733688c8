//! Many proofs in a row: each verified, and the same for the same seed; memory as it was. And memory that is short.

#[cfg(feature = "ptx")]
mod engine;
#[path = "../support/mod.rs"]
mod files;
#[cfg(feature = "ptx")]
#[path = "../device/mod.rs"]
mod named;
#[cfg(feature = "ptx")]
mod scarce;

use std::sync::Arc;

use blstrs::Scalar;
use rand_core::RngCore as _;
use warpfield::circuit::WitnessValues;
use warpfield::formats::zkey::{self, Trust};
use warpfield::formats::{Source, wtns};
use warpfield::groth16::{Blinding, Proof, Prover, ProvingKey, Witness, verify};

use files::{Sample, rng};

/// A circuit with its witness and a key, as they come from files.
struct Circuit {
    key: Arc<ProvingKey>,
    witness: Witness,
}

impl Circuit {
    fn new(constraints: usize, public: usize, values: WitnessValues) -> Self {
        let sample = Sample::synthetic(constraints, public, values);
        let source = |bytes: Vec<u8>| Source::from_bytes("a sample", bytes);
        Self {
            key: Arc::new(zkey::read(&source(sample.zkey), Trust::Trusted).expect("a key")),
            witness: wtns::read(&source(sample.wtns)).expect("a witness"),
        }
    }

    fn signals(&self) -> Vec<Scalar> {
        self.witness.public_signals(self.key.n_public())
    }

    #[track_caller]
    fn check(&self, proof: &Proof) {
        assert!(
            verify(self.key.verifying_key(), &self.signals(), proof).expect("it is of the key")
        );
    }
}

/// r and s of a partition.
fn blinding(partition: u32) -> Blinding {
    Blinding::random(&mut rng(u64::from(partition))).expect("a generator that does not fail")
}

/// One of so many, for a partition.
fn pick(partition: u32, count: usize) -> usize {
    rng(!u64::from(partition)).next_u32() as usize % count
}

#[test]
fn on_the_cpu() {
    let circuits = [
        Circuit::new(1, 0, WitnessValues::Boolean),
        Circuit::new(30, 3, WitnessValues::FullWidth),
        Circuit::new(100, 0, WitnessValues::FullWidth),
    ];
    let provers = circuits.each_ref().map(|c| Prover::new(c.key.clone()).expect("a prover"));
    let prove = |partition: u32| {
        let at = pick(partition, circuits.len());
        let proof = provers[at].prove(&circuits[at].witness, blinding(partition)).expect("a proof");
        circuits[at].check(&proof);
        proof.to_compressed()
    };
    let first: Vec<_> = (0..100).map(prove).collect();
    for partition in (0..100).rev() {
        assert_eq!(prove(partition), first[partition as usize], "partition {partition}");
    }
}
