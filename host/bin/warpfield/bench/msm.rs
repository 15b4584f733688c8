//! `warpfield bench msm`: multi-scalar multiplications, step by step.

mod report;
mod streamed;
mod tune;

pub use tune::run as tune;

use std::time::Instant;

use warpfield::curve::{CurveGroup, G1, G2};
use warpfield::gpu::{Device, DeviceBuffer, DeviceSlice, Error, Event, Module, Stream};
use warpfield::msm::gpu::{
    Bases, DeviceGroup, Halving, Msm, Plan, Scalars, Split, Step, Tables, Workspace,
};
use warpfield_device::field::Fr;
use warpfield_device::msm::digits::windows;

use self::report::{Report, Row};
use super::memory::{DeviceMemory, Memory};
use super::operands::Operands;
use crate::args::{BenchMsm, GroupName};
use crate::failure::Failure;

/// Measures sums of each length, one after the other.
pub fn run(options: &BenchMsm) -> Result<(), Failure> {
    match (options.group, options.is_streamed()) {
        (GroupName::G1, false) => of_group::<G1>(options),
        (GroupName::G2, false) => of_group::<G2>(options),
        (GroupName::G1, true) => streamed::of_group::<G1>(options),
        (GroupName::G2, true) => streamed::of_group::<G2>(options),
    }
}

/// The times of one sum, in seconds.
pub struct Times {
    /// Of each of [`Step::ALL`], by the device.
    pub steps: Vec<f64>,
    /// Of all of them.
    pub device: f64,
    /// From the call to the sum, by the host: with launches, and with what is left for it.
    pub wall: f64,
}

/// The tables of some bases.
pub struct Made {
    pub copies: u32,
    /// Of all copies.
    pub bytes: usize,
    /// Which it took to make them.
    pub seconds: f64,
}

/// A device, and what it takes to measure sums on it.
struct Bench<G: DeviceGroup> {
    stream: Stream,
    msm: Msm<G>,
    /// Before the first step, and after each.
    events: Vec<Event>,
}

/// Operands in device memory, and the sums of the first so many of them.
struct Uploaded<G: DeviceGroup> {
    operands: Operands<G>,
    bases: Bases<G>,
    scalars: DeviceBuffer<Fr>,
}

/// Terms of which the sum is known.
struct Terms<G: DeviceGroup> {
    log: u32,
    /// Without tables.
    bases: Bases<G>,
    scalars: DeviceSlice<Fr>,
    expected: G::Projective,
}

fn of_group<G: DeviceGroup>(options: &BenchMsm) -> Result<(), Failure> {
    let device = options.options.device.open(crate::device::EMULATED_OR_CPU)?;
    let mut memory = DeviceMemory::before(&device)?;
    let bench = Bench::<G>::new(&device)?;
    let longest = options.log_size.iter().max().map_or(0, |log| 1 << log);
    let uploaded = bench.upload(&device, longest)?;

    let mut rows = Vec::new();
    for &log in &options.log_size {
        let terms = 1 << log;
        let known = uploaded.terms(log)?;
        let (bases, made) = bench.tables(options, &known.bases)?;
        let best = bench.msm.plan_for(&bases).map_err(Failure::other)?.split();
        let blocks = bench.msm.halving_blocks().map_err(Failure::other)?;
        let split = Split {
            bits: options.bits.unwrap_or(best.bits),
            copies: best.copies,
            log_segment: options.log_segment.unwrap_or(best.log_segment),
            halving: match options.halvings {
                None => best.halving,
                Some(0) => None,
                Some(_) if !G::HALVES => {
                    let name = <G as CurveGroup>::NAME;
                    return Err(Failure::other(format!(
                        "--halvings: {name} has no kernel for them"
                    )));
                }
                Some(levels) => Some(Halving { levels, group: options.segments, blocks }),
            },
            bin: options.bin.unwrap_or(best.bin),
        };
        let plan = Plan::new(terms, split).map_err(Failure::other)?;
        let mut workspace = bench.msm.workspace(plan).map_err(Failure::other)?;
        let operands = longest * (G::BYTES + size_of::<Fr>());
        let tables = if made.copies > 1 { made.bytes } else { 0 };
        let parts = [("operands", operands), ("tables", tables), ("workspace", plan.bytes())];
        memory.look(&device, parts)?;
        let mut times = Vec::new();
        // The first is not counted.
        for _ in 0..=options.options.repeats {
            let (time, again) = bench.checked_sum(workspace, &bases, &known)?;
            times.push(time);
            workspace = again;
        }
        rows.push(Row::new(log, &plan, &made, &times[1..]));
    }
    let memory = Memory::new(Some(memory));
    let report = Report::new(device.info(), G::NAME, rows, memory);
    Failure::print(if options.options.json { report.json() } else { report.text() })
}

