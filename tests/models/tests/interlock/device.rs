//! A device that notices what the interlock should prevent.

use std::sync::Mutex as Ledger;

use loom::sync::{Arc, Mutex};
use warpfield_models::pipeline::interlock::{Error, Interlock, Reached, State, Strategy};
use warpfield_models::pipeline::stop::Stop;

/// Bytes of a slot.
pub const SLOT: usize = 10;

/// Where a worker ends its partition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    /// Its stop is cancelled before it begins.
    BeforePrep,
    InPrep,
    Staged,
    InCompute,
}

impl End {
    pub const ALL: [Self; 5] =
        [Self::Done, Self::BeforePrep, Self::InPrep, Self::Staged, Self::InCompute];
}

pub struct Device {
    pub interlock: Interlock,
    /// Locked while data are copied; never waited for.
    copying: Mutex<()>,
    /// Locked while kernels run; never waited for.
    computing: Mutex<()>,
    /// What a model's threads know without loom's knowing that they do.
    ledger: Arc<Ledger<Known>>,
}

#[derive(Default)]
struct Known {
    used: usize,
    computed: Vec<u64>,
}

/// Device memory, which there is only as much of as there is.
struct Memory {
    bytes: usize,
    ledger: Arc<Ledger<Known>>,
}

impl Memory {
    fn new(device: &Device, bytes: usize) -> Self {
        let capacity = device.interlock.state().capacity;
        let mut known = device.ledger.lock().expect("no panic");
        known.used += bytes;
        assert!(known.used <= capacity, "more staged than fits");
        drop(known);
        Self { bytes, ledger: device.ledger.clone() }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.ledger.lock().expect("no panic").used -= self.bytes;
    }
}

impl Device {
    pub fn new(strategy: Strategy, slots: usize) -> Arc<Self> {
        Arc::new(Self {
            interlock: Interlock::new(strategy, slots * SLOT).expect("it is compiled in"),
            copying: Mutex::new(()),
            computing: Mutex::new(()),
            ledger: Arc::new(Ledger::default()),
        })
    }

    /// Takes a partition of so many bytes to its end.
    pub fn work(&self, bytes: usize, end: End, stop: &Stop) -> Result<(), Error> {
        if end == End::BeforePrep {
            stop.cancel();
        }
        let mut seen = Vec::new();
        let result = self.pass(bytes, end, stop, &mut |reached| seen.push(reached));
        self.check_order(&seen);
        result
    }

    fn pass(
        &self,
        bytes: usize,
        end: End,
        stop: &Stop,
        seen: &mut dyn FnMut(Reached),
    ) -> Result<(), Error> {
        let strategy = self.interlock.strategy();
        let mut worker = self.interlock.worker();
        let prep = worker.prepare(bytes, stop, seen)?;
        let copying =
            (strategy == Strategy::Two).then(|| self.copying.try_lock().expect("one in prep"));
        // Looks at the interlock: others may run meanwhile.
        let memory = Memory::new(self, bytes);
        drop(copying);
        if end == End::InPrep {
            return Ok(());
        }
        let staged = prep.finish(memory, seen);
        if end == End::Staged {
            return Ok(());
        }
        let compute = staged.compute(stop, seen)?;
        if strategy != Strategy::None {
            let _computing = self.computing.try_lock().expect("one in compute");
            assert!(self.interlock.state().admitted > 0);
            self.ledger.lock().expect("no panic").computed.push(compute.ticket());
        }
        if end != End::InCompute {
            compute.finish(seen);
        }
        Ok(())
    }

    /// A worker reaches things in their order: one lock is given up before it asks for the other.
    fn check_order(&self, seen: &[Reached]) {
        use Reached::*;
        let all: &[_] = match self.interlock.strategy() {
            Strategy::Two => &[
                SlotWait,
                Admitted,
                PrepWait,
                PrepHeld,
                PrepReleased,
                ComputeWait,
                ComputeHeld,
                ComputeReleased,
            ],
            Strategy::Single => &[SlotWait, Admitted, ComputeWait, ComputeHeld, ComputeReleased],
            Strategy::None => &[SlotWait, Admitted],
        };
        assert!(all.starts_with(seen), "{seen:?}");
    }

    /// After all workers: everything is given back, and computed in order.
    pub fn check_idle(&self, partitions: u64) {
        let State { reserved, waiting, admitted, next_ticket, .. } = self.interlock.state();
        assert_eq!((reserved, waiting, admitted, next_ticket), (0, 0, 0, partitions));
        let known = self.ledger.lock().expect("no panic");
        assert_eq!(known.used, 0);
        assert!(known.computed.is_sorted(), "{:?}", known.computed);
    }
}
