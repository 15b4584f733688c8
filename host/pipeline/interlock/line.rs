//! The partitions of a device in the order of their tickets, and what each may do.

use std::collections::BTreeMap;

use super::{State, Strategy};

/// How far a partition has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Waits for room.
    Waiting,
    /// Has reserved its bytes.
    Admitted,
    /// Is being prepared; where there is a prep lock, holds it.
    Prep,
    /// Is prepared.
    Staged,
    /// Computes; where there is a compute lock, holds it.
    Compute,
}

#[derive(Debug)]
struct Partition {
    bytes: usize,
    phase: Phase,
}

/// Who holds what follows from who stands where: there is no lock to be given back and no count to be
/// set right, so that leaving the line is all that a partition has to do, whatever became of it.
#[derive(Debug)]
pub(super) struct Line {
    strategy: Strategy,
    /// Bytes for staged data.
    capacity: usize,
    next_ticket: u64,
    partitions: BTreeMap<u64, Partition>,
}

impl Line {
    pub fn new(strategy: Strategy, capacity: usize) -> Self {
        Self { strategy, capacity, next_ticket: 0, partitions: BTreeMap::new() }
    }

    /// Adds a partition at the end, and gives it its ticket.
    pub fn join(&mut self, bytes: usize) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.partitions.insert(ticket, Partition { bytes, phase: Phase::Waiting });
        ticket
    }

    /// Lets a partition go on to its next phase, if it may. The ticket must be in the line.
    pub fn advance(&mut self, ticket: u64, to: Phase) -> bool {
        let may = self.may_advance(ticket, to);
        if may {
            self.partition_mut(ticket).phase = to;
        }
        may
    }

    /// Ends a partition, wherever it stands.
    pub fn leave(&mut self, ticket: u64) {
        self.partitions.remove(&ticket);
    }

    pub fn state(&self) -> State {
        let admitted = self.admitted().count();
        State {
            capacity: self.capacity,
            reserved: self.reserved(),
            waiting: self.partitions.len() - admitted,
            admitted,
            next_ticket: self.next_ticket,
        }
    }

    fn may_advance(&self, ticket: u64, to: Phase) -> bool {
        let mut earlier = self.partitions.range(..ticket).map(|(_, partition)| partition.phase);
        match to {
            Phase::Waiting | Phase::Staged => true,
            // Nobody overtakes: one that takes much room is let in after those before it.
            Phase::Admitted => {
                let room = self.capacity - self.reserved();
                earlier.all(|phase| phase >= Phase::Admitted)
                    && self.partitions[&ticket].bytes <= room
            }
            // Nobody later is in prep either: it would have waited for this one.
            Phase::Prep => {
                !self.strategy.has_prep_lock() || earlier.all(|phase| phase >= Phase::Staged)
            }
            Phase::Compute => !self.strategy.has_compute_lock() || earlier.next().is_none(),
        }
    }

    /// Never more than the capacity.
    fn reserved(&self) -> usize {
        self.admitted().map(|partition| partition.bytes).sum()
    }

    fn admitted(&self) -> impl Iterator<Item = &Partition> {
        self.partitions.values().filter(|partition| partition.phase >= Phase::Admitted)
    }

    fn partition_mut(&mut self, ticket: u64) -> &mut Partition {
        self.partitions.get_mut(&ticket).expect("a ticket of the line")
    }
}
