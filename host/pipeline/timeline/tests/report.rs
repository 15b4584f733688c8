//! Reports.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::made_up::{self, interval, ms};
use super::union::{bitmap, set, windows};
use crate::pipeline::timeline::{
    DeviceReport, Interval, Kind, Lane, Options, PartitionReport, Placement, Recording, Report,
    Spread, Stage, StageTime, Steady, Stretch, Usage, Who, WorkerReport,
};

fn spread(count: usize, min: u64, median: u64, p95: u64, max: u64) -> Spread {
    Spread { count, min: ms(min), median: ms(median), p95: ms(p95), max: ms(max) }
}

fn stage(report: &Report, stage: Stage) -> Option<Spread> {
    report.stages.iter().find(|found| found.stage == stage).map(|found| found.time)
}

fn times(times: &[(Stage, u64)]) -> Vec<StageTime> {
    times.iter().map(|&(stage, time)| StageTime { stage, time: ms(time) }).collect()
}

#[test]
fn a_partition_adds_up() {
    use Stage::*;
    let report = Report::of(&made_up::two());
    let expected = PartitionReport {
        proof: Some(1),
        partition: 0,
        worker: Some(0),
        device: Some(0),
        kept: true,
        start: ms(0),
        wall: ms(90),
        host: times(&[
            (QueueWait, 10),
            (PrepWait, 2),
            (ComputeWait, 4),
            (CopyWait, 6),
            (DeviceWait, 33),
            (Witness, 20),
            (Enqueue, 4),
            (Epilogue, 3),
            (Check, 7),
        ]),
        unattributed: ms(1),
        overlap: ms(0),
        beside: times(&[
            (PrepHeld, 8),
            (ComputeHeld, 35),
            (Upload, 6),
            (Rows, 4),
            (Ntt, 10),
            (Gather, 1),
            (MsmH, 10),
            (MsmA, 4),
            (MsmB2, 3),
            (Download, 1),
        ]),
        uploaded: 1000,
        downloaded: 50,
        compute: Some(Stretch { start: ms(46), end: ms(78) }),
    };
    assert_eq!(report.partitions[0], expected);
    assert_eq!(report.partitions.len(), 2);
    let second = &report.partitions[1];
    assert_eq!((second.wall, second.unattributed, second.overlap), (ms(119), ms(0), ms(3)));
    // Three of its seven milliseconds are the epilogue's.
    assert_eq!(second.host.last(), Some(&StageTime { stage: Check, time: ms(4) }));
    assert_eq!((report.start, report.wall, report.proofs), (ms(0), ms(119), 1));
    assert_eq!(report.unattributed_share(), 1.0 / 209.0);
    assert_eq!(report.overlap(), ms(3));
}

#[test]
fn distributions_are_over_partitions() {
    let report = Report::of(&made_up::two());
    assert_eq!(report.partition_wall, Some(spread(2, 90, 90, 119, 119)));
    assert_eq!(report.unattributed, Some(spread(2, 0, 0, 1, 1)));
    assert_eq!(stage(&report, Stage::Witness), Some(spread(2, 20, 20, 30, 30)));
    assert_eq!(stage(&report, Stage::Check), Some(spread(2, 4, 4, 7, 7)));
    // Twice in each, but one time.
    assert_eq!(stage(&report, Stage::Enqueue), Some(spread(2, 3, 3, 4, 4)));
    // One of them has it.
    assert_eq!(stage(&report, Stage::MsmB2), Some(spread(1, 3, 3, 3, 3)));
    assert_eq!(stage(&report, Stage::SlotWait), None);
    let waits: Vec<Stage> = report.waits().map(|wait| wait.stage).collect();
    let expected =
        [Stage::QueueWait, Stage::PrepWait, Stage::ComputeWait, Stage::CopyWait, Stage::DeviceWait];
    assert_eq!(waits, expected);
    assert!(report.stages.iter().all(|found| found.kind == found.stage.kind()));
}

