//! A recording as a trace that Perfetto and Chrome open.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::interval::{Interval, Who};
use super::recording::Recording;
use super::stage::{Clock, Kind, Lane};
use super::table;

/// The process of the host; a device's comes after it, by its number.
const HOST: u64 = 1;

/// Threads count from here, over all processes, so that none has a process's number.
const FIRST_THREAD: u64 = 1000;

/// A worker's lane, or the queue.
type Thread = (u64, Option<u32>, Option<u32>, Lane);

fn thread(interval: &Interval) -> Thread {
    let Who { device, worker, .. } = interval.who;
    match (interval.lane, interval.lane.clock()) {
        (Lane::Queue, _) => (HOST, None, None, Lane::Queue),
        (lane, Clock::Host) => (HOST, device, worker, lane),
        (lane, Clock::Device) => (process(device), device, worker, lane),
    }
}

fn process(device: Option<u32>) -> u64 {
    HOST + 1 + u64::from(device.unwrap_or_default())
}

fn thread_name((process, device, worker, lane): Thread) -> String {
    let worker = worker.map(|worker| format!("worker {worker} "));
    let device = device.filter(|_| process == HOST).map(|device| format!("device {device} "));
    format!("{}{}{lane}", device.unwrap_or_default(), worker.unwrap_or_default())
}

fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

fn arguments(interval: &Interval) -> Value {
    let Who { proof, partition, .. } = interval.who;
    let mut arguments = json!({ "clock": interval.lane.clock() });
    if let Some(proof) = proof {
        arguments["proof"] = proof.into();
    }
    if let Some(partition) = partition {
        arguments["partition"] = partition.into();
    }
    if interval.stage.kind() == Kind::Copy {
        arguments["bytes"] = interval.bytes.into();
    }
    arguments
}

impl Recording {
    /// The trace: a process for the host and one for each device, a thread for each lane of each
    /// worker. Partitions that wait in the queue are asynchronous events of the host.
    #[must_use]
    pub fn to_trace(&self) -> String {
        let mut threads: BTreeMap<Thread, u64> = BTreeMap::new();
        for interval in self.intervals() {
            threads.insert(thread(interval), 0);
        }
        for (number, thread) in (FIRST_THREAD..).zip(threads.values_mut()) {
            *thread = number;
        }
        let mut events = self.names(&threads);
        for (number, interval) in self.intervals().iter().enumerate() {
            events.extend(event(interval, number, &threads));
        }
        let placements = self.placements().iter();
        let placements: BTreeMap<String, String> =
            placements.map(|p| (format!("device {}", p.device), table::placement(p))).collect();
        json!({ "traceEvents": events, "displayTimeUnit": "ms", "otherData": placements })
            .to_string()
    }

    /// The names and the order of processes and threads.
    fn names(&self, threads: &BTreeMap<Thread, u64>) -> Vec<Value> {
        let named = |name: &str, process: u64, thread: u64, args: Value| json!({ "ph": "M", "name": name, "pid": process, "tid": thread, "args": args });
        let mut events = Vec::new();
        let mut last = None;
        for (&of, &number) in threads {
            let process = of.0;
            if last.replace(process) != Some(process) {
                let name = match of.1.filter(|_| process != HOST) {
                    None => "host".to_owned(),
                    Some(device) => match self.placement(device) {
                        None => format!("device {device}"),
                        Some(known) => format!("device {device} (±{:.1} µs)", micros(known.error)),
                    },
                };
                events.push(named("process_name", process, number, json!({ "name": name })));
                events.push(named(
                    "process_sort_index",
                    process,
                    number,
                    json!({ "sort_index": process }),
                ));
            }
            events.push(named("thread_name", process, number, json!({ "name": thread_name(of) })));
            events.push(named(
                "thread_sort_index",
                process,
                number,
                json!({ "sort_index": number }),
            ));
        }
        events
    }
}

/// An interval's event, or its two.
fn event(interval: &Interval, number: usize, threads: &BTreeMap<Thread, u64>) -> Vec<Value> {
    let of = thread(interval);
    let mut event = json!({
        "name": interval.stage,
        "cat": interval.stage.kind(),
        "ph": "X",
        "ts": micros(interval.start),
        "dur": micros(interval.time()),
        "pid": of.0,
        "tid": threads[&of],
        "args": arguments(interval),
    });
    if interval.lane != Lane::Queue {
        return vec![event];
    }
    // Any number at once, which one thread cannot show.
    event["ph"] = "b".into();
    event["id"] = number.into();
    if let Some(fields) = event.as_object_mut() {
        fields.remove("dur");
    }
    let mut end = event.clone();
    end["ph"] = "e".into();
    end["ts"] = micros(interval.end).into();
    vec![event, end]
}
