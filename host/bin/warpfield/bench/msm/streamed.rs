//! Sums of operands in host memory.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use warpfield::curve::{CurveGroup, PointSlice};
use warpfield::gpu::{Device, DeviceBuffer, PinnedBuffer, Plain};
use warpfield::msm::gpu::{
    Bases, DeviceGroup, HostSlice, Scalars, StreamedBases, StreamedPlan, StreamedScalars,
};
use warpfield_device::field::Fr;

use super::Bench;
use crate::args::{BenchMsm, OperandPlace};
use crate::bench::memory::{DeviceMemory, Memory};
use crate::bench::operands::Operands;
use crate::bench::spread::{self, Spread};
use crate::failure::Failure;

/// Sums of one length.
#[derive(Serialize)]
struct Row {
    log_size: u32,
    copies: u32,
    chunks: usize,
    first: usize,
    most: usize,
    workspace_bytes: usize,
    pinned_bytes: usize,
    /// From the call to the sum, in seconds.
    wall: Spread,
}

/// All rows, and what they were measured on.
#[derive(Serialize)]
struct Report {
    device: String,
    group: &'static str,
    bases: OperandPlace,
    scalars: OperandPlace,
    rows: Vec<Row>,
    memory: Memory,
}

/// Measures sums of each length, one after the other.
pub fn of_group<G: DeviceGroup>(options: &BenchMsm) -> Result<(), Failure> {
    check(options)?;
    let device = options.options.device.open(crate::device::EMULATED)?;
    let mut memory = DeviceMemory::before(&device)?;
    let bench = Bench::<G>::new(&device)?;
    let longest = options.log_size.iter().max().map_or(0, |log| 1 << log);
    let operands = Operands::<G>::new(longest);
    let (points, values) = (operands.bases()?, operands.montgomery());
    let placed = Placed::new(options, &device, &bench, points, &values)?;

    let mut rows = Vec::new();
    for &log_size in &options.log_size {
        let terms = 1 << log_size;
        let tables = placed.bases.as_ref().map(|all| bench.tables(options, &all.slice(..terms)));
        let tables = tables.transpose()?;
        let bases = match &tables {
            Some((bases, _)) => StreamedBases::Device(bases),
            None => StreamedBases::Host(placed.points(points.slice(0..terms))),
        };
        let in_device = placed.scalars.as_ref().map(|all| all.slice(..terms));
        let scalars = match &in_device {
            Some(scalars) => StreamedScalars::Device(Scalars::Montgomery(scalars)),
            None => StreamedScalars::Montgomery(placed.values(&values[..terms])),
        };
        let plan = bench.msm.streamed_plan(bases, scalars, options.budget);
        let plan = plan.map_err(Failure::other)?;
        let mut workspace = bench.msm.streamed_workspace(plan.clone()).map_err(Failure::other)?;
        let made = tables.as_ref().map(|(_, made)| made);
        let tables_there = made.filter(|made| made.copies > 1).map_or(0, |made| made.bytes);
        let operands_there = placed.bytes();
        let parts =
            [("operands", operands_there), ("tables", tables_there), ("workspace", plan.bytes())];
        memory.look(&device, parts)?;
        let expected = operands.expected(terms)?;
        let mut times = Vec::new();
        // The first is not counted.
        for _ in 0..=options.options.repeats {
            let start = Instant::now();
            let result = bench.msm.run_streamed(&bench.stream, workspace, bases, scalars);
            let (sum, again) = result.map_err(Failure::other)?;
            times.push(start.elapsed().as_secs_f64());
            if sum != expected {
                let name = <G as CurveGroup>::NAME;
                return Err(Failure::other(format!("2^{log_size} terms in {name}: a wrong sum")));
            }
            workspace = again;
        }
        rows.push(Row::new(log_size, &plan, made.map_or(1, |made| made.copies), &times[1..]));
    }
    let report = Report {
        device: device.info().name.clone(),
        group: <G as CurveGroup>::NAME,
        bases: options.bases,
        scalars: options.scalars,
        rows,
        memory: Memory::new(Some(memory)),
    };
    Failure::print(if options.options.json { report.json() } else { report.text() })
}

/// Refuses options that mean nothing here.
fn check(options: &BenchMsm) -> Result<(), Failure> {
    if options.bits.or(options.log_segment).or(options.halvings).or(options.bin).is_some() {
        return Err(Failure::other(
            "--bits, --log-segment, --halvings and --bin are for operands in device memory",
        ));
    }
    if options.bases != OperandPlace::Device && (options.tables > 0 || options.copies.is_some()) {
        return Err(Failure::other("--tables and --copies are for bases in device memory"));
    }
    Ok(())
}

