//! Who may stage and compute on a device.
//!
//! Two or three workers share a device, so that one prepares its partition while another's computes. What
//! keeps them apart is an [`Interlock`]; it knows nothing of GPUs, and takes no time that it could measure:
//! it tells the caller what it reaches ([`Reached`]).
//!
//! A partition joins a line ([`Worker::prepare`]), reserves room, is prepared ([`Prep`]), is staged
//! ([`Staged`]), computes ([`Compute`]), and leaves the line. Its place there is its ticket, and does not
//! change. What it may do depends on those before it alone, so that waiting has no circle:
//!
//! 1. **Admission.** It reserves the bytes that its data take on the device before it copies any, and has
//!    them until its compute ends, since that is what reads them. Where they are not free it waits; there is
//!    no other way for it that takes less.
//! 2. **Nobody overtakes** on the way in. A small partition would fit behind a large one, and with enough
//!    of them the large one would wait for ever.
//! 3. **Prep lock** ([`Strategy::Two`]): held by the first that is not staged. Two uploads at once would
//!    halve the bus, and both would come late.
//! 4. **Compute lock** ([`Strategy::Two`], [`Strategy::Single`]): held by the first in the line, so that
//!    what was staged first computes first. Were it a plain mutex, a later partition might take it while an
//!    earlier one holds its room, and a third would have neither room nor turn.
//! 5. **One worker never holds both locks.** Workers that wait for a lock with the other in hand wait for
//!    each other. [`Prep::finish`] gives up one before there is anything to ask for the other with, and a
//!    worker's partition borrows the worker, so that it has one at a time.
//! 6. **There is one way out**: the partition leaves the line, and all who wait look again. So it is after
//!    an error, a cancellation, a deadline or a panic, by dropping what the worker holds. Its bytes and its
//!    ticket go with its place; there is nothing else to give back, and nobody to name as next.
//!
//! ```
//! use warpfield::pipeline::interlock::{Interlock, Reached, Strategy};
//! use warpfield::pipeline::stop::Stop;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let interlock = Interlock::new(Strategy::default(), 2 << 30)?;
//! let (mut worker, stop) = (interlock.worker(), Stop::new());
//! let seen = &mut |reached: Reached| println!("{reached:?}");
//!
//! let prep = worker.prepare(1 << 30, &stop, seen)?;
//! let slot = "a slot of 1 GiB, with the witness";
//! let staged = prep.finish(slot, seen);
//! let compute = staged.compute(&stop, seen)?;
//! println!("kernels read {}, and are waited for", *compute);
//! compute.finish(seen);
//! # Ok(())
//! # }
//! ```

mod error;
mod line;
mod strategy;

pub use error::Error;
pub use strategy::Strategy;

use std::ops::{Deref, DerefMut};

use super::monitor::Monitor;
use super::stop::{Stop, Stopped};
use super::sync::Arc;
use line::{Line, Phase};

/// Keeps the workers of one device apart. Clones are one and the same.
#[derive(Clone, Debug)]
pub struct Interlock {
    strategy: Strategy,
    capacity: usize,
    line: Arc<Monitor<Line>>,
}

/// A worker's access to its device. Has one partition there at a time.
#[derive(Debug)]
pub struct Worker {
    interlock: Interlock,
}

/// A partition that is being prepared. Dropping it gives the partition up.
#[derive(Debug)]
#[must_use = "the partition is given up"]
pub struct Prep<'a>(Place<'a>);

/// A partition that is ready to compute, with its data. Dropping it gives the partition up: the data are
/// dropped, and then their bytes are free.
#[derive(Debug)]
#[must_use = "the partition is given up"]
pub struct Staged<'a, T>(Held<'a, T>);

/// A partition that computes, with its data. Dropping it ends this: the data are dropped, and then their
/// bytes and the compute lock are free.
#[derive(Debug)]
#[must_use = "the compute section ends here"]
pub struct Compute<'a, T>(Held<'a, T>);

/// What a partition has come to. For locks that the strategy has, and for admission.
///
/// Called without any lock of the interlock's own. A lock is held from before `…Held` to after
/// `…Released`: times that two workers take there do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reached {
    /// Is about to wait for room.
    SlotWait,
    /// Has its room reserved.
    Admitted,
    /// Is about to wait for the prep lock.
    PrepWait,
    /// Holds the prep lock.
    PrepHeld,
    /// Is about to give up the prep lock.
    PrepReleased,
    /// Is about to wait for the compute lock.
    ComputeWait,
    /// Holds the compute lock.
    ComputeHeld,
    /// Is about to give up the compute lock, and its room.
    ComputeReleased,
}

/// How full a device is, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Bytes for staged data.
    pub capacity: usize,
    /// Bytes of them that are reserved.
    pub reserved: usize,
    /// Partitions that wait for room.
    pub waiting: usize,
    /// Partitions that have it.
    pub admitted: usize,
    /// The ticket that the next partition gets: as many as there have been.
    pub next_ticket: u64,
}

impl Interlock {
    /// For a device with so many bytes for staged data.
    ///
    /// # Errors
    ///
    /// [`Error::NotCompiled`].
    pub fn new(strategy: Strategy, capacity: usize) -> Result<Self, Error> {
        let strategy = strategy.check_compiled()?;
        Ok(Self { strategy, capacity, line: Monitor::new(Line::new(strategy, capacity)) })
    }

