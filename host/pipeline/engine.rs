//! Proofs of many partitions, on one device or several.
//!
//! ```
//! use std::sync::Arc;
//!
//! use rand_core::OsRng;
//! use warpfield::formats::zkey::{self, Trust};
//! use warpfield::formats::wtns;
//! use warpfield::gpu::{Device, emulator};
//! use warpfield::groth16::Blinding;
//! use warpfield::pipeline::engine::{Engine, Options, Request};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (key_file, witness_file) = ("tests/data/mult1000/circuit.zkey", "tests/data/mult1000/witness.wtns");
//! let key = Arc::new(zkey::open(key_file, Trust::Trusted)?);
//! let device = Device::emulated(emulator::Config::default().checks(emulator::Checks::NONE));
//! let engine = Engine::new(&[device], &[key], &Options::default())?;
//!
//! let witness = wtns::open(witness_file)?;
//! let partition = engine.start(Request::new(0, witness, Blinding::random(&mut OsRng)?))?;
//! // Others may be started meanwhile.
//! let proof = partition.finish()?;
//! # let _ = proof;
//! # Ok(())
//! # }
//! ```
//!
//! An [`Engine`] has the keys of its circuits on its devices, and some workers for each device, who take
//! partitions from one queue. A worker copies the witness to pinned memory, and from there to a slot of the
//! device's memory, or the vectors of a synthesis from the pinned memory that the caller has them in
//! ([`pool`](super::pool)); has the device make the five sums; and assembles and verifies the proof. Which of them may
//! copy and compute at a time is what the [`interlock`](super::interlock) says, and what each millisecond
//! went into is on the [`timeline`](super::timeline).
//!
//! From its first partition on an engine allocates nothing on a device, frees nothing there, and waits for its
//! own streams only. A partition that fails costs itself: what it leaves is cleared, and what it had is the next
//! one's. A device that is lost leaves the queue to others, as long as there are.

mod device;
mod error;
mod handle;
mod input;
mod locks;
mod partition;
mod queue;
mod room;
mod worker;

pub use error::Error;
pub use handle::Handle;
pub use input::Input;

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::interlock::Strategy;
use super::memory::MemoryPlan;
use super::monitor::Monitor;
use super::stop::Stop;
use super::timeline::{Stage, Timeline, Who};
use crate::gpu::Device;
use crate::groth16::gpu::Contents;
use crate::groth16::{Blinding, Key};
use device::Site;
use queue::Queue;
use worker::{Job, Worker};

/// How an [`Engine`] works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What keeps the workers of a device apart.
    pub strategy: Strategy,
    /// Workers for each device, 2 by default.
    pub workers: usize,
    /// Partitions that may be on a device at a time; by default as many as workers.
    pub slots: Option<usize>,
    /// Bytes of a device's memory, at most; by default what is free, but for half a gigabyte.
    pub device_bytes: Option<usize>,
    /// Bytes of them for tables of the keys' points, at most. Making them takes as long as some hundred
    /// partitions gain by them; none by default.
    pub table_bytes: usize,
    /// Bytes of witnesses that wait or are at work, at most; by default no limit.
    pub host_bytes: u64,
    /// Where intervals are recorded.
    pub timeline: Timeline,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            workers: 2,
            slots: None,
            device_bytes: None,
            table_bytes: 0,
            host_bytes: u64::MAX,
            timeline: Timeline::off(),
        }
    }
}

/// A partition to be proved.
#[derive(Debug)]
#[non_exhaustive]
pub struct Request {
    /// The number of its circuit's key.
    pub circuit: usize,
    /// What it is to be made of.
    pub input: Input,
    /// Its r and s.
    pub blinding: Blinding,
    /// Those of higher priority come before others. Of one priority the oldest comes first.
    pub priority: i32,
    /// What cancels it, and its deadline.
    pub stop: Stop,
    /// The proof that it is of, on the timeline.
    pub proof: u64,
    /// Its number there.
    pub partition: u32,
}

impl Request {
    /// One of priority 0, without a deadline.
    #[must_use]
    pub fn new(circuit: usize, input: impl Into<Input>, blinding: Blinding) -> Self {
        let (input, stop) = (input.into(), Stop::new());
        Self { circuit, input, blinding, priority: 0, stop, proof: 0, partition: 0 }
    }
}

/// Proves partitions of some circuits on some devices. Dropping it waits for those that are at work, and ends
/// the others with [`Error::Closed`].
pub struct Engine {
    keys: Vec<Arc<dyn Key>>,
    timeline: Timeline,
    queue: Queue<Job>,
    sites: Vec<Arc<Site>>,
    threads: Vec<JoinHandle<()>>,
}

