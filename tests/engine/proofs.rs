//! Proofs are right, whoever makes them.

use warpfield::gpu::emulator::Call;
use warpfield::pipeline::engine::{Engine, Options};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::timeline::{Kind, Report, Stage, Timeline};

use crate::support::{Circuit, device, engine, options};

#[test]
fn those_of_the_cpu_with_every_lock() {
    let circuits = [Circuit::new(2, 0), Circuit::new(5, 1)];
    let keys = [circuits[0].key(), circuits[1].key()];
    for (strategy, workers, slots) in [
        (Strategy::Two, 1, 1),
        (Strategy::Two, 2, 2),
        (Strategy::Two, 3, 1),
        (Strategy::Single, 2, 2),
        (Strategy::None, 2, 2),
        (Strategy::None, 3, 2),
    ] {
        let engine = Engine::new(&[device()], &keys, &options(strategy, workers, slots)).unwrap();
        let start = |i: u32| {
            let circuit = i as usize % 2;
            engine.start(circuits[circuit].request(circuit, i)).unwrap()
        };
        let handles: Vec<_> = (0..3).map(start).collect();
        for (i, handle) in (0..).zip(handles) {
            let expected = circuits[i as usize % 2].expected(i);
            assert!(handle.finish().unwrap() == expected, "{strategy}, {workers}, {slots}: {i}");
        }
    }
}

#[test]
fn on_two_devices() {
    let circuit = Circuit::new(3, 1);
    let devices = [device(), device()];
    let engine = Engine::new(&devices, &[circuit.key()], &Options::default()).unwrap();
    let handles: Vec<_> = (0..4).map(|i| engine.start(circuit.request(0, i)).unwrap()).collect();
    for (i, handle) in (0..).zip(handles) {
        assert!(handle.finish().unwrap() == circuit.expected(i));
    }
    let launches = devices.map(|device| device.as_emulated().unwrap().calls(Call::Launch));
    assert!(launches.iter().all(|&launches| launches > 0), "{launches:?}");
}

/// Nor freed, and no wait is for the whole device.
#[test]
fn nothing_is_allocated_on_the_way() {
    let circuit = Circuit::new(3, 0);
    let device = device();
    let emulated = device.as_emulated().unwrap();
    for strategy in Strategy::ALL {
        let engine = engine(&device, &circuit, &options(strategy, 2, 2));
        let prove = |i| {
            let handles = [i, i + 1].map(|i| engine.start(circuit.request(0, i)).unwrap());
            handles.into_iter().for_each(|handle| assert!(handle.finish().is_ok()));
        };
        let calls = [Call::Alloc, Call::Free, Call::Synchronize];
        let counts = || (calls.map(|call| emulated.calls(call)), emulated.free_memory());
        let before = counts();
        prove(0);
        prove(2);
        assert_eq!(counts(), before, "{strategy}");
    }
}

#[test]
fn a_call_that_fails_costs_its_partition() {
    let circuit = Circuit::new(2, 0);
    let device = device();
    let emulated = device.as_emulated().unwrap();
    let engine = engine(&device, &circuit, &Options::default());
    let expected = circuit.expected(0);
    let prove = || engine.start(circuit.request(0, 0)).unwrap().finish();
    assert!(prove().unwrap() == expected);
    for call in [Call::Copy, Call::Launch] {
        let before = emulated.calls(call);
        assert!(prove().unwrap() == expected);
        let count = emulated.calls(call) - before;
        for k in [0, 1, 2, count / 3, count / 2, count - 1] {
            emulated.fail_at(call, emulated.calls(call) + k);
            let error = prove().expect_err("it was to fail").to_string();
            assert!(error.contains(&format!("{call} number")), "{error}");
            assert!(prove().unwrap() == expected, "after {call} {k} of {count}");
        }
    }
}

/// What the timeline says adds up.
#[test]
fn a_timeline() {
    let circuit = Circuit::new(3, 0);
    for strategy in Strategy::ALL {
        let timeline = Timeline::on();
        let mut options = options(strategy, 2, 2);
        options.timeline = timeline.clone();
        let engine = engine(&device(), &circuit, &options);
        let handles = [0, 1].map(|i| engine.start(circuit.request(0, i)).unwrap());
        handles.into_iter().for_each(|handle| assert!(handle.finish().is_ok()));
        drop(engine);

        let recording = timeline.recording();
        let report = Report::of(&recording);
        assert_eq!((report.partitions.len(), report.lost), (2, 0));
        assert!(report.unattributed_share() < 0.01, "{report}");
        assert!(report.overlap().is_zero(), "{report}");
        let of_kind = |kind| move |stage: &Stage| stage.kind() == kind;
        for stage in Stage::ALL.iter().filter(|stage| of_kind(Kind::Kernel)(stage)) {
            let found = report.stages.iter().find(|report| report.stage == *stage);
            assert_eq!(found.map(|report| report.time.count), Some(2), "{stage}");
        }
        let held: Vec<_> = recording
            .intervals()
            .iter()
            .filter(|interval| interval.stage == Stage::ComputeHeld)
            .collect();
        assert_eq!(held.len(), if strategy == Strategy::None { 0 } else { 2 });
        let slack = recording.placements()[0].error;
        for interval in recording.intervals() {
            let lock = held.iter().find(|held| held.who == interval.who);
            if let (Kind::Kernel, Some(held)) = (interval.stage.kind(), lock) {
                assert!(held.start <= interval.start + slack, "{interval:?}, {held:?}");
                assert!(interval.end <= held.end + slack, "{interval:?}, {held:?}");
            }
        }
        if let [one, other] = &held[..] {
            assert!(one.end <= other.start || other.end <= one.start, "{held:?}");
        }
    }
}