    /// How it keeps them apart.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// One more worker.
    #[must_use]
    pub fn worker(&self) -> Worker {
        Worker { interlock: self.clone() }
    }

    /// How full the device is.
    #[must_use]
    pub fn state(&self) -> State {
        self.line.look(Line::state)
    }
}

impl Worker {
    /// Begins a partition whose data take so many bytes on the device: waits for that room, and for the prep
    /// lock. Those who came before get both before.
    ///
    /// A worker cannot have a second partition, which might wait for the first:
    ///
    /// ```compile_fail,E0499
    /// # use warpfield::pipeline::{interlock::{Error, Interlock, Strategy}, stop::Stop};
    /// # let (stop, seen) = (Stop::new(), &mut |_| ());
    /// let mut worker = Interlock::new(Strategy::Two, 2)?.worker();
    /// let compute = worker.prepare(1, &stop, seen)?.finish((), seen).compute(&stop, seen)?;
    /// let prep = worker.prepare(1, &stop, seen)?;
    /// compute.finish(seen);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`], and [`Error::Stopped`].
    pub fn prepare(
        &mut self,
        bytes: usize,
        stop: &Stop,
        seen: &mut dyn FnMut(Reached),
    ) -> Result<Prep<'_>, Error> {
        let Interlock { strategy, capacity, .. } = self.interlock;
        if bytes > capacity {
            return Err(Error::TooLarge { bytes, capacity });
        }
        let place = Place::join(&self.interlock, bytes);
        seen(Reached::SlotWait);
        place.advance(Phase::Admitted, stop)?;
        seen(Reached::Admitted);
        if strategy.has_prep_lock() {
            seen(Reached::PrepWait);
        }
        place.advance(Phase::Prep, stop)?;
        if strategy.has_prep_lock() {
            seen(Reached::PrepHeld);
        }
        Ok(Prep(place))
    }
}

impl<'a> Prep<'a> {
    /// The partition's place in the line.
    #[must_use]
    pub fn ticket(&self) -> u64 {
        self.0.ticket
    }

    /// Ends the prep, and gives up the prep lock. The partition keeps its place, and its room for as long as
    /// there are `data`, which are what takes it; dropping them must see to it that the device uses it no
    /// longer.
    pub fn finish<T>(self, data: T, seen: &mut dyn FnMut(Reached)) -> Staged<'a, T> {
        let held = Held { data, place: self.0 };
        if held.place.interlock.strategy.has_prep_lock() {
            seen(Reached::PrepReleased);
        }
        held.place.interlock.line.change(|line| line.advance(held.place.ticket, Phase::Staged));
        Staged(held)
    }
}

impl<'a, T> Staged<'a, T> {
    /// The partition's place in the line.
    #[must_use]
    pub fn ticket(&self) -> u64 {
        self.0.place.ticket
    }

    /// Waits for the compute lock: until every partition before has computed or is given up.
    ///
    /// # Errors
    ///
    /// `stop`'s, and the partition is given up.
    pub fn compute(
        self,
        stop: &Stop,
        seen: &mut dyn FnMut(Reached),
    ) -> Result<Compute<'a, T>, Stopped> {
        let has_lock = self.0.place.interlock.strategy.has_compute_lock();
        if has_lock {
            seen(Reached::ComputeWait);
        }
        self.0.place.advance(Phase::Compute, stop)?;
        if has_lock {
            seen(Reached::ComputeHeld);
        }
        Ok(Compute(self.0))
    }
}

impl<T> Compute<'_, T> {
    /// The partition's place in the line.
    #[must_use]
    pub fn ticket(&self) -> u64 {
        self.0.place.ticket
    }

    /// Ends the compute section, as dropping it does, and says so.
    pub fn finish(self, seen: &mut dyn FnMut(Reached)) {
        let Held { place, data } = self.0;
        drop(data);
        if place.interlock.strategy.has_compute_lock() {
            seen(Reached::ComputeReleased);
        }
    }
}

impl<T> Deref for Staged<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.data
    }
}

impl<T> DerefMut for Staged<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0.data
    }
}

impl<T> Deref for Compute<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.data
    }
}

impl<T> DerefMut for Compute<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0.data
    }
}

/// A partition's data and its place. Fields are dropped in this order: while there are data, they have
/// their room.
#[derive(Debug)]
struct Held<'a, T> {
    data: T,
    place: Place<'a>,
}

/// A partition's place in the line, which it leaves when this is dropped.
#[derive(Debug)]
struct Place<'a> {
    interlock: &'a Interlock,
    ticket: u64,
}

impl<'a> Place<'a> {
    fn join(interlock: &'a Interlock, bytes: usize) -> Self {
        Self { interlock, ticket: interlock.line.change(|line| line.join(bytes)) }
    }

    /// Waits until the partition may go on.
    fn advance(&self, to: Phase, stop: &Stop) -> Result<(), Stopped> {
        Monitor::wait(&self.interlock.line, stop, |line| line.advance(self.ticket, to))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.interlock.line.change(|line| line.leave(self.ticket));
    }
}
