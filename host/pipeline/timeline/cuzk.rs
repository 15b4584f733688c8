//! A recording in the terms of cuzk's logs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::interval::Interval;
use super::millis;
use super::recording::Recording;
use super::report::Report;
use super::spread::Spread;
use super::stage::{Lane, Stage};
use super::table;
use super::union::Union;

/// A term, and what it covers here.
struct Term {
    name: &'static str,
    covers: &'static str,
    time: fn(&Partition<'_>) -> Option<Duration>,
}

/// The terms, those that a partition's sum is made of first.
const TERMS: [Term; 12] = [
    Term {
        name: "ntt_msm_h",
        covers: "kernels rows, ntt, quotient and msm_h, by events",
        time: |own| own.union(&NTT_MSM_H),
    },
    Term {
        name: "barrier_wait",
        covers: "barrier_wait of the host; there is no prep_msm to wait for",
        time: |own| own.union(&[Stage::BarrierWait]),
    },
    Term {
        name: "batch_add",
        covers: "nothing: scalars of 1 are summed in tail_msm",
        time: |_| None,
    },
    Term {
        name: "tail_msm",
        covers: "kernels gather, msm_a, msm_b1 and msm_c, by events",
        time: |own| own.union(&TAIL_MSM),
    },
    Term {
        name: "gpu_total",
        covers: "the time in which any of the four above goes on: their sum, if they are apart",
        time: |own| own.union(&[&NTT_MSM_H[..], &TAIL_MSM, &[Stage::BarrierWait]].concat()),
    },
    Term {
        name: "prep_msm",
        covers: "nothing: kernels of the sums split the digits",
        time: |_| None,
    },
    Term {
        name: "b_g2_msm",
        covers: "kernels msm_b2, by events; on the stream of gpu_total, not beside it",
        time: |own| own.union(&[Stage::MsmB2]),
    },
    Term {
        name: "pre_lock_cpu",
        covers: "from GPU_PICKUP to the start of mutex_wait, or of mutex_held: witness and upload",
        time: |own| own.pre_lock(),
    },
    Term {
        name: "mutex_wait",
        covers: "compute_wait of the host: the turn and the compute lock",
        time: |own| own.union(&[Stage::ComputeWait]),
    },
    Term {
        name: "mutex_held",
        covers: "compute_held of the host",
        time: |own| own.union(&[Stage::ComputeHeld]),
    },
    Term {
        name: "total_start_fn",
        covers: "pre_lock_cpu + mutex_wait + mutex_held",
        time: |own| own.total_start(),
    },
    Term {
        name: "pre_destructor",
        covers: "from GPU_PICKUP to the end of the epilogue",
        time: |own| Some(own.last(&[Stage::Epilogue])?.saturating_sub(own.pickup()?)),
    },
];

const NTT_MSM_H: [Stage; 4] = [Stage::Rows, Stage::Ntt, Stage::Quotient, Stage::MsmH];
const TAIL_MSM: [Stage; 4] = [Stage::Gather, Stage::MsmA, Stage::MsmB1, Stage::MsmC];
const COMPUTE: [Stage; 9] = [
    Stage::Rows,
    Stage::Ntt,
    Stage::Quotient,
    Stage::Gather,
    Stage::MsmH,
    Stage::MsmA,
    Stage::MsmB1,
    Stage::MsmB2,
    Stage::MsmC,
];

/// A moment, and what it is here.
struct Event {
    name: &'static str,
    is: &'static str,
    at: fn(&Partition<'_>) -> Option<Duration>,
}

const EVENTS: [Event; 6] = [
    Event {
        name: "GPU_QUEUE",
        is: "queue_wait begins; before the witness is made, where cuzk queues after it",
        at: |own| own.first(&[Stage::QueueWait]),
    },
    Event {
        name: "GPU_PICKUP",
        is: "a worker takes the partition: queue_wait ends, or its first interval begins",
        at: |own| own.pickup(),
    },
    Event { name: "SYNTH_START", is: "witness begins", at: |own| own.first(&[Stage::Witness]) },
    Event { name: "SYNTH_END", is: "witness ends", at: |own| own.last(&[Stage::Witness]) },
    Event {
        name: "GPU_START",
        is: "the first kernel begins, by events",
        at: |own| own.first(&COMPUTE),
    },
    Event { name: "GPU_END", is: "the last kernel ends, by events", at: |own| own.last(&COMPUTE) },
];

/// What is recorded of a partition.
struct Partition<'a>(Vec<&'a Interval>);

impl Partition<'_> {
    fn of(&self, stages: &[Stage]) -> impl Iterator<Item = &Interval> {
        self.0.iter().filter(|interval| stages.contains(&interval.stage)).copied()
    }

