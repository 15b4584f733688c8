//! Recordings that are made up.

use std::time::Duration;

use crate::pipeline::timeline::{Interval, Lane, Placement, Recording, Stage, Who};

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// An interval on its stage's lane.
pub fn interval(who: Who, stage: Stage, start: u64, end: u64) -> Interval {
    let lane = match stage {
        Stage::Upload | Stage::KeyUpload => Lane::Copy,
        Stage::Download => Lane::Compute,
        _ if stage.kind().is_flat() || matches!(stage, Stage::PrepHeld | Stage::ComputeHeld) => {
            Lane::of_host(stage)
        }
        _ => Lane::Compute,
    };
    Interval::new(who, lane, stage, ms(start), ms(end))
}

/// Two partitions on one device, a worker each. Partition 0 has a millisecond that is none of its waits
/// and works; partition 1 has three that are two works.
pub fn two() -> Recording {
    use Stage::*;
    let first = Who::partition(1, 0).at(0, 0);
    let second = Who::partition(1, 1).at(0, 1);
    let mut intervals: Vec<Interval> = [
        (QueueWait, 0, 10),
        (Witness, 10, 30),
        (PrepWait, 30, 32),
        (PrepHeld, 32, 40),
        (Enqueue, 32, 34),
        (CopyWait, 34, 40),
        (ComputeWait, 41, 45),
        (ComputeHeld, 45, 80),
        (Enqueue, 45, 47),
        (DeviceWait, 47, 80),
        (Epilogue, 80, 83),
        (Check, 83, 90),
        (Rows, 46, 50),
        (Ntt, 50, 60),
        (MsmH, 60, 70),
        (Gather, 70, 71),
        (MsmA, 71, 75),
        (MsmB2, 75, 78),
    ]
    .map(|(stage, start, end)| interval(first, stage, start, end))
    .into();
    intervals.push(interval(first, Upload, 33, 39).bytes(1000));
    intervals.push(interval(first, Download, 78, 79).bytes(50));
    intervals.extend(
        [
            (QueueWait, 0, 20),
            (Witness, 20, 50),
            (PrepHeld, 50, 60),
            (Enqueue, 50, 52),
            (CopyWait, 52, 60),
            (ComputeWait, 60, 82),
            (ComputeHeld, 82, 110),
            (Enqueue, 82, 83),
            (DeviceWait, 83, 110),
            (Epilogue, 110, 115),
            (Check, 112, 119),
            (Rows, 84, 88),
            (Ntt, 88, 100),
            (MsmH, 100, 108),
        ]
        .map(|(stage, start, end)| interval(second, stage, start, end)),
    );
    intervals.push(interval(second, Upload, 51, 59).bytes(2000));
    intervals.push(interval(second, Download, 108, 109).bytes(60));
    let error = Duration::from_micros(12);
    Recording::new(intervals, vec![Placement { device: 0, error, drift: None }], 0)
}

/// So many partitions of one proof, on one device, by two workers that prepare beside each other and
/// compute one after the other; times in ms, with a pattern in place of chance.
pub fn run(partitions: u32) -> Recording {
    use Stage::*;
    let mut intervals = Vec::new();
    // When the workers are free, and the locks.
    let (mut free, mut prep, mut compute) = ([0; 2], 0, 0);
    for partition in 0..partitions {
        let worker = usize::from(free[1] < free[0]);
        let who = Who::partition(1, partition).at(0, worker as u32);
        let vary = |most: u64| u64::from(partition * 7 % 5) * most / 4;
        let picked = free[worker];
        let made = picked + 210 + vary(60);
        let prepared = made.max(prep);
        let copied = prepared + 4 + 110 + vary(10);
        prep = copied;
        let computed = copied.max(compute);
        let kernels = [
            (Rows, 18),
            (Ntt, 92),
            (Quotient, 6),
            (MsmH, 148 + vary(20)),
            (Gather, 5),
            (MsmA, 71),
            (MsmB1, 40),
            (MsmB2, 66 + vary(12)),
            (MsmC, 58),
        ];
        let mut now = computed + 1;
        for (stage, time) in kernels {
            intervals.push(interval(who, stage, now, now + time));
            now += time;
        }
        intervals.push(interval(who, Download, now, now + 1).bytes(1 << 16));
        let done = now + 2;
        compute = done;
        intervals.push(interval(who, Upload, prepared + 2, copied - 1).bytes(4 << 30));
        let host = [
            (QueueWait, 0, picked),
            (Witness, picked, made),
            (PrepWait, made, prepared),
            (PrepHeld, prepared, copied),
            (Enqueue, prepared, prepared + 2),
            (CopyWait, prepared + 2, copied),
            (ComputeWait, copied, computed),
            (ComputeHeld, computed, done),
            (Enqueue, computed, computed + 7),
            (DeviceWait, computed + 7, done),
            (Epilogue, done, done + 9),
            (Check, done + 9, done + 24),
        ];
        intervals.extend(
            host.into_iter()
                .filter(|(_, start, end)| start < end)
                .map(|(stage, start, end)| interval(who, stage, start, end)),
        );
        free[worker] = done + 24;
    }
    let error = Duration::from_nanos(9_400);
    Recording::new(intervals, vec![Placement { device: 0, error, drift: None }], 0)
}