impl<G: DeviceGroup> Uploaded<G> {
    /// The first 2^log terms.
    fn terms(&self, log: u32) -> Result<Terms<G>, Failure> {
        let terms = 1 << log;
        Ok(Terms {
            log,
            bases: self.bases.slice(..terms),
            scalars: self.scalars.slice(..terms),
            expected: self.operands.expected(terms)?,
        })
    }
}

impl<G: DeviceGroup> Bench<G> {
    fn new(device: &Device) -> Result<Self, Failure> {
        let module = Module::load(device, warpfield::ptx::MODULE)?;
        let events = (0..=Step::ALL.len()).map(|_| device.event());
        Ok(Self {
            stream: device.stream()?,
            msm: Msm::new(device, &module).map_err(Failure::other)?,
            events: events.collect::<Result<_, _>>()?,
        })
    }

    /// Bases with the tables that are asked for.
    fn tables(&self, options: &BenchMsm, bases: &Bases<G>) -> Result<(Bases<G>, Made), Failure> {
        let mut tables = Tables::within::<G>(bases.len(), options.tables);
        let fitting = options.tables / (bases.len() * G::BYTES).max(1);
        // Digits that are asked for may have other tables.
        let copies = match (options.copies, options.bits) {
            (None, Some(bits)) => Some(fitting.clamp(1, windows(bits) as usize) as u32),
            (copies, _) => copies,
        };
        if let Some(copies) = copies {
            tables = Tables { bits: options.bits.unwrap_or(tables.bits), copies };
        }
        let start = Instant::now();
        let bases = self.msm.with_tables(&self.stream, bases, tables).map_err(Failure::other)?;
        let seconds = start.elapsed().as_secs_f64();
        let copies = bases.tables().copies;
        Ok((bases.clone(), Made { copies, bytes: bases.bytes(), seconds }))
    }

    /// Makes operands of so many terms, and uploads them.
    fn upload(&self, device: &Device, terms: usize) -> Result<Uploaded<G>, Failure> {
        let operands = Operands::<G>::new(terms);
        let bases = self.msm.bases(&self.stream, operands.bases()?).map_err(Failure::other)?;
        let scalars = device.alloc(terms)?;
        self.stream.upload(&scalars, &operands.montgomery())?;
        Ok(Uploaded { operands, bases, scalars })
    }

    /// The times of one sum, which must be right; of these terms' bases, perhaps with tables.
    fn checked_sum(
        &self,
        workspace: Workspace<G>,
        bases: &Bases<G>,
        terms: &Terms<G>,
    ) -> Result<(Times, Workspace<G>), Failure> {
        let scalars = Scalars::Montgomery(&terms.scalars);
        let (sum, times, workspace) = self.sum(workspace, bases, scalars)?;
        if sum != terms.expected {
            let (log, name) = (terms.log, <G as CurveGroup>::NAME);
            return Err(Failure::other(format!("2^{log} terms in {name}: a wrong sum")));
        }
        Ok((times, workspace))
    }

    /// One sum, with its times.
    fn sum(
        &self,
        workspace: Workspace<G>,
        bases: &Bases<G>,
        scalars: Scalars<'_>,
    ) -> Result<(G::Projective, Times, Workspace<G>), Failure> {
        let (first, after) = self.events.split_first().expect("there is one more than steps");
        let mut after = after.iter();
        let start = Instant::now();
        self.stream.record(first)?;
        let queued = |_| self.stream.record(after.next().expect("an event for each step"));
        let running = self.msm.run_observed(&self.stream, workspace, bases, scalars, queued);
        let (sum, workspace) =
            running.and_then(|running| running.wait()).map_err(Failure::other)?;
        let wall = start.elapsed().as_secs_f64();
        self.stream.synchronize()?;
        let between = |events: &[Event]| -> Result<f64, Error> {
            let elapsed = events[events.len() - 1].elapsed_since(&events[0])?;
            Ok(elapsed.unwrap_or_default().as_secs_f64())
        };
        let steps = self.events.windows(2).map(between).collect::<Result<_, _>>()?;
        Ok((sum, Times { steps, device: between(&self.events)?, wall }, workspace))
    }
}
