//! What makes the proofs of `warpfield prove`.

use std::sync::Arc;

use blstrs::Scalar;
use warpfield::formats::wtns;
use warpfield::groth16::{Blinding, Proof, Prover, ProvingKey};
#[cfg(feature = "ptx")]
use warpfield::pipeline::engine::{Engine, Handle, Request};
use warpfield::pipeline::timeline::Timeline;

use super::Job;
use crate::args::Prove;
use crate::failure::Failure;
use crate::seed;

/// The CPU, or devices.
pub enum Maker {
    Cpu(Prover),
    #[cfg(feature = "ptx")]
    Devices(Engine),
}

/// A partition that is started.
pub struct Partition {
    proof: Started,
    signals: Vec<Scalar>,
}

enum Started {
    Made(Box<Proof>),
    #[cfg(feature = "ptx")]
    UnderWay(Handle),
}

impl Maker {
    pub fn new(args: &Prove, key: Arc<ProvingKey>, timeline: &Timeline) -> Result<Self, Failure> {
        if args.engine.device.is_cpu() {
            if args.reports.is_wanted() {
                let why = "reports tell of devices; name one, such as `--device cuda`";
                return Err(Failure::other(why));
            }
            return Ok(Self::Cpu(Prover::new(key)?));
        }
        #[cfg(feature = "ptx")]
        {
            let devices = crate::engine::devices(&args.engine)?;
            let options = crate::engine::options(&args.engine, timeline.clone());
            Ok(Self::Devices(Engine::new(&devices, &[key], &options)?))
        }
        #[cfg(not(feature = "ptx"))]
        {
            let _ = timeline;
            Err(Failure::no_kernels())
        }
    }

    /// Partitions to be started before the first is waited for.
    pub fn ahead(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            // One waits for each that is at work.
            #[cfg(feature = "ptx")]
            Self::Devices(engine) => 2 * engine.workers(),
        }
    }

    /// Starts a partition; on the CPU proves it.
    pub fn start(&self, args: &Prove, index: usize, job: &Job) -> Result<Partition, Failure> {
        let witness = wtns::open(&job.witness)?;
        let mut rng = seed::generator(args.seed.as_ref(), index as u64)?;
        let blinding = Blinding::random(&mut rng)?;
        let named = |failure: Failure| failure.within(job.witness.display());
        match self {
            Self::Cpu(prover) => {
                let proof = prover.prove(&witness, blinding).map_err(|e| named(e.into()))?;
                let signals = witness.public_signals(prover.key().n_public());
                Ok(Partition { proof: Started::Made(Box::new(proof)), signals })
            }
            #[cfg(feature = "ptx")]
            Self::Devices(engine) => {
                let mut request = Request::new(0, witness.clone(), blinding);
                request.partition = index as u32;
                let handle = engine.start(request).map_err(|e| named(e.into()))?;
                // It is as long as the key wants it.
                let n_public = engine.keys()[0].verifying_key().n_public();
                let signals = witness.public_signals(n_public);
                Ok(Partition { proof: Started::UnderWay(handle), signals })
            }
        }
    }
}

impl Partition {
    /// Waits for the proof, and gives it with its public signals.
    pub fn finish(self, job: &Job) -> Result<(Proof, Vec<Scalar>), Failure> {
        let proof = match self.proof {
            Started::Made(proof) => *proof,
            #[cfg(feature = "ptx")]
            Started::UnderWay(handle) => {
                let named = |failure: Failure| failure.within(job.witness.display());
                handle.finish().map_err(|error| named(error.into()))?
            }
        };
        #[cfg(not(feature = "ptx"))]
        let _ = job;
        Ok((proof, self.signals))
    }
}
