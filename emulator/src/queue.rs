//! Queued work, and the order in which it runs: any that streams and events permit.

use crate::device::{Device, DevicePtr};
use crate::error::Error;
use crate::launch::{self, Prepared};
use crate::pinned::Claim;
use crate::schedule::Rng;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Instant;

/// A piece of work.
pub(crate) enum Work {
    /// From pageable memory: the bytes were taken at enqueue.
    Write {
        to: DevicePtr,
        bytes: Vec<u8>,
    },
    WritePinned {
        to: DevicePtr,
        from: Claim,
    },
    ReadPinned {
        to: Claim,
        from: DevicePtr,
    },
    Copy {
        to: DevicePtr,
        from: DevicePtr,
        bytes: u64,
    },
    Fill {
        to: DevicePtr,
        value: u8,
        bytes: u64,
    },
    Launch(Box<Prepared>),
    Free(DevicePtr),
    /// The event of this number reaches this generation.
    Record(u64, u64),
    Wait(u64, u64),
}

/// An event's generations: a record each. Those of different streams run in any order.
#[derive(Default)]
struct Generations {
    queued: u64,
    /// Those that have not run.
    pending: BTreeSet<u64>,
    /// When the last one ran.
    at: Option<Instant>,
}

impl Generations {
    fn last_is_done(&self) -> bool {
        !self.pending.contains(&self.queued)
    }
}

/// All streams of a device.
pub(crate) struct Queues {
    streams: BTreeMap<u64, VecDeque<Work>>,
    events: HashMap<u64, Generations>,
    next: u64,
    rng: Rng,
    /// The first error of queued work. Everything later answers with it.
    error: Option<Error>,
}

impl Queues {
    pub(crate) fn new(seed: u64) -> Self {
        Queues {
            streams: BTreeMap::new(),
            events: HashMap::new(),
            next: 0,
            rng: Rng::new(seed ^ 0x57ae_a15e),
            error: None,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }

    pub(crate) fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    pub(crate) fn new_id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn add_stream(&mut self) -> u64 {
        let id = self.new_id();
        self.streams.insert(id, VecDeque::new());
        id
    }

    pub(crate) fn push(&mut self, device: &Device, stream: u64, work: Work) -> Result<(), Error> {
        self.check()?;
        self.streams.entry(stream).or_default().push_back(work);
        // The device does not wait to be asked: now and then it is ahead of the host.
        if self.rng.below(4) == 0 {
            let steps = self.rng.below(4);
            for _ in 0..steps {
                if !self.step(device)? {
                    break;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn record(&mut self, device: &Device, stream: u64, event: u64) -> Result<(), Error> {
        let g = self.events.entry(event).or_default();
        g.queued += 1;
        let generation = g.queued;
        g.pending.insert(generation);
        self.push(device, stream, Work::Record(event, generation))
    }

    /// Waits for the last record queued so far; with none there is nothing to wait for.
    pub(crate) fn wait(&mut self, device: &Device, stream: u64, event: u64) -> Result<(), Error> {
        let generation = self.events.get(&event).map_or(0, |g| g.queued);
        self.push(device, stream, Work::Wait(event, generation))
    }

    pub(crate) fn stream_is_idle(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_none_or(VecDeque::is_empty)
    }

    pub(crate) fn event_is_done(&self, event: u64) -> bool {
        self.events.get(&event).is_none_or(Generations::last_is_done)
    }

    pub(crate) fn event_time(&self, event: u64) -> Option<Instant> {
        self.events.get(&event).filter(|g| g.last_is_done())?.at
    }

    pub(crate) fn all_idle(&self) -> bool {
        self.streams.values().all(VecDeque::is_empty)
    }

    /// Runs work until `done`. Work that has nothing to do with it may run as well, or not.
    pub(crate) fn drive(
        &mut self,
        device: &Device,
        done: impl Fn(&Queues) -> bool,
    ) -> Result<(), Error> {
        self.check()?;
        while !done(self) {
            if !self.step(device)? {
                return Err(Error::Stuck);
            }
        }
        Ok(())
    }

    /// Some steps that nobody asked for.
    pub(crate) fn drift(&mut self, device: &Device) -> Result<(), Error> {
        for _ in 0..self.rng.below(3) {
            if !self.step(device)? {
                break;
            }
        }
        self.check()
    }

    /// Runs one piece of work. False if none can run.
    fn step(&mut self, device: &Device) -> Result<bool, Error> {
        let runnable: Vec<u64> = self
            .streams
            .iter()
            .filter(|(_, q)| match q.front() {
                None => false,
                Some(Work::Wait(e, g)) => self.events.get(e).is_none_or(|e| !e.pending.contains(g)),
                Some(_) => true,
            })
            .map(|(&id, _)| id)
            .collect();
        if runnable.is_empty() {
            return Ok(false);
        }
        let pick = runnable[self.rng.below(runnable.len() as u64) as usize];
        let Some(work) = self.streams.get_mut(&pick).and_then(VecDeque::pop_front) else {
            return Ok(false);
        };
        if let Err(e) = self.execute(device, work) {
            // The device is lost to its user, as a context is after a fault: what was queued is
            // dropped, and events fire so that nobody waits for ever.
            self.streams.values_mut().for_each(VecDeque::clear);
            self.events.values_mut().for_each(|g| g.pending.clear());
            self.error = Some(e.clone());
            return Err(e);
        }
        Ok(true)
    }

    fn execute(&mut self, device: &Device, work: Work) -> Result<(), Error> {
        match work {
            Work::Write { to, bytes } => device.write(to, &bytes),
            Work::WritePinned { to, from } => device.write(to, &from.read()?),
            Work::ReadPinned { to, from } => {
                let mut bytes = vec![0; to.len() as usize];
                device.read(&mut bytes, from)?;
                to.write(&bytes)
            }
            Work::Copy { to, from, bytes } => device.copy(to, from, bytes),
            Work::Fill { to, value, bytes } => device.set(to, value, bytes),
            Work::Launch(p) => launch::run(device, &p).map(|_| ()),
            Work::Free(p) => device.free_now(p),
            Work::Record(event, generation) => {
                let g = self.events.entry(event).or_default();
                g.pending.remove(&generation);
                if generation == g.queued {
                    g.at = Some(Instant::now());
                }
                Ok(())
            }
            Work::Wait(..) => Ok(()),
        }
    }
}