#[test]
fn a_device_adds_up() {
    let report = Report::of(&made_up::two());
    let run = Usage {
        start: ms(0),
        wall: ms(119),
        kernels: ms(56),
        copies: ms(16),
        // One copy lies beside kernels.
        copies_alone: ms(8),
        idle: ms(55),
    };
    let usage = Usage {
        start: ms(46),
        wall: ms(62),
        kernels: ms(56),
        copies: ms(9),
        copies_alone: ms(1),
        idle: ms(5),
    };
    let steady = Some(Steady { partitions: 2, usage });
    let placement = made_up::two().placement(0);
    assert!(placement.is_some());
    let (uploaded, downloaded) = (3000, 110);
    assert_eq!(
        report.devices,
        [DeviceReport { device: 0, run, steady, uploaded, downloaded, placement }]
    );
    assert_eq!(run.busy(), 56.0 / 119.0);
    assert_eq!(Usage::default().busy(), 0.0);
}

#[test]
fn a_worker_has_its_locks() {
    let report = Report::of(&made_up::two());
    let worker = |worker, prep_wait, prep_held, compute_wait, compute_held| WorkerReport {
        device: Some(0),
        worker,
        partitions: 1,
        slot_wait: ms(0),
        prep_wait: ms(prep_wait),
        prep_held: ms(prep_held),
        compute_wait: ms(compute_wait),
        compute_held: ms(compute_held),
    };
    assert_eq!(report.workers, [worker(0, 2, 8, 4, 35), worker(1, 0, 10, 22, 28)]);
}

/// Partitions that compute one after the other, each for its number + 1 ms, on two devices by turns.
fn in_turn(count: u32) -> Recording {
    let mut now = 0;
    let mut intervals = Vec::new();
    for partition in 0..count {
        // The last one waits first: the order is that of the kernels.
        let who = Who::partition(3, partition).at(partition % 2, 0);
        let time = u64::from(partition) + 1;
        intervals.push(interval(who, Stage::Rows, now, now + time));
        intervals.push(interval(who, Stage::DeviceWait, now, now + time));
        now += time;
    }
    intervals.push(interval(Who::partition(3, count - 1).at(0, 0), Stage::QueueWait, 0, 1));
    Recording::new(intervals, vec![], 0)
}

#[test]
fn the_first_and_last_of_a_device_are_left_out() {
    let recording = in_turn(9);
    let options = Options { skip_first: 1, skip_last: 2, ..Options::default() };
    let report = Report::with(&recording, options);
    let mut kept: Vec<u32> = report
        .partitions
        .iter()
        .filter(|report| report.kept)
        .map(|report| report.partition)
        .collect();
    kept.sort_unstable();
    // Of 0 2 4 6 8 on the one, of 1 3 5 7 on the other.
    assert_eq!(kept, [2, 3, 4]);
    assert_eq!(stage(&report, Stage::Rows), Some(spread(3, 3, 4, 5, 5)));
    assert_eq!(report.partition_wall, Some(spread(3, 3, 4, 5, 5)));
    assert_eq!(report.unattributed.map(|spread| spread.count), Some(3));
    let steady = report.devices[0].steady.unwrap();
    // From the start of 2 to the end of 4, where 3 runs elsewhere.
    let usage = steady.usage;
    assert_eq!((usage.start, usage.wall, usage.kernels, usage.idle), (ms(3), ms(12), ms(8), ms(4)));
    assert_eq!(steady.partitions, 2);
    // All count here.
    assert_eq!(report.devices[0].run.kernels, ms(1 + 3 + 5 + 7 + 9));
    assert_eq!(report.partitions.len(), 9);

    let none = Report::with(&recording, Options { skip_first: 3, skip_last: 2, proof: None });
    assert_eq!((none.partition_wall, none.devices[0].steady), (None, None));
    assert_eq!(none.unattributed_share(), 0.0);
}

