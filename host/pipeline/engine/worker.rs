//! A thread that has partitions made on a device, one at a time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;
use zeroize::Zeroize as _;

use super::device::Site;
use super::error::Error;
use super::handle::Outcome;
use super::input::Input;
use super::locks::Locks;
use super::partition::{Compute, Source, Track, Value, upload};
use super::queue::{Queue, Share};
use super::room::Room;
use crate::gpu::{Event, PinnedBuffer};
use crate::groth16::gpu::{DeviceKey, Slot};
use crate::groth16::{Blinding, Key, Proof, Sums, Witness, check};
use crate::pipeline::interlock;
use crate::pipeline::stop::Stop;
use crate::pipeline::timeline::{Lane, Span, Stage, Timeline, Who};

/// A partition that waits for a worker, or has one.
pub(super) struct Job {
    pub circuit: usize,
    pub key: Arc<dyn Key>,
    /// None once a worker has it.
    pub input: Option<Input>,
    /// The only one that can take it, if there is such.
    pub device: Option<u32>,
    pub blinding: Blinding,
    pub who: Who,
    pub stop: Stop,
    pub outcome: Arc<Outcome>,
    /// What happens to it at the moment: at first it waits for a worker.
    pub span: Span,
    /// Its bytes of host memory.
    pub share: Share<Job>,
}

impl Job {
    /// Hands the result over.
    pub fn end(self, result: Result<Proof, Error>) {
        let Self { outcome, span, share, .. } = self;
        span.end();
        // There is room for the next one before somebody asks for it.
        drop(share);
        outcome.change(|outcome| *outcome = Some(result));
    }
}

/// Events for the kernels of a partition: more than it has stages. A chunk of a sum takes two more.
const MARKS: usize = 32;

/// Values that a thread copies at a time.
const PIECE: usize = 1 << 15;

/// What a thread works with.
pub(super) struct Worker {
    number: u32,
    timeline: Timeline,
    site: Arc<Site>,
    interlock: interlock::Worker,
    copies: Track,
    kernels: Track,
    stages: [Event; 2],
    /// For witnesses. None while a copy has it, and after a failure.
    pinned: Option<PinnedBuffer<Value>>,
    most_wires: usize,
}

impl Worker {
    /// For witnesses of so many values at most.
    pub fn new(
        site: &Arc<Site>,
        number: u32,
        timeline: &Timeline,
        most_wires: usize,
    ) -> Result<Self, Error> {
        let device = &site.device;
        let of_chunks = 2 * site.keys.iter().map(DeviceKey::chunks).max().unwrap_or(0);
        Ok(Self {
            number,
            timeline: timeline.clone(),
            site: site.clone(),
            interlock: site.interlock.worker(),
            copies: Track::new(device, timeline, 2 + of_chunks)?,
            kernels: Track::new(device, timeline, MARKS + of_chunks)?,
            stages: [device.event()?, device.event()?],
            pinned: Some(device.alloc_pinned(most_wires)?),
            most_wires,
        })
    }

    /// Works until the queue is closed.
    pub fn run(mut self, queue: &Queue<Job>) {
        let number = self.site.number;
        let fits = |job: &Job| job.device.is_none_or(|device| device == number);
        while let Some(mut job) = queue.take(fits) {
            job.who = job.who.at(self.site.number, self.number);
            job.span.assign(job.who);
            let result = catch_unwind(AssertUnwindSafe(|| self.prove(&mut job)));
            let result = result.unwrap_or_else(|panic| Err(Error::Panicked(message(&*panic))));
            job.end(result);
        }
    }

    fn prove(&mut self, job: &mut Job) -> Result<Proof, Error> {
        job.stop.check()?;
        job.span.next(Stage::Witness);
        let input = job.input.take().expect("a partition is taken once");
        let signals = input.signals(&job.key);
        let mut source = match input {
            Input::Witness(witness) => {
                self.copy(&witness)?;
                Source::Pinned(witness.len())
            }
            Input::Synthesis(synthesis) => Source::Lent(Some(synthesis)),
        };
        let sums = self.sums(job, &mut source);
        job.span.next(Stage::Epilogue);
        // The device had its copy, and works for others meanwhile.
        if let (Source::Pinned(len), Some(pinned)) = (&source, &mut self.pinned) {
            let pieces = pinned[..*len].par_chunks_mut(PIECE);
            pieces.for_each(|piece| piece.as_flattened_mut().zeroize());
        }
        drop(source);
        let proof = sums?.assemble(&job.key, &job.blinding);
        job.span.next(Stage::Check);
        check(&job.key, &signals, &proof)?;
        Ok(proof)
    }

    /// Copies a witness to pinned memory.
    fn copy(&mut self, witness: &Witness) -> Result<(), Error> {
        let pinned = match self.pinned.take() {
            Some(pinned) => pinned,
            None => self.site.device.alloc_pinned(self.most_wires)?,
        };
        let pinned = self.pinned.insert(pinned);
        let to = pinned[..witness.len()].par_chunks_mut(PIECE);
        to.zip(witness.values().par_chunks(PIECE)).for_each(|(to, from)| to.copy_from_slice(from));
        Ok(())
    }

    /// The sums of a partition, made on the device.
    fn sums(&mut self, job: &mut Job, source: &mut Source) -> Result<Sums, Error> {
        let Self { timeline, site, interlock, copies, kernels, stages, pinned, .. } = self;
        let Job { circuit, who, stop, span, .. } = job;
        let key = &site.keys[*circuit];
        let mut locks = Locks::new(timeline, *who, span);

        let prep = interlock.prepare(site.plan.slot_bytes(), stop, &mut |to| locks.reached(to))?;
        let room = Room::take(site);
        let slot = Slot::new(&key.sizes(), site.slot(room.slot))?;
        let in_prep = site.interlock.strategy().stages_in_prep();
        if in_prep {
            upload(copies, key, &slot, source, pinned, locks.span)?;
        }
        let staged = prep.finish(room, &mut |to| locks.reached(to));
        let room = staged.compute(stop, &mut |to| locks.reached(to))?;
        if !in_prep {
            upload(copies, key, &slot, source, pinned, locks.span)?;
        }
        let scratch = site.take_scratch(room.slot, *circuit)?;
        let of_copies = &mut copies.marks;
        let compute = Compute { track: kernels, copies: of_copies, stages, key, slot: &slot, stop };
        let (sums, scratch) = compute.run(scratch, locks.span)?;
        site.give_scratch(room.slot, *circuit, scratch);
        room.finish(&mut |to| locks.reached(to));

        if let Some(clock) = &site.clock {
            copies.marks.read(clock, timeline, *who, Lane::Copy)?;
            kernels.marks.read(clock, timeline, *who, Lane::Compute)?;
        }
        Ok(sums)
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("?").to_owned()
}
