//! What makes the proofs of `warpfield prove`.

use std::cell::OnceCell;
use std::sync::Arc;

use blstrs::Scalar;
use warpfield::formats::wtns;
#[cfg(feature = "ptx")]
use warpfield::gpu::Device;
#[cfg(feature = "ptx")]
use warpfield::groth16::Key;
use warpfield::groth16::{Blinding, Proof, Prover, ProvingKey};
#[cfg(feature = "ptx")]
use warpfield::pipeline::engine::{Engine, Handle, Request};
use warpfield::pipeline::timeline::Timeline;

use super::Job;
#[cfg(feature = "ptx")]
use crate::args::OnDeviceError;
use crate::args::Prove;
use crate::failure::Failure;
use crate::seed;

/// The CPU, or devices.
pub struct Maker {
    key: Arc<ProvingKey>,
    /// Made when it is needed.
    cpu: OnceCell<Prover>,
    /// None if the CPU is what is to prove.
    #[cfg(feature = "ptx")]
    devices: Option<Devices>,
}

#[cfg(feature = "ptx")]
struct Devices {
    engine: Engine,
    devices: Vec<Device>,
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
    /// Refuses options that would be without effect.
    pub fn check(args: &Prove) -> Result<(), Failure> {
        if !args.device.is_cpu() {
            #[cfg(not(feature = "ptx"))]
            return Err(Failure::no_kernels());
        }
        let on_error = args.on_device_error.map(|_| "--on-device-error");
        let given = args.engine.given().or_else(|| args.reports.given()).or(on_error);
        if args.device.is_cpu()
            && let Some(option) = given
        {
            let why = "is for devices; name one, such as `--device cuda`, or leave it out";
            return Err(Failure::other(format!("{option} {why}")));
        }
        Ok(())
    }

    pub fn new(args: &Prove, key: Arc<ProvingKey>, timeline: &Timeline) -> Result<Self, Failure> {
        #[cfg(not(feature = "ptx"))]
        let _ = (args, timeline);
        Ok(Self {
            #[cfg(feature = "ptx")]
            devices: Devices::of(args, &key, timeline)?,
            cpu: OnceCell::new(),
            key,
        })
    }

    /// Partitions to be started before the first is waited for.
    pub fn ahead(&self) -> usize {
        #[cfg(feature = "ptx")]
        if let Some(Devices { engine, .. }) = &self.devices {
            // One waits for each that is at work.
            return 2 * engine.workers();
        }
        1
    }

    /// Whether no device can be used any more.
    pub fn is_lost(&self) -> bool {
        #[cfg(feature = "ptx")]
        if let Some(Devices { devices, .. }) = &self.devices {
            return devices.iter().all(|device| device.check().is_err());
        }
        false
    }

    /// Starts a partition; on the CPU proves it.
    pub fn start(&self, args: &Prove, index: usize, job: &Job) -> Result<Partition, Failure> {
        #[cfg(feature = "ptx")]
        if let Some(Devices { engine, devices }) = &self.devices {
            #[cfg(feature = "test-kernels")]
            if args.from.is_none() && args.trap_before == Some(index) {
                trap(devices);
            }
            #[cfg(not(feature = "test-kernels"))]
            let _ = devices;
            let witness = wtns::open(&job.witness)?;
            let blinding = blinding(args, index)?;
            let mut request = Request::new(0, witness.clone(), blinding);
            request.partition = index as u32;
            let handle = engine.start(request);
            let handle = handle.map_err(|e| Failure::from(e).within(job.witness.display()))?;
            let signals = witness.public_signals(self.key.n_public());
            return Ok(Partition { proof: Started::UnderWay(handle), signals });
        }
        self.start_on_cpu(args, index, job)
    }

    /// Proves a partition on the CPU.
    pub fn start_on_cpu(
        &self,
        args: &Prove,
        index: usize,
        job: &Job,
    ) -> Result<Partition, Failure> {
        let witness = wtns::open(&job.witness)?;
        let blinding = blinding(args, index)?;
        let prover = match self.cpu.get() {
            Some(prover) => prover,
            None => {
                let prover = Prover::new(self.key.clone())?;
                self.cpu.get_or_init(|| prover)
            }
        };
        let proof = prover.prove(&witness, blinding);
        let proof = proof.map_err(|e| Failure::from(e).within(job.witness.display()))?;
        let signals = witness.public_signals(self.key.n_public());
        Ok(Partition { proof: Started::Made(Box::new(proof)), signals })
    }
}

/// r and s of a partition: random, or by the seed.
fn blinding(args: &Prove, index: usize) -> Result<Blinding, Failure> {
    let mut rng = seed::generator(args.seed.as_ref(), index as u64)?;
    Ok(Blinding::random(&mut rng)?)
}

#[cfg(feature = "ptx")]
impl Devices {
    /// Those that the arguments name; none if it is the CPU, or if that is to prove where devices fail.
    fn of(
        args: &Prove,
        key: &Arc<ProvingKey>,
        timeline: &Timeline,
    ) -> Result<Option<Self>, Failure> {
        if args.device.is_cpu() {
            return Ok(None);
        }
        let keys: [Arc<dyn Key>; 1] = [key.clone()];
        let make = || {
            let devices = args.device.open(crate::device::EMULATED_OR_CPU)?;
            let options = crate::engine::options(&args.engine, timeline.clone());
            let engine = Engine::new(&devices, &keys, &options)?;
            Ok(Some(Self { engine, devices }))
        };
        match make() {
            Err(Failure::Device(why)) if args.on_device_error == Some(OnDeviceError::Cpu) => {
                tracing::warn!("{why}");
                tracing::warn!("proving on the CPU");
                Ok(None)
            }
            made => made,
        }
    }
}

/// Runs a kernel that traps, on each device.
#[cfg(all(feature = "ptx", feature = "test-kernels"))]
fn trap(devices: &[Device]) {
    use warpfield::gpu::{LaunchConfig, Module};

    const TRAP: &str =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry trap() { trap; }";
    for device in devices {
        let run = || {
            let (stream, kernel) = (device.stream()?, Module::load(device, TRAP)?.kernel("trap")?);
            // SAFETY: it touches nothing.
            unsafe { stream.launch(&kernel, LaunchConfig::new(1, 1), &[][..])? };
            stream.synchronize()
        };
        assert!(run().is_err(), "it traps");
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