#[test]
fn one_proof_of_several() {
    let at = |proof| Who::partition(proof, 0).at(0, 0);
    let intervals = vec![
        interval(at(1), Stage::Witness, 0, 10),
        interval(at(2), Stage::DeviceWait, 5, 25),
        interval(at(1), Stage::Ntt, 2, 8),
        interval(at(2), Stage::Ntt, 8, 20),
        interval(at(1), Stage::Upload, 0, 5).bytes(7),
        interval(at(1), Stage::Upload, 1, 6).bytes(8),
        interval(at(1), Stage::ComputeHeld, 1, 9),
        interval(Who::proof(2), Stage::Output, 25, 30),
        interval(Who::proof(2), Stage::Output, 26, 31),
        interval(Who::default().at(0, 0), Stage::Upload, 40, 50).bytes(9),
    ];
    let recording = Recording::new(intervals, vec![], 4);
    let report = Report::with(&recording, Options { proof: Some(2), ..Options::default() });
    assert_eq!((report.proofs, report.partitions.len(), report.lost), (1, 1, 4));
    assert_eq!((report.start, report.wall), (ms(5), ms(26)));
    // What is of no partition counts by proofs.
    assert_eq!(stage(&report, Stage::Output), Some(spread(1, 6, 6, 6, 6)));
    assert_eq!(stage(&report, Stage::Upload), None);
    // With the kernels and locks of the other proof, in the wall time of this one; a copy counts where it ends.
    assert_eq!((report.devices[0].run.kernels, report.devices[0].uploaded), (ms(15), 8));
    assert_eq!((report.workers[0].compute_held, report.workers[0].partitions), (ms(4), 2));

    let all = Report::of(&recording);
    assert_eq!((all.proofs, all.partitions.len()), (2, 2));
    assert_eq!((all.wall, all.devices[0].uploaded), (ms(50), 24));
    assert_eq!(all.workers[0].partitions, 2);
    // That of nobody is in no distribution.
    assert_eq!(stage(&all, Stage::Upload), Some(spread(1, 6, 6, 6, 6)));
    let other = Report::with(&recording, Options { proof: Some(9), ..Options::default() });
    assert_eq!((other.wall, other.proofs, other.stages.len()), (ms(0), 0, 0));
}

#[test]
fn a_host_bracket_is_no_kernel() {
    let who = Who::partition(1, 0).at(0, 0);
    let intervals = vec![
        interval(who, Stage::Enqueue, 0, 50),
        interval(who, Stage::DeviceWait, 50, 100),
        interval(who, Stage::ComputeHeld, 0, 100),
        interval(who, Stage::Ntt, 40, 60),
        // Beside it, on the stream of another worker.
        interval(Who::partition(1, 1).at(0, 1), Stage::Ntt, 50, 70),
    ];
    let report = Report::of(&Recording::new(intervals, vec![], 0));
    assert_eq!(report.devices[0].run.kernels, ms(30));
}

#[test]
fn an_empty_recording_is_an_empty_report() {
    let report = Report::of(&Recording::default());
    assert_eq!((report.wall, report.partitions.len(), report.devices.len()), (ms(0), 0, 0));
    assert_eq!(report.partition_wall, None);
    assert!(report.to_string().starts_with("0 partitions of 0 proofs in 0.000 ms"));
}

#[test]
fn reports_survive_json() {
    let options = Options { skip_first: 1, ..Options::default() };
    let report = Report::with(&made_up::run(5), options);
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["wall_ms"].as_f64().map(|wall| wall * 1e6),
        Some(report.wall.as_nanos() as f64)
    );
    assert_eq!(json["stages"][0]["stage"], "queue_wait");
    assert_eq!(json["devices"][0]["placement"]["error_ms"], 0.0094);
}

#[test]
fn stages_have_one_name() {
    for stage in Stage::ALL {
        assert_eq!(serde_json::to_value(stage).unwrap(), stage.name());
        let lane = Lane::of_host(stage);
        if stage.kind().clock() == lane.clock() {
            assert_eq!(lane == Lane::Locks, stage.kind() == Kind::Held);
        }
    }
    let mut sorted = Stage::ALL;
    sorted.sort();
    assert_eq!(sorted, Stage::ALL);
}

const FLAT: [Stage; 4] = [Stage::Witness, Stage::ComputeWait, Stage::Enqueue, Stage::Epilogue];

