//! Who may stage and compute on a device.
//!
//! Two or three workers share a device, so that one prepares its partition while another's computes. An
//! [`Interlock`] keeps them apart. It knows nothing of GPUs, and of time only the deadline of who waits: it
//! tells the caller what is reached ([`Reached`]), who takes the times.
//!
//! A partition joins a line ([`Worker::prepare`]), is admitted, is prepared ([`Prep`]), is staged
//! ([`Staged`]), computes ([`Compute`]), and leaves the line. Its place there is its ticket, which does not
//! change. What it waits for are partitions before it, never one behind, so that no two wait for each other:
//!
//! 1. **Admission.** A partition reserves the bytes that its data take on the device before it copies any,
//!    and has them until its compute ends, which is what reads them. While they are not free it waits; there
//!    is no other way in that takes less.
//! 2. **Nobody overtakes** on the way in. A small partition may fit where a large one does not, and with
//!    enough small ones the large one would wait for ever.
//! 3. **The prep lock** ([`Strategy::Two`]) is for the first partition that is not staged. Two uploads at
//!    once would have half the bus each, and the first would be staged as late as the second.
//! 4. **The compute lock** ([`Strategy::Two`], [`Strategy::Single`]) is for the first in the line: what was
//!    admitted first computes first. From a plain mutex, any staged partition might get it, and the others
//!    would keep their room for longer than they need.
//! 5. **A worker never holds both locks.** If one asked for compute with the prep lock in hand, nobody would
//!    prepare meanwhile; if another asked for the prep lock in compute, both would wait for ever. So there is
//!    no way to compute but from [`Prep::finish`], which gives up the prep lock, and a partition borrows its
//!    worker, which has one at a time.
//! 6. **There is one way out**: the partition leaves the line, and all who wait look again. Dropping what a
//!    worker holds does it, be it after an error, a cancellation, a deadline or in a panic. With the place go
//!    its ticket, its bytes and its locks; there is no count to be set right, and no successor to be named.
//!
//! ```
//! use warpfield::pipeline::interlock::{Interlock, Reached, Strategy};
//! use warpfield::pipeline::stop::Stop;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # if Strategy::compiled().next().is_none() { return Ok(()); }
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
mod partition;
mod strategy;

pub use error::Error;
pub use partition::{Compute, Prep, Staged};
pub use strategy::Strategy;

use super::monitor::Monitor;
use super::stop::Stop;
use super::sync::Arc;
use line::{Line, Phase};
use partition::Place;

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
        Ok(Prep::new(place))
    }
}
