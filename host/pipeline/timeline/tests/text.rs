//! The table, the JSON lines, and cuzk's terms.

use serde_json::Value;

use super::made_up;
use crate::pipeline::timeline::{Interval, Lane, Options, Recording, Report, Stage, Who};

/// The words of the line that begins so.
#[track_caller]
fn words<'a>(text: &'a str, begins: &str) -> Vec<&'a str> {
    let mut lines = text.lines().filter(|line| {
        let line = line.trim_start();
        line.strip_prefix(begins).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let line = lines.next().unwrap_or_else(|| panic!("{begins}: {text}"));
    line.trim_start()[begins.len()..].split_whitespace().collect()
}

#[test]
fn the_table_says_it_all() {
    let recording = made_up::two();
    let text = Report::of(&recording).to_string();
    assert!(text.starts_with("2 partitions of 1 proof in 119.000 ms\n"), "{text}");
    assert_eq!(words(&text, "wall"), ["2", "90.000", "90.000", "119.000", "119.000"]);
    assert_eq!(words(&text, "witness"), ["2", "20.000", "20.000", "30.000", "30.000"]);
    assert_eq!(words(&text, "compute_held"), ["2", "28.000", "28.000", "35.000", "35.000"]);
    assert_eq!(words(&text, "msm_b2"), ["1", "3.000", "3.000", "3.000", "3.000"]);
    assert_eq!(words(&text, "unattributed"), ["2", "0.000", "0.000", "1.000", "1.000"]);
    let worker = ["1", "0.000", "2.000", "8.000", "4.000", "35.000"];
    assert_eq!(words(&text, "device 0 worker 0"), worker);
    let run = "the whole run: 119.000 ms = kernels 56.000 (47.1 %) + copies alone 8.000 (6.7 %) + \
               idle 55.000 (46.2 %)";
    assert!(text.contains(run), "{text}");
    let steady =
        "from the first kernel of 2 partitions to the last: 62.000 ms = kernels 56.000 (90.3 %)";
    assert!(text.contains(steady), "{text}");
    assert!(text.contains("3.000 kB to the device, 110 bytes from it"), "{text}");
    assert!(text.contains("placed on the host's clock to ±12.0 µs"), "{text}");
    assert!(text.contains("unattributed 0.48 % of it"), "{text}");
    assert!(text.contains("3.000 ms are recorded as two waits or works"), "{text}");
    assert!(!text.contains("not recorded") && !text.contains("in no distribution"), "{text}");
    // Every stage that occurs, and no other.
    for stage in Stage::ALL {
        let occurs = recording.intervals().iter().any(|interval| interval.stage == stage);
        let line =
            text.lines().any(|line| line.trim_start().split(' ').next() == Some(stage.name()));
        assert_eq!(line, occurs, "{stage}: {text}");
    }
}

#[test]
fn the_table_tells_what_is_missing() {
    let recording = Recording::new(made_up::run(4).intervals().to_vec(), vec![], 2);
    let text =
        Report::with(&recording, Options { skip_first: 1, ..Options::default() }).to_string();
    assert!(text.contains("2 device intervals not recorded"), "{text}");
    assert!(
        text.contains("; 1 of them, the first or last of a device, are in no distribution"),
        "{text}"
    );
    assert_eq!(words(&text, "wall")[0], "3");
    assert!(!text.contains("two waits or works"), "{text}");
}

#[test]
fn lines_hold_every_interval() {
    let recording = made_up::two();
    let report = Report::of(&recording);
    let mut out = Vec::new();
    recording.write_lines(&report, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of =
        |what: &str| -> Vec<&Value> { lines.iter().filter(|line| line["type"] == what).collect() };
    let intervals = of("interval");
    assert_eq!(lines.len(), intervals.len() + 2);
    let read: Vec<Interval> =
        intervals.iter().map(|line| serde_json::from_value((**line).clone()).unwrap()).collect();
    assert_eq!(read, recording.intervals());
    let upload = intervals.iter().find(|line| line["stage"] == "upload").unwrap();
    let expected = serde_json::json!({
        "type": "interval", "proof": 1, "partition": 0, "worker": 0, "device": 0, "lane": "copy",
        "stage": "upload", "kind": "copy", "clock": "device", "start_ms": 33.0, "end_ms": 39.0,
        "bytes": 1000,
    });
    assert_eq!(**upload, expected);
    let witness = intervals.iter().find(|line| line["stage"] == "witness").unwrap();
    assert_eq!((&witness["clock"], &witness["kind"]), (&"host".into(), &"work".into()));
    let [placement] = of("placement")[..] else { panic!("{text}") };
    assert_eq!((&placement["device"], &placement["error_ms"]), (&0.into(), &0.012.into()));
    let [summary] = of("summary")[..] else { panic!("{text}") };
    assert_eq!(serde_json::from_value::<Report>(summary.clone()).unwrap(), report);
}

#[test]
fn a_writer_that_fails_is_an_error() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let recording = made_up::two();
    assert!(recording.write_lines(&Report::of(&recording), Full).is_err());
}

#[test]
fn cuzk_terms_are_theirs() {
    let recording = made_up::two();
    let text = recording.to_cuzk(&Report::of(&recording));
    for (term, expected) in [
        ("ntt_msm_h", ["2", "24.000", "24.000", "24.000", "24.000"]),
        ("tail_msm", ["1", "5.000", "5.000", "5.000", "5.000"]),
        ("gpu_total", ["2", "24.000", "24.000", "29.000", "29.000"]),
        ("b_g2_msm", ["1", "3.000", "3.000", "3.000", "3.000"]),
        ("pre_lock_cpu", ["2", "31.000", "31.000", "40.000", "40.000"]),
        ("mutex_wait", ["2", "4.000", "4.000", "22.000", "22.000"]),
        ("mutex_held", ["2", "28.000", "28.000", "35.000", "35.000"]),
        ("total_start_fn", ["2", "70.000", "70.000", "90.000", "90.000"]),
        ("pre_destructor", ["2", "73.000", "73.000", "95.000", "95.000"]),
    ] {
        assert_eq!(words(&text, term), expected, "{term}");
    }
    for term in ["barrier_wait", "batch_add", "prep_msm"] {
        assert_eq!(words(&text, term), ["0"]);
    }
    // Each again, with what it covers.
    let covers = &text[text.find("what they cover here").unwrap()..];
    assert!(words(covers, "gpu_total").len() > 5 && words(covers, "GPU_END").len() > 3, "{text}");
    assert!(text.contains("placed on the host's clock to ±12.0 µs"), "{text}");
    let events: Vec<&str> = text.lines().filter(|line| line.starts_with("TIMELINE,")).collect();
    let expected = [
        "TIMELINE,0.000,GPU_QUEUE,1,partition=0",
        "TIMELINE,0.000,GPU_QUEUE,1,partition=1",
        "TIMELINE,10.000,GPU_PICKUP,1,partition=0",
        "TIMELINE,10.000,SYNTH_START,1,partition=0",
        "TIMELINE,20.000,GPU_PICKUP,1,partition=1",
        "TIMELINE,20.000,SYNTH_START,1,partition=1",
        "TIMELINE,30.000,SYNTH_END,1,partition=0",
        "TIMELINE,46.000,GPU_START,1,partition=0",
        "TIMELINE,50.000,SYNTH_END,1,partition=1",
        "TIMELINE,78.000,GPU_END,1,partition=0",
        "TIMELINE,84.000,GPU_START,1,partition=1",
        "TIMELINE,108.000,GPU_END,1,partition=1",
    ];
    assert_eq!(events, expected);
}

#[test]
fn cuzk_terms_without_locks_and_queue() {
    let who = Who::partition(4, 1).at(0, 0);
    let intervals = vec![
        made_up::interval(who, Stage::Witness, 3, 5),
        made_up::interval(who, Stage::BarrierWait, 5, 9),
        made_up::interval(who, Stage::Epilogue, 9, 12),
        Interval::new(who, Lane::Compute, Stage::Ntt, made_up::ms(6), made_up::ms(8)),
        // Taken, but nothing is done with it at first.
        made_up::interval(Who::partition(4, 2).at(0, 1), Stage::QueueWait, 0, 2),
        made_up::interval(Who::partition(4, 2).at(0, 1), Stage::Witness, 4, 5),
    ];
    let recording = Recording::new(intervals, vec![], 0);
    let text = recording.to_cuzk(&Report::of(&recording));
    // The kernel lies beside the wait.
    assert_eq!(words(&text, "gpu_total")[1], "4.000");
    assert_eq!(words(&text, "barrier_wait")[1], "4.000");
    assert_eq!(words(&text, "pre_destructor")[1], "9.000");
    for term in ["pre_lock_cpu", "mutex_held", "total_start_fn", "tail_msm"] {
        assert_eq!(words(&text, term)[0], "0");
    }
    assert!(text.contains("TIMELINE,3.000,GPU_PICKUP,4,partition=1\n"), "{text}");
    assert!(text.contains("TIMELINE,2.000,GPU_PICKUP,4,partition=2\n"), "{text}");
    assert!(!text.contains("GPU_QUEUE,4,partition=1"), "{text}");
}