impl Engine {
    /// Copies keys to devices, and starts the workers.
    ///
    /// # Errors
    ///
    /// [`Error::Nothing`]; [`Error::Memory`] if the keys do not fit; a strategy that is not compiled in; and
    /// the devices' errors.
    pub fn new(
        devices: &[Device],
        keys: &[Arc<dyn Key>],
        options: &Options,
    ) -> Result<Self, Error> {
        for (is_missing, what) in [
            (devices.is_empty(), "a device"),
            (keys.is_empty(), "a key"),
            (options.workers == 0, "a worker"),
        ] {
            if is_missing {
                return Err(Error::Nothing(what));
            }
        }
        options.strategy.check_compiled()?;
        let timeline = &options.timeline;
        let contents = contents(keys)?;
        let site =
            |number| Site::new(number as u32, devices, keys, &contents, options).map(Arc::new);
        let sites = (0..devices.len()).map(site).collect::<Result<Vec<_>, _>>()?;
        let most_wires = keys.iter().map(input::witness_len).max().unwrap_or(0);
        let mut engine = Self {
            keys: keys.to_vec(),
            timeline: timeline.clone(),
            queue: Queue::new(options.host_bytes),
            sites,
            threads: Vec::new(),
        };
        for site in &engine.sites {
            for number in 0..options.workers {
                let worker = Worker::new(site, number as u32, timeline, most_wires)?;
                let queue = engine.queue.clone();
                let name = format!("device {} worker {number}", site.number);
                let thread = thread::Builder::new().name(name).spawn(move || worker.run(&queue));
                engine.threads.push(thread.map_err(Error::Thread)?);
            }
        }
        Ok(engine)
    }

    /// The plan that it would have for the memory of a device.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn plan(
        device: &Device,
        keys: &[Arc<dyn Key>],
        options: &Options,
    ) -> Result<MemoryPlan, Error> {
        options.strategy.check_compiled()?;
        let sizes: Vec<_> = contents(keys)?.iter().map(Contents::sizes).collect();
        device::plan(&device::kernels(device)?, &sizes, options)
    }

    /// What is where in each device's memory.
    pub fn plans(&self) -> impl Iterator<Item = &MemoryPlan> {
        self.sites.iter().map(|site| &site.plan)
    }

    /// The keys, by the numbers of their circuits.
    #[must_use]
    pub fn keys(&self) -> &[Arc<dyn Key>] {
        &self.keys
    }

    /// All workers.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.threads.len()
    }

    /// Queues a partition, and waits only where the bytes for witnesses are used up.
    ///
    /// # Errors
    ///
    /// [`Error::Circuit`]; an input of the other form than the key, or not as long as its circuit's;
    /// [`Error::OtherDevice`]; and [`Error::Stopped`].
    pub fn start(&self, request: Request) -> Result<Handle, Error> {
        let Request { circuit, input, blinding, priority, stop, proof, partition } = request;
        let circuits = self.keys.len();
        let key = self.keys.get(circuit).ok_or(Error::Circuit { circuit, circuits })?.clone();
        input.check(&key)?;
        let device = match input.device() {
            None => None,
            Some(device) => {
                let of_device =
                    |site: &Arc<Site>| device.as_ref().is_some_and(|d| d.is(&site.device));
                let site = self.sites.iter().find(|site| of_device(site));
                Some(site.ok_or(Error::OtherDevice)?.number)
            }
        };
        let share = self.queue.reserve(input.host_bytes(), &stop)?;
        let who = Who::partition(proof, partition);
        let outcome = Monitor::new(None);
        let handle = Handle::new(outcome.clone(), stop.clone());
        let span = self.timeline.host(who, Stage::QueueWait);
        let input = Some(input);
        let of_job = stop.clone();
        let job = Job { circuit, key, input, device, blinding, who, stop, outcome, span, share };
        self.queue.put(priority, &of_job, job);
        Ok(handle)
    }
}

/// What the keys hold.
fn contents(keys: &[Arc<dyn Key>]) -> Result<Vec<Contents>, Error> {
    Ok(keys.iter().map(Contents::of).collect::<Result<_, _>>()?)
}

impl Drop for Engine {
    fn drop(&mut self) {
        for job in self.queue.close() {
            job.end(Err(Error::Closed));
        }
        for thread in self.threads.drain(..) {
            // What panics in a worker is its partition's error.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("plans", &self.plans().collect::<Vec<_>>()).finish()
    }
}
