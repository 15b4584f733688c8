//! A thread that has partitions made on a device, one at a time.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;

use super::device::Site;
use super::error::Error;
use super::handle::Outcome;
use super::input::Input;
use super::locks::Locks;
use super::partition::{Compute, Source, Track, Value, upload};
use super::queue::{Queue, Share};
use super::room::Room;
use crate::gpu::Event;
use crate::groth16::gpu::{DeviceKey, Slot};
use crate::groth16::{Blinding, Key, Proof, Sums, Witness, check};
use crate::pipeline::interlock;
use crate::pipeline::pool::{self, Lent, Pool};
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
        let Self { input, outcome, span, share, .. } = self;
        span.end();
        // There is room for the next one when this one's is free, and before somebody asks for it.
        drop(input);
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
    /// For a witness at a time.
    pinned: Pool,
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
        let bytes = (most_wires * size_of::<Value>()).next_multiple_of(pool::ALIGNMENT);
        Ok(Self {
            number,
            timeline: timeline.clone(),
            site: site.clone(),
            interlock: site.interlock.worker(),
            copies: Track::new(device, timeline, 2 + of_chunks)?,
            kernels: Track::new(device, timeline, MARKS + of_chunks)?,
            stages: [device.event()?, device.event()?],
            pinned: Pool::new(device, bytes, 1)?,
        })
    }

    /// Works until the queue is closed.
    pub fn run(mut self, queue: &Queue<Job>) {
        let site = self.site.clone();
        let fits = |job: &Job| match job.device {
            None => site.takes_any(),
            Some(device) => device == site.number,
        };
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
            Input::Witness(witness) => Source::Witness(Some(self.copy(&witness, &job.stop)?)),
            Input::Synthesis(synthesis) => Source::Synthesis(Some(synthesis)),
        };
        let sums = self.sums(job, &mut source);
        job.span.next(Stage::Epilogue);
        // The device had its copy, and works for others while the host's is zeroed.
        drop(source);
        let proof = sums?.assemble(&job.key, &job.blinding);
        job.span.next(Stage::Check);
        check(&job.key, &signals, &proof)?;
        Ok(proof)
    }

    /// Copies a witness to pinned memory.
    fn copy(&self, witness: &Witness, stop: &Stop) -> Result<Lent<Value>, Error> {
        if self.pinned.free_bytes() < self.pinned.bytes() {
            // A copy that failed has kept it, and gives it back here.
            self.copies.stream.synchronize()?;
        }
        let mut pinned = self.pinned.checkout(witness.len(), stop)?;
        let to = pinned.par_chunks_mut(PIECE);
        to.zip(witness.values().par_chunks(PIECE)).for_each(|(to, from)| to.copy_from_slice(from));
        Ok(pinned)
    }

    /// The sums of a partition, made on the device.
    fn sums(&mut self, job: &mut Job, source: &mut Source) -> Result<Sums, Error> {
        let Self { timeline, site, interlock, copies, kernels, stages, .. } = self;
        let Job { circuit, who, stop, span, .. } = job;
        let key = &site.keys[*circuit];
        let mut locks = Locks::new(timeline, *who, span);

        let prep = interlock.prepare(site.plan.slot_bytes(), stop, &mut |to| locks.reached(to))?;
        let room = Room::take(site);
        let slot = Slot::new(&key.sizes(), site.slot(room.slot))?;
        let in_prep = site.interlock.strategy().stages_in_prep();
        if in_prep {
            upload(copies, key, &slot, source, locks.span)?;
        }
        let staged = prep.finish(room, &mut |to| locks.reached(to));
        let mut room = staged.compute(stop, &mut |to| locks.reached(to))?;
        if !in_prep {
            upload(copies, key, &slot, source, locks.span)?;
        }
        let scratch = room.take_scratch(*circuit)?;
        let of_copies = &mut copies.marks;
        let compute = Compute { track: kernels, copies: of_copies, stages, key, slot: &slot, stop };
        let (sums, scratch) = compute.run(scratch, locks.span)?;
        room.give_scratch(*circuit, scratch);
        room.finish(&mut |to| locks.reached(to));

        if let Some(clock) = &site.clock {
            for (track, lane) in [(copies, Lane::Copy), (kernels, Lane::Compute)] {
                // The sums are made all the same.
                if let Err(error) = track.marks.read(clock, timeline, *who, lane) {
                    tracing::warn!("device {}: intervals are lost: {error}", site.number);
                }
            }
        }
        Ok(sums)
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("?").to_owned()
}
