//! Partitions of what a synthesis gives.

use std::slice;
use std::sync::Arc;

use blstrs::Scalar;
use warpfield::circuit::{R1cs, WitnessValues, synthetic};
use warpfield::groth16::synthesis::{Synthesis, VectorKey, setup};
use warpfield::groth16::{Key, ToxicWaste, verify};
use warpfield::pipeline::engine::{Engine, Error, Options, Request};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::pool::{Lent, Pool};
use warpfield::pipeline::stop::Stop;

use crate::files::rng;
use crate::support::{Circuit, blinding, device, options};

/// A circuit with its witness and a key.
pub struct Case {
    circuit: R1cs,
    witness: Vec<Scalar>,
    pub key: Arc<VectorKey>,
}

impl Case {
    pub fn new() -> Self {
        let (circuit, witness) = synthetic(3, 1, WitnessValues::FullWidth, &mut rng(1));
        let key = setup(&circuit, &ToxicWaste::random(&mut rng(2)).unwrap()).unwrap();
        Self { circuit, witness, key: key.into() }
    }

    fn synthesis(&self, pool: &Pool) -> Synthesis<Lent<Scalar>> {
        let lent = pool.checkout_all(self.key.shape().lengths(), &Stop::new()).unwrap();
        let mut synthesis = Synthesis::from(lent);
        synthesis.fill(&self.circuit, &self.witness).unwrap();
        synthesis
    }

    /// A partition, of the engine's circuit 0.
    pub fn request(&self, pool: &Pool, partition: u32) -> Request {
        Request::new(0, self.synthesis(pool), blinding(partition))
    }
}

/// On two devices, each of which takes what is in its own memory; with a circuit of the other form.
#[test]
fn vectors_beside_witnesses() {
    let (case, circuit) = (Case::new(), Circuit::new(3, 0));
    let devices = [device(), device()];
    let pools = [0, 1].map(|i: usize| Pool::new(&devices[i], 1 << 14, 1).unwrap());
    let keys: [Arc<dyn Key>; 2] = [case.key.clone(), circuit.key()];
    for strategy in Strategy::ALL {
        let engine = Engine::new(&devices, &keys, &options(strategy, 1, 1)).unwrap();
        let of_vectors =
            [0, 1].map(|i: usize| engine.start(case.request(&pools[i], i as u32)).unwrap());
        let of_witness = engine.start(circuit.request(1, 2)).unwrap();
        for handle in of_vectors {
            let proof = handle.finish().unwrap();
            let signals = &case.witness[1..2];
            assert!(verify(case.key.verifying_key(), signals, &proof).unwrap());
        }
        assert!(of_witness.finish().unwrap() == circuit.expected(2));
        // The buffers are back.
        assert!(pools.iter().all(|pool| pool.free_bytes() == pool.bytes()), "{strategy}");
    }
}

#[test]
fn refused() {
    let (case, circuit) = (Case::new(), Circuit::new(3, 0));
    let (mine, other) = (device(), device());
    let keys: [Arc<dyn Key>; 2] = [case.key.clone(), circuit.key()];
    let engine = Engine::new(slice::from_ref(&mine), &keys, &Options::default()).unwrap();
    let wrong = engine.start(circuit.request(0, 0));
    assert!(matches!(wrong, Err(Error::Form("vectors of a synthesis"))));
    let pool = Pool::new(&mine, 1 << 14, 1).unwrap();
    let wrong = engine.start(Request::new(1, case.synthesis(&pool), blinding(0)));
    assert!(matches!(wrong, Err(Error::Form("a witness"))));
    let foreign = Pool::new(&other, 1 << 14, 1).unwrap();
    let wrong = engine.start(Request::new(0, case.synthesis(&foreign), blinding(0)));
    assert!(matches!(wrong, Err(Error::OtherDevice)));
    let mut short = case.synthesis(&pool);
    short.inputs = pool.checkout(1, &Stop::new()).unwrap();
    let wrong = engine.start(Request::new(0, short, blinding(0))).unwrap_err().to_string();
    assert!(wrong.contains("the inputs"), "{wrong}");
    assert_eq!(pool.free_bytes(), pool.bytes());
}