fn sum(times: &[StageTime]) -> Duration {
    times.iter().map(|time| time.time).sum()
}

proptest! {
    #[test]
    fn times_survive_json_to_the_nanosecond(nanos in 0u64..1 << 50, drift: Option<u32>) {
        let drift = drift.map(|nanos| Duration::from_nanos(nanos.into()));
        let placement = Placement { device: 0, error: Duration::from_nanos(nanos), drift };
        let json = serde_json::to_string(&placement).unwrap();
        prop_assert_eq!(serde_json::from_str::<Placement>(&json).unwrap(), placement);
    }

    /// Waits and work one after the other, with gaps.
    #[test]
    fn gaps_are_unattributed(pieces in vec((0usize..4, 0u64..9, 0u64..4), 1..30)) {
        let who = Who::partition(0, 0).by(0);
        let (mut now, mut gaps, mut spent) = (17, 0, [0; 4]);
        let mut intervals = Vec::new();
        for (at, &(stage, time, gap)) in pieces.iter().enumerate() {
            intervals.push(interval(who, FLAT[stage], now, now + time));
            spent[stage] += time;
            // What follows the last one is not known.
            let gap = if at + 1 < pieces.len() { gap } else { 0 };
            gaps += gap;
            now += time + gap;
        }
        // What holds them adds nothing.
        intervals.push(interval(who, Stage::PrepHeld, 17, now));
        let report = Report::of(&Recording::new(intervals, vec![], 0));
        let partition = &report.partitions[0];
        prop_assert_eq!(partition.wall, ms(now - 17));
        prop_assert_eq!(partition.unattributed, ms(gaps));
        prop_assert_eq!(partition.overlap, ms(0));
        prop_assert_eq!(sum(&partition.host), ms(spent.iter().sum()));
        for time in &partition.host {
            let at = FLAT.iter().position(|stage| *stage == time.stage).unwrap();
            prop_assert_eq!(time.time, ms(spent[at]));
        }
    }

    /// Any intervals: each moment counts once.
    #[test]
    fn overlaps_count_once(windows in windows(), stages in vec(0usize..4, 12)) {
        let who = Who::partition(0, 0).by(0);
        let made: Vec<Interval> = windows
            .iter()
            .zip(&stages)
            .map(|(&(start, end), stage)| interval(who, FLAT[*stage], start, end))
            .collect();
        prop_assume!(!made.is_empty());
        let all: Duration = made.iter().map(Interval::time).sum();
        let report = Report::of(&Recording::new(made, vec![], 0));
        let partition = &report.partitions[0];
        let covered = set(bitmap(&windows));
        prop_assert_eq!(sum(&partition.host), covered);
        prop_assert_eq!(partition.wall, covered + partition.unattributed);
        prop_assert_eq!(partition.overlap, all - covered);
    }

    /// Kernels, copies alone and idleness are a device's wall time.
    #[test]
    fn devices_add_up(kernels in windows(), copies in windows()) {
        let at = |worker| Who::partition(0, worker).at(0, worker);
        let made = |stage, windows: &[(u64, u64)]| -> Vec<Interval> {
            let made = windows.iter().enumerate();
            let at = |number: usize| at(number as u32 % 3);
            made.map(|(number, &(start, end))| interval(at(number), stage, start, end)).collect()
        };
        let intervals = [made(Stage::MsmC, &kernels), made(Stage::Upload, &copies)].concat();
        prop_assume!(!intervals.is_empty());
        let report = Report::of(&Recording::new(intervals, vec![], 0));
        let run = report.devices[0].run;
        let (kernels, copies) = (bitmap(&kernels), bitmap(&copies));
        prop_assert_eq!(run.kernels, set(kernels.clone()));
        prop_assert_eq!(run.copies, set(copies.clone()));
        let alone = kernels.iter().zip(&copies).map(|(kernel, copy)| *copy && !kernel);
        prop_assert_eq!(run.copies_alone, set(alone));
        prop_assert_eq!(run.wall, run.kernels + run.copies_alone + run.idle);
        prop_assert_eq!(run.wall, report.wall);
    }
}
