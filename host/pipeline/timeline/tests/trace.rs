//! The trace.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::made_up;
use crate::pipeline::timeline::{Interval, Lane, Recording, Stage, Who};

fn events(recording: &Recording) -> Vec<Value> {
    let trace: Value = serde_json::from_str(&recording.to_trace()).unwrap();
    trace["traceEvents"].as_array().unwrap().clone()
}

/// Names by process and thread.
fn names(events: &[Value], what: &str) -> BTreeMap<(u64, u64), String> {
    let named = events.iter().filter(|event| event["ph"] == "M" && event["name"] == what);
    let name = |event: &Value| {
        let place = [&event["pid"], &event["tid"]].map(|number| number.as_u64().unwrap());
        (place.into(), event["args"]["name"].as_str().unwrap().to_owned())
    };
    named.map(name).collect()
}

#[test]
fn a_thread_for_each_lane() {
    let recording = made_up::two();
    let events = events(&recording);
    let processes: BTreeSet<_> = names(&events, "process_name")
        .into_iter()
        .map(|((process, _), name)| (process, name))
        .collect();
    assert_eq!(processes, [(1, "host".into()), (2, "device 0 (±12.0 µs)".into())].into());
    let threads = names(&events, "thread_name");
    let listed: Vec<(u64, &str)> =
        threads.iter().map(|((process, _), name)| (*process, name.as_str())).collect();
    let expected = [
        (1, "queue"),
        (1, "device 0 worker 0 host"),
        (1, "device 0 worker 0 locks"),
        (1, "device 0 worker 1 host"),
        (1, "device 0 worker 1 locks"),
        (2, "worker 0 copy"),
        (2, "worker 0 compute"),
        (2, "worker 1 copy"),
        (2, "worker 1 compute"),
    ];
    assert_eq!(listed, expected);
    let numbers: BTreeSet<u64> = threads.keys().map(|(_, thread)| *thread).collect();
    assert_eq!(numbers.len(), threads.len());

    // Every interval in its lane.
    for interval in recording.intervals().iter().filter(|i| i.lane != Lane::Queue) {
        let event = events
            .iter()
            .find(|event| {
                let [partition, time] = [&event["args"]["partition"], &event["ts"]];
                event["name"] == interval.stage.name()
                    && *partition == json!(interval.who.partition)
                    && time.as_f64() == Some(interval.start.as_micros() as f64)
            })
            .unwrap_or_else(|| panic!("{interval:?}"));
        assert_eq!((&event["ph"], &event["args"]["proof"]), (&"X".into(), &1.into()));
        assert_eq!(event["dur"].as_f64(), Some(interval.time().as_micros() as f64));
        assert_eq!(event["cat"], json!(interval.stage.kind()));
        assert_eq!(event["args"]["clock"], json!(interval.lane.clock()));
        let thread = [&event["pid"], &event["tid"]].map(|number| number.as_u64().unwrap()).into();
        let name = &threads[&thread];
        let [worker, lane] = [interval.who.worker.unwrap().to_string(), interval.lane.to_string()];
        assert!(name.ends_with(&format!("worker {worker} {lane}")), "{name}: {interval:?}");
    }
    let bytes: u64 = events.iter().filter_map(|event| event["args"]["bytes"].as_u64()).sum();
    assert_eq!(bytes, 3110);
}

#[test]
fn what_waits_in_the_queue_is_asynchronous() {
    let events = events(&made_up::two());
    let queued: Vec<&Value> = events.iter().filter(|event| event["name"] == "queue_wait").collect();
    assert_eq!(queued.len(), 4);
    let ids: BTreeSet<u64> = queued.iter().map(|event| event["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    for id in ids {
        let [begin, end] = ["b", "e"].map(|phase| {
            let mut found = queued.iter().filter(|e| e["id"] == id && e["ph"] == phase);
            found.next().unwrap()
        });
        let ends = if begin["args"]["partition"] == 0 { 10e3 } else { 20e3 };
        assert_eq!((begin["ts"].as_f64(), end["ts"].as_f64()), (Some(0.0), Some(ends)));
        assert!(begin.get("dur").is_none());
    }
}

#[test]
fn threads_nest() {
    let mut threads: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
    for event in events(&made_up::run(10)).iter().filter(|event| event["ph"] == "X") {
        let [start, time] = [&event["ts"], &event["dur"]].map(|time| time.as_f64().unwrap());
        threads.entry(event["tid"].as_u64().unwrap()).or_default().push((start, start + time));
    }
    assert_eq!(threads.len(), 8);
    for times in threads.values() {
        let apart = |pair: &[(f64, f64)]| pair[0].1 <= pair[1].0;
        assert!(times.windows(2).all(apart), "{times:?}");
    }
}

#[test]
fn devices_and_proofs_apart() {
    let at = |proof, device| Who::partition(proof, 0).at(device, 0);
    let time = made_up::ms;
    let intervals = vec![
        Interval::new(at(1, 0), Lane::Compute, Stage::Ntt, time(0), time(3)),
        Interval::new(at(2, 1), Lane::Compute, Stage::Ntt, time(1), time(2)),
        Interval::new(Who::proof(2), Lane::Host, Stage::Output, time(3), time(4)),
    ];
    let recording = Recording::new(intervals, vec![], 0);
    let events = events(&recording);
    let processes: Vec<String> = names(&events, "process_name").into_values().collect();
    assert_eq!(processes, ["host", "device 0", "device 1"]);
    let output = events.iter().find(|event| event["name"] == "output").unwrap();
    assert_eq!(output["args"], json!({ "clock": "host", "proof": 2 }));
    let trace: Value = serde_json::from_str(&made_up::two().to_trace()).unwrap();
    assert!(trace["otherData"]["device 0"].as_str().unwrap().contains("±12.0 µs"));
}
