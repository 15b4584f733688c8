//! `warpfield bench prove`: proofs of many partitions.

mod circuit;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use warpfield::gpu::Device;
use warpfield::groth16::Blinding;
use warpfield::pipeline::engine::{Engine, Options, Request};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::timeline::{self, Recording, Timeline};

use self::circuit::Circuit;
use self::report::{Report, Row};
use super::memory::{DeviceMemory, Memory};
use crate::args::{BenchProve, EngineOptions};
use crate::failure::Failure;
use crate::{engine, paths, reports, setup};

/// What is compared.
#[derive(Clone, Copy)]
struct Setting {
    strategy: Strategy,
    workers: u16,
    is_recorded: bool,
}

/// One turn of a setting.
struct Turn {
    /// From proof to proof, on the average.
    partition: f64,
    /// Copying the key, with its tables.
    load: f64,
    /// From there to the first proof.
    first: f64,
    recording: Recording,
}

/// Measures each size, one after the other.
pub fn run(options: &BenchProve) -> Result<(), Failure> {
    let engine = &options.engine;
    let locks = match &*options.locks {
        [] => &[engine.lock.unwrap_or_default()],
        many => many,
    };
    let workers = match &*options.workers_each {
        [] => &[workers(engine)],
        many => many,
    };
    compare(options, &settings(locks, workers, options.unrecorded))
}

/// The same with all locks, with one worker and with as many as there are to be.
pub fn locks(options: &BenchProve) -> Result<(), Failure> {
    let locks: Vec<_> = Strategy::compiled().collect();
    let mut workers = vec![1, workers(&options.engine)];
    workers.dedup();
    compare(options, &settings(&locks, &workers, options.unrecorded))
}

fn workers(options: &EngineOptions) -> u16 {
    options.workers.unwrap_or(2)
}

fn compare(options: &BenchProve, settings: &[Setting]) -> Result<(), Failure> {
    check_outputs(options)?;
    let devices = options.device.open(crate::device::EMULATED)?;
    let mut memory = DeviceMemory::before(&devices[0])?;
    let (mut rows, mut last) = (Vec::new(), None);
    // A shape has a size of its own.
    let sizes = if options.shape.is_some() { &[0] } else { &*options.constraints };
    for &size in sizes {
        let circuit = Circuit::new(&devices[0], size, options)?;
        let mut turns: Vec<Vec<Turn>> = settings.iter().map(|_| Vec::new()).collect();
        for _ in 0..options.rounds {
            for (setting, turns) in settings.iter().zip(&mut turns) {
                turns.push(turn(&devices, &circuit, setting, options, &mut memory)?);
            }
        }
        for (setting, turns) in settings.iter().zip(turns) {
            rows.push(Row::new(&circuit, setting, &turns));
            last = turns.into_iter().next_back().map(|turn| (circuit.rows, *setting, turn));
        }
    }
    let memory = Memory::new(Some(memory));
    let report = Report::new(devices[0].info(), devices.len(), options, rows, memory);
    Failure::print(if options.json { report.json() } else { report.text() })?;
    let Some((size, Setting { strategy, workers, .. }, turn)) = last else { return Ok(()) };
    let report = timeline::Report::with(&turn.recording, kept());
    let partitions = options.partitions;
    let title =
        format!("{partitions} partitions of {size} rows, lock {strategy}, {workers} workers");
    reports::write_report(&options.reports, &turn.recording, &report, &title)
}

/// None is there that should not be overwritten, and there is a place for each.
fn check_outputs(options: &BenchProve) -> Result<(), Failure> {
    let mut outputs: Vec<_> = options.reports.files().map(Path::to_owned).collect();
    if let Some(folder) = &options.dir {
        paths::make_folder(folder)?;
        paths::check_new(&circuit::kept(folder))?;
        setup::warn();
        outputs.extend(circuit::kept(folder));
    }
    let outputs: Vec<_> = outputs.iter().map(PathBuf::as_path).collect();
    paths::check(&[], None, &outputs)
}

/// Without the way in and out.
fn kept() -> timeline::Options {
    timeline::Options { skip_first: 1, skip_last: 1, ..Default::default() }
}

fn settings(locks: &[Strategy], workers: &[u16], unrecorded: bool) -> Vec<Setting> {
    let recorded: &[bool] = if unrecorded { &[false, true] } else { &[true] };
    let mut settings = Vec::new();
    for &strategy in locks {
        for &workers in workers {
            let setting = |&is_recorded| Setting { strategy, workers, is_recorded };
            settings.extend(recorded.iter().map(setting));
        }
    }
    settings
}

/// Partitions with a setting, by an engine of their own.
fn turn(
    devices: &[Device],
    circuit: &Circuit,
    setting: &Setting,
    options: &BenchProve,
    memory: &mut DeviceMemory,
) -> Result<Turn, Failure> {
    let timeline = if setting.is_recorded { Timeline::on() } else { Timeline::off() };
    let mut wanted: Options = engine::options(&options.engine, timeline.clone());
    wanted.strategy = setting.strategy;
    wanted.workers = setting.workers.into();
    let start = Instant::now();
    let engine = Engine::new(devices, std::slice::from_ref(&circuit.key), &wanted)?;
    let load = start.elapsed().as_secs_f64();
    let plan = engine.plans().next().expect("one a device");
    let (slots, scratch) =
        (plan.slots() * plan.slot_bytes(), plan.scratches() * plan.scratch_bytes());
    let parts = [("key", plan.keys()[0].bytes), ("slots", slots), ("scratch", scratch)];
    memory.look(&devices[0], parts)?;

    let (inputs, pools) = circuit.inputs(devices, options.partitions as usize)?;
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    let begin = Instant::now();
    let request = |(partition, input)| {
        let mut request = Request::new(0, input, Blinding::random(&mut rng)?);
        request.partition = partition;
        Ok(engine.start(request)?)
    };
    let under_way = (0..).zip(inputs).map(request).collect::<Result<Vec<_>, Failure>>()?;
    let mut ends = Vec::new();
    for handle in under_way {
        handle.finish()?;
        ends.push(begin.elapsed().as_secs_f64());
    }
    // When as many are done as there are workers, the others are yet to come.
    let begun = engine.workers().min(ends.len() - 1);
    drop((engine, pools));
    let partition = (ends[ends.len() - 1] - ends[begun - 1]) / (ends.len() - begun) as f64;
    Ok(Turn { partition, load, first: ends[0], recording: timeline.recording() })
}
