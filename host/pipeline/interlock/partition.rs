//! A partition from section to section.

use std::ops::{Deref, DerefMut};

use super::line::Phase;
use super::{Interlock, Reached};
use crate::pipeline::monitor::Monitor;
use crate::pipeline::stop::{Stop, Stopped};

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

impl<'a> Prep<'a> {
    /// Of a partition that may be prepared.
    pub(super) fn new(place: Place<'a>) -> Self {
        Self(place)
    }

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
pub(super) struct Place<'a> {
    interlock: &'a Interlock,
    ticket: u64,
}

impl<'a> Place<'a> {
    pub fn join(interlock: &'a Interlock, bytes: usize) -> Self {
        Self { interlock, ticket: interlock.line.change(|line| line.join(bytes)) }
    }

    /// Waits until the partition may go on.
    pub fn advance(&self, to: Phase, stop: &Stop) -> Result<(), Stopped> {
        Monitor::wait(&self.interlock.line, stop, |line| line.advance(self.ticket, to))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.interlock.line.change(|line| line.leave(self.ticket));
    }
}