    fn union(&self, stages: &[Stage]) -> Option<Duration> {
        self.of(stages).next()?;
        Some(Union::of(self.of(stages)).time())
    }

    fn first(&self, stages: &[Stage]) -> Option<Duration> {
        self.of(stages).map(|interval| interval.start).min()
    }

    fn last(&self, stages: &[Stage]) -> Option<Duration> {
        self.of(stages).map(|interval| interval.end).max()
    }

    fn pickup(&self) -> Option<Duration> {
        let own = self.0.iter().filter(|interval| interval.lane == Lane::Host);
        self.last(&[Stage::QueueWait]).or_else(|| own.map(|interval| interval.start).min())
    }

    fn pre_lock(&self) -> Option<Duration> {
        let lock = self.first(&[Stage::ComputeWait, Stage::ComputeHeld])?;
        Some(lock.saturating_sub(self.pickup()?))
    }

    fn total_start(&self) -> Option<Duration> {
        let held = self.union(&[Stage::ComputeHeld])?;
        let waited = self.union(&[Stage::ComputeWait]).unwrap_or_default();
        Some(self.pre_lock()? + waited + held)
    }
}

impl Recording {
    /// The partitions of a report in the terms of cuzk's logs, each with what it really covers here,
    /// and the events of each partition as its `TIMELINE` lines: milliseconds since the start of
    /// the timeline, event, proof, partition.
    #[must_use]
    pub fn to_cuzk(&self, report: &Report) -> String {
        let mut own: BTreeMap<_, Partition<'_>> = BTreeMap::new();
        for interval in self.intervals() {
            own.entry(interval.who.subject()).or_insert(Partition(vec![])).0.push(interval);
        }
        let mut text = format!("{:<16}{}\n", "ms a partition", table::columns());
        for Term { name, time, .. } in TERMS {
            let kept = report.partitions.iter().filter(|partition| partition.kept);
            let times = kept.filter_map(|p| time(own.get(&(p.proof, Some(p.partition)))?));
            let none = || format!("{:>12}", 0);
            let columns = Spread::of(times).as_ref().map_or_else(none, table::spread);
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:<16}{columns}");
        }
        for placement in self.placements() {
            let _ = writeln!(text, "{}", table::placement(placement));
        }
        text.push_str("\nwhat they cover here\n");
        for Term { name, covers, .. } in TERMS {
            let _ = writeln!(text, "{name:<16}{covers}");
        }
        text.push_str("\nwhat the events are here\n");
        for Event { name, is, .. } in EVENTS {
            let _ = writeln!(text, "{name:<16}{is}");
        }
        text.push('\n');
        let mut moments = Vec::new();
        for partition in &report.partitions {
            let Some(own) = own.get(&(partition.proof, Some(partition.partition))) else {
                continue;
            };
            for (order, Event { name, at, .. }) in EVENTS.iter().enumerate() {
                let proof = partition.proof.unwrap_or_default();
                moments.extend(at(own).map(|at| (at, proof, partition.partition, order, *name)));
            }
        }
        moments.sort_unstable();
        for (at, proof, partition, _, name) in moments {
            let at = millis::text(at);
            let _ = writeln!(text, "TIMELINE,{at},{name},{proof},partition={partition}");
        }
        text
    }
}