/// Operands where they are to be, but for pageable ones.
struct Placed<G: DeviceGroup> {
    bases: Option<Bases<G>>,
    pinned_points: Option<Arc<PinnedBuffer<u8>>>,
    scalars: Option<DeviceBuffer<Fr>>,
    pinned_values: Option<Arc<PinnedBuffer<Fr>>>,
}

impl<G: DeviceGroup> Placed<G> {
    fn new(
        options: &BenchMsm,
        device: &Device,
        bench: &Bench<G>,
        points: PointSlice<'_, G>,
        values: &[Fr],
    ) -> Result<Self, Failure> {
        let (mut bases, mut scalars) = (None, None);
        if options.bases == OperandPlace::Device {
            bases = Some(bench.msm.bases(&bench.stream, points).map_err(Failure::other)?);
        }
        if options.scalars == OperandPlace::Device {
            let memory = device.alloc(values.len())?;
            bench.stream.upload(&memory, values)?;
            scalars = Some(memory);
        }
        Ok(Self {
            bases,
            pinned_points: pinned(device, options.bases, points.as_bytes())?,
            scalars,
            pinned_values: pinned(device, options.scalars, values)?,
        })
    }

    /// As many pinned ones in place of these, if that is their place.
    fn points<'a>(&'a self, pageable: PointSlice<'a, G>) -> HostSlice<'a, u8> {
        let pageable = HostSlice::from(pageable);
        let pinned = self.pinned_points.as_ref().map(HostSlice::from);
        pinned.map_or(pageable, |pinned| pinned.slice(0..pageable.len()))
    }

    /// The same of scalars.
    fn values<'a>(&'a self, pageable: &'a [Fr]) -> HostSlice<'a, Fr> {
        let pinned = self.pinned_values.as_ref().map(HostSlice::from);
        pinned.map_or(pageable.into(), |pinned| pinned.slice(0..pageable.len()))
    }

    /// Of device memory.
    fn bytes(&self) -> usize {
        let scalars = self.scalars.as_ref().map_or(0, |scalars| scalars.len() * size_of::<Fr>());
        scalars + self.bases.as_ref().map_or(0, Bases::bytes)
    }
}

/// Pinned memory with these values, if that is their place.
fn pinned<T: Plain>(
    device: &Device,
    place: OperandPlace,
    values: &[T],
) -> Result<Option<Arc<PinnedBuffer<T>>>, Failure> {
    if place != OperandPlace::Pinned {
        return Ok(None);
    }
    let mut buffer = device.alloc_pinned(values.len())?;
    buffer.copy_from_slice(values);
    Ok(Some(Arc::new(buffer)))
}

fn name(place: OperandPlace) -> &'static str {
    match place {
        OperandPlace::Device => "in device memory",
        OperandPlace::Pinned => "in pinned memory",
        OperandPlace::Pageable => "in pageable memory",
    }
}

impl Row {
    fn new<G: DeviceGroup>(
        log_size: u32,
        plan: &StreamedPlan<G>,
        copies: u32,
        times: &[f64],
    ) -> Self {
        Self {
            log_size,
            copies,
            chunks: plan.count(plan.terms()),
            first: plan.chunks().first,
            most: plan.chunks().most,
            workspace_bytes: plan.bytes(),
            pinned_bytes: plan.pinned_bytes(),
            wall: Spread::of(times.iter().copied()),
        }
    }

    fn text(&self) -> String {
        let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        format!(
            "{:<6}{:>7}{:>8}{:>11}{:>11}{:>10.1}{:>11.1}{:>10.3}{:>6.1} %",
            format!("2^{}", self.log_size),
            self.copies,
            self.chunks,
            self.first,
            self.most,
            mebibytes(self.workspace_bytes),
            mebibytes(self.pinned_bytes),
            1e3 * self.wall.median,
            self.wall.percent(),
        )
    }
}

impl Report {
    fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings")
    }

    fn text(&self) -> String {
        let head = format!(
            "{}\n{}, bases {}, scalars {}, medians of milliseconds, every sum checked\n\n\
             {:<6}{:>7}{:>8}{:>11}{:>11}{:>10}{:>11}{:>10}{:>8}",
            self.device,
            self.group,
            name(self.bases),
            name(self.scalars),
            "terms",
            "copies",
            "chunks",
            "first",
            "most",
            "MiB",
            "pinned MiB",
            "wall",
            "spread",
        );
        let rows = self.rows.iter().map(Row::text);
        let note = "first, most: terms of the first chunk, and of the largest\n\
                    MiB, pinned MiB: memory of device and host besides operands that are there";
        let note = format!("{note}\n{}\n{}", spread::LEGEND, self.memory.text());
        [vec![head], rows.collect(), vec![String::new(), note]].concat().join("\n")
    }
}
