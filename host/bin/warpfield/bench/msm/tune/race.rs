//! Sums that are split in several ways, in turns.

use std::time::{Duration, Instant};

use warpfield::gpu::Kind;
use warpfield::msm::gpu::{Bases, DeviceGroup, Error, Plan, Split, Tables, Workspace};

use super::super::{Bench, Terms};
use crate::bench::spread::Spread;
use crate::failure::Failure;

/// After the first round those go on that took less than so many times the quickest one's time.
const CLOSE: f64 = 1.1;

/// Rounds of those, and for how long there are more than the fewest.
const ROUNDS: std::ops::RangeInclusive<u32> = 3..=25;
const ENOUGH: Duration = Duration::from_millis(100);

/// Races of sums of one length.
pub struct Race<'a, G: DeviceGroup> {
    bench: &'a Bench<G>,
    terms: &'a Terms<G>,
    /// Bytes for all copies of bases.
    budget: usize,
    deadline: Instant,
    /// Bases with the tables of the latest race.
    tables: Vec<Bases<G>>,
    /// Whether there was a sum without halvings, and one with.
    warm: [bool; 2],
    sums: u32,
}

/// One of the ways.
struct Runner<G: DeviceGroup> {
    at: usize,
    bases: Bases<G>,
    /// Except while it runs.
    workspace: Option<Workspace<G>>,
    /// Of each round, by the device.
    seconds: Vec<f64>,
}

impl<'a, G: DeviceGroup> Race<'a, G> {
    pub fn new(bench: &'a Bench<G>, terms: &'a Terms<G>, budget: usize, deadline: Instant) -> Self {
        Self { bench, terms, budget, deadline, tables: Vec::new(), warm: [false; 2], sums: 0 }
    }

    /// How many sums there were.
    pub fn sums(&self) -> u32 {
        self.sums
    }

    /// Whether time is up; it is not before there is a sum.
    pub fn is_late(&self) -> bool {
        self.sums > 0 && self.is_over()
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// The median time of each, in seconds, if there is memory and time for it. Of those that are clearly
    /// slower it is of fewer rounds.
    pub fn run(&mut self, splits: &[Split]) -> Result<Vec<Option<f64>>, Failure> {
        let mut times = vec![None; splits.len()];
        if self.is_late() {
            return Ok(times);
        }
        self.tables.retain(|bases| splits.iter().any(|split| split.tables() == bases.tables()));
        let mut runners = Vec::new();
        for (at, split) in splits.iter().enumerate() {
            if runners.is_empty() || !self.is_over() {
                runners.extend(self.runner(at, split)?);
            }
        }
        // The first sum of a kind loads code.
        for runner in &mut runners {
            let kind = usize::from(splits[runner.at].halving.is_some());
            if !std::mem::replace(&mut self.warm[kind], true) {
                self.sum(runner)?;
            }
        }
        self.rounds(&mut runners)?;
        for Runner { at, seconds, .. } in runners {
            times[at] = Some(Spread::of(seconds).median);
        }
        Ok(times)
    }

    /// Measures in turns.
    fn rounds(&mut self, runners: &mut [Runner<G>]) -> Result<(), Failure> {
        let start = Instant::now();
        let mut limit = f64::INFINITY;
        for round in 1..=*ROUNDS.end() {
            for runner in runners.iter_mut() {
                // The first of all is the best so far, which others are compared with.
                if runner.at == 0 || runner.seconds.first().is_none_or(|first| *first < limit) {
                    let seconds = self.sum(runner)?;
                    runner.seconds.push(seconds);
                }
            }
            let firsts = runners.iter().map(|runner| runner.seconds[0]);
            limit = CLOSE * firsts.fold(f64::INFINITY, f64::min);
            if self.is_late() || (round >= *ROUNDS.start() && start.elapsed() >= ENOUGH) {
                break;
            }
        }
        Ok(())
    }

    fn runner(&mut self, at: usize, split: &Split) -> Result<Option<Runner<G>>, Failure> {
        let Ok(plan) = Plan::new(self.terms.bases.len(), *split) else { return Ok(None) };
        let Some(bases) = self.bases(split.tables())? else { return Ok(None) };
        let workspace = if_fits(self.bench.msm.workspace(plan))?;
        Ok(workspace.map(|workspace| Runner {
            at,
            bases,
            workspace: Some(workspace),
            seconds: Vec::new(),
        }))
    }

    fn bases(&mut self, tables: Tables) -> Result<Option<Bases<G>>, Failure> {
        let bases = &self.terms.bases;
        if tables.copies == 1 {
            return Ok(Some(bases.clone()));
        }
        let made = self.tables.iter().find(|bases| bases.tables() == tables);
        if made.is_some() || bases.bytes().saturating_mul(tables.copies as usize) > self.budget {
            return Ok(made.cloned());
        }
        let made = if_fits(self.bench.msm.with_tables(&self.bench.stream, bases, tables))?;
        self.tables.extend(made.clone());
        Ok(made)
    }

    /// The seconds of one sum.
    fn sum(&mut self, runner: &mut Runner<G>) -> Result<f64, Failure> {
        let workspace = runner.workspace.take().expect("it comes back from every sum");
        let (times, workspace) = self.bench.checked_sum(workspace, &runner.bases, self.terms)?;
        runner.workspace = Some(workspace);
        self.sums += 1;
        Ok(times.device)
    }
}

/// What there is memory for.
fn if_fits<T>(made: Result<T, Error>) -> Result<Option<T>, Failure> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(Error::Device(error)) if error.kind() == Kind::OutOfMemory => Ok(None),
        Err(error) => Err(Failure::other(error)),
    }
}
