//! `warpfield bench prove`: proofs of many partitions.

mod report;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use warpfield::circuit::{self, WitnessValues};
use warpfield::formats::{write_atomically, wtns, zkey};
use warpfield::gpu::{Device, Module};
use warpfield::groth16::{self, Blinding, ProvingKey, ToxicWaste, Witness};
use warpfield::pipeline::engine::{Engine, Options, Request};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::timeline::{self, Recording, Timeline};

use self::report::{Report, Row};
use super::memory::{DeviceMemory, Memory};
use crate::args::{BenchProve, Values};
use crate::failure::Failure;
use crate::{engine, reports};

/// Public inputs of the circuits.
const PUBLIC: usize = 1;

/// What is compared.
#[derive(Clone, Copy)]
struct Setting {
    strategy: Strategy,
    workers: u16,
    is_recorded: bool,
}

/// A circuit's key and witness.
struct Circuit {
    rows: usize,
    key: Arc<ProvingKey>,
    witness: Witness,
    /// To make both.
    seconds: f64,
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
        [] => &[engine.workers],
        many => many,
    };
    compare(options, &settings(locks, workers, options.unrecorded))
}

/// The same with all locks, with one worker and with as many as there are to be.
pub fn locks(options: &BenchProve) -> Result<(), Failure> {
    let locks: Vec<_> = Strategy::compiled().collect();
    let mut workers = vec![1, options.engine.workers];
    workers.dedup();
    compare(options, &settings(&locks, &workers, options.unrecorded))
}

fn compare(options: &BenchProve, settings: &[Setting]) -> Result<(), Failure> {
    let devices = engine::devices(&options.engine)?;
    let mut memory = DeviceMemory::before(&devices[0])?;
    let (mut rows, mut last) = (Vec::new(), None);
    for &size in &options.constraints {
        let circuit = circuit(&devices[0], size, options.witness, options.dir.as_deref())?;
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

/// Makes a circuit of so many rows with a key and a witness, perhaps as files too.
fn circuit(
    device: &Device,
    rows: usize,
    values: Values,
    folder: Option<&Path>,
) -> Result<Circuit, Failure> {
    let start = Instant::now();
    let mut rng = ChaCha20Rng::seed_from_u64(rows as u64);
    let values = match values {
        Values::Random => WitnessValues::FullWidth,
        Values::Mixed => WitnessValues::Mixed { bits_percent: 70 },
    };
    let (r1cs, witness) = circuit::synthetic(rows - PUBLIC - 1, PUBLIC, values, &mut rng);
    let witness = Witness::from_scalars(&witness);
    let waste = ToxicWaste::random(&mut rng)?;
    let module = Module::load(device, warpfield::ptx::MODULE)?;
    let parts = groth16::gpu::setup(device, &module, &r1cs, &waste).map_err(Failure::other)?;
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::other(format!("{}: {error}", folder.display())))?;
        write_atomically(&folder.join("circuit.zkey"), |out| zkey::write(&parts, out))?;
        write_atomically(&folder.join("witness.wtns"), |out| wtns::write(&witness, out))?;
    }
    let key = Arc::new(parts.into_key()?);
    Ok(Circuit { rows, key, witness, seconds: start.elapsed().as_secs_f64() })
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

    let mut rng = ChaCha20Rng::seed_from_u64(0);
    let begin = Instant::now();
    let request = |partition| {
        let blinding = Blinding::random(&mut rng)?;
        let mut request = Request::new(0, circuit.witness.clone(), blinding);
        request.partition = partition;
        Ok(engine.start(request)?)
    };
    let under_way = (0..options.partitions).map(request).collect::<Result<Vec<_>, Failure>>()?;
    let mut ends = Vec::new();
    for handle in under_way {
        handle.finish()?;
        ends.push(begin.elapsed().as_secs_f64());
    }
    // When as many are done as there are workers, the others are yet to come.
    let begun = engine.workers().min(ends.len() - 1);
    drop(engine);
    let partition = (ends[ends.len() - 1] - ends[begun - 1]) / (ends.len() - begun) as f64;
    Ok(Turn { partition, load, first: ends[0], recording: timeline.recording() })
}
