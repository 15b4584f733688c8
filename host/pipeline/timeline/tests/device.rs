//! Marks and the device's clock, on the emulated device.

use std::thread;
use std::time::{Duration, Instant};

use super::made_up::ms;
use crate::gpu::{Device, DeviceBuffer, Stream, emulator};
use crate::pipeline::timeline::{
    DeviceClock, Interval, Lane, Marks, Recording, Stage, Timeline, Who,
};

const WHO: Who = Who { proof: Some(5), partition: Some(1), worker: Some(0), device: Some(3) };

/// A device whose clock intervals name as device 3, and a stream with something to work on.
struct Machine {
    device: Device,
    timeline: Timeline,
    clock: DeviceClock,
    stream: Stream,
    data: DeviceBuffer<u8>,
}

impl Machine {
    /// With work queued in an order of that seed.
    fn new(timeline: Timeline, seed: u64) -> Self {
        let device = Device::emulated(emulator::Config::default().seed(seed));
        let clock = DeviceClock::new(&device, 3).unwrap();
        let (stream, data) = (device.stream().unwrap(), device.alloc(1 << 12).unwrap());
        Self { device, timeline, clock, stream, data }
    }

    fn marks(&self, events: usize) -> Marks {
        Marks::new(&self.device, &self.timeline, events).unwrap()
    }

    fn work(&self, stream: &Stream) {
        stream.fill(&self.data, 1).unwrap();
    }

    /// Work up to a mark for each stage.
    fn run(&self, marks: &mut Marks, stages: &[Stage]) {
        marks.start(&self.stream).unwrap();
        for stage in stages {
            self.work(&self.stream);
            marks.mark(&self.stream, *stage).unwrap();
        }
    }

    fn read(&self, marks: &mut Marks) {
        marks.read(&self.clock, &self.timeline, WHO, Lane::Compute).unwrap();
    }

    fn intervals(&self) -> Vec<Interval> {
        self.timeline.recording().intervals().to_vec()
    }

    fn stages(&self) -> Vec<Stage> {
        self.intervals().iter().map(|interval| interval.stage).collect()
    }
}

#[test]
fn two_streams_lie_inside_what_the_host_saw() {
    let machine = Machine::new(Timeline::on(), 0);
    let copy = machine.device.stream().unwrap();
    let copied = machine.device.event().unwrap();
    let [mut copies, mut kernels] = [(); 2].map(|()| machine.marks(8));
    let before = machine.timeline.now().unwrap();
    let mut input = machine.device.alloc_pinned(1 << 12).unwrap();
    input.fill(7);
    copies.start(&copy).unwrap();
    let pending = copy.upload_pinned(&machine.data, input, ..).unwrap();
    copies.mark_bytes(&copy, Stage::Upload, 1 << 12).unwrap();
    copy.record(&copied).unwrap();
    machine.stream.wait(&copied).unwrap();
    machine.run(&mut kernels, &[Stage::Rows, Stage::Ntt, Stage::MsmH]);
    machine.stream.synchronize().unwrap();
    pending.wait().unwrap();
    let after = machine.timeline.now().unwrap();
    copies.read(&machine.clock, &machine.timeline, WHO, Lane::Copy).unwrap();
    machine.read(&mut kernels);

    let recording = machine.timeline.recording();
    let placement = recording.placement(3).unwrap();
    assert!(placement.error > Duration::ZERO && placement.error < ms(100), "{placement:?}");
    let [upload, rows, ntt, msm] = recording.intervals() else { panic!("{recording:?}") };
    let found = [upload, rows, ntt, msm].map(|interval| (interval.stage, interval.lane));
    let expected = [
        (Stage::Upload, Lane::Copy),
        (Stage::Rows, Lane::Compute),
        (Stage::Ntt, Lane::Compute),
        (Stage::MsmH, Lane::Compute),
    ];
    assert_eq!(found, expected);
    assert_eq!(
        [upload, rows].map(|interval| (interval.who, interval.bytes)),
        [(WHO, 1 << 12), (WHO, 0)]
    );
    // One after the other, without gaps within a stream.
    assert!(upload.end <= rows.start);
    assert_eq!((rows.end, ntt.end), (ntt.start, msm.start));
    assert!(upload.start + placement.error >= before, "{upload:?}, from {before:?}");
    assert!(msm.end <= after + placement.error, "{msm:?}, to {after:?}");
}

#[test]
fn marks_serve_again() {
    let machine = Machine::new(Timeline::on(), 0);
    // As many as one run takes.
    let mut marks = machine.marks(3);
    for count in 1..=5 {
        machine.run(&mut marks, &[Stage::Rows, Stage::Ntt]);
        machine.stream.synchronize().unwrap();
        machine.read(&mut marks);
        assert_eq!(machine.intervals().len(), 2 * count);
    }
    let intervals = machine.intervals();
    assert!(intervals.windows(2).all(|pair| pair[0].end <= pair[1].start), "{intervals:?}");
    assert_eq!(machine.timeline.recording().lost(), 0);
    // Nothing is left of them.
    machine.read(&mut marks);
    assert_eq!(machine.intervals().len(), 10);
}

#[test]
fn an_empty_pool_loses_what_is_last() {
    let machine = Machine::new(Timeline::on(), 0);
    let mut marks = machine.marks(3);
    machine.run(&mut marks, &[Stage::Rows, Stage::Ntt, Stage::MsmA, Stage::MsmC]);
    machine.stream.synchronize().unwrap();
    machine.read(&mut marks);
    assert_eq!(machine.stages(), [Stage::Rows, Stage::Ntt]);
    assert_eq!(machine.timeline.recording().lost(), 2);
    // Not twice.
    machine.read(&mut marks);
    assert_eq!(machine.timeline.recording().lost(), 2);
}

#[test]
fn a_pause_between_two_starts_is_nobodys() {
    let machine = Machine::new(Timeline::on(), 0);
    let mut marks = machine.marks(4);
    machine.run(&mut marks, &[Stage::Ntt]);
    machine.stream.synchronize().unwrap();
    let pause = Instant::now();
    thread::sleep(ms(2));
    let pause = pause.elapsed();
    machine.run(&mut marks, &[Stage::MsmC]);
    machine.stream.synchronize().unwrap();
    machine.read(&mut marks);
    let [ntt, msm] = machine.intervals()[..] else { panic!() };
    assert_eq!([ntt.stage, msm.stage], [Stage::Ntt, Stage::MsmC]);
    assert!(msm.start - ntt.end >= pause);
}

#[test]
fn what_has_no_start_is_lost() {
    let machine = Machine::new(Timeline::on(), 0);
    let mut marks = machine.marks(4);
    marks.mark(&machine.stream, Stage::Rows).unwrap();
    machine.run(&mut marks, &[Stage::Ntt]);
    machine.stream.synchronize().unwrap();
    machine.read(&mut marks);
    assert_eq!((machine.stages(), machine.timeline.recording().lost()), (vec![Stage::Ntt], 1));
}

#[test]
fn what_is_not_done_is_lost() {
    let stages = [Stage::Rows, Stage::Ntt, Stage::MsmC];
    let mut lost = 0;
    for seed in 0..16 {
        let machine = Machine::new(Timeline::on(), seed);
        let mut marks = machine.marks(4);
        machine.run(&mut marks, &stages);
        machine.read(&mut marks);
        let recording = machine.timeline.recording();
        assert_eq!(recording.intervals().len() as u64 + recording.lost(), 3);
        assert_eq!(machine.stages(), stages[..recording.intervals().len()]);
        lost += recording.lost();
    }
    assert!(lost > 0);
}

#[test]
fn failed_partitions_leave_nothing() {
    let machine = Machine::new(Timeline::on(), 0);
    let mut marks = machine.marks(3);
    machine.run(&mut marks, &[Stage::Rows, Stage::Ntt, Stage::MsmA]);
    marks.clear();
    machine.run(&mut marks, &[Stage::MsmB1, Stage::MsmB2]);
    machine.stream.synchronize().unwrap();
    machine.read(&mut marks);
    assert_eq!(machine.stages(), [Stage::MsmB1, Stage::MsmB2]);
    assert_eq!(machine.timeline.recording().lost(), 0);
}

#[test]
fn a_timeline_that_is_off_has_no_marks() {
    let machine = Machine::new(Timeline::off(), 0);
    let mut marks = machine.marks(8);
    machine.run(&mut marks, &[Stage::Rows; 20]);
    machine.stream.synchronize().unwrap();
    // Off when they were made.
    let timeline = Timeline::on();
    marks.read(&machine.clock, &timeline, WHO, Lane::Compute).unwrap();
    assert_eq!(timeline.recording(), Recording::default());
    machine.run(&mut marks, &[Stage::Rows]);
    machine.read(&mut marks);
}

#[test]
fn events_on_both_sides_of_a_base_are_placed() {
    let machine = Machine::new(Timeline::on(), 0);
    let [early, late, never] = [(); 3].map(|()| machine.device.event().unwrap());
    let record = |event| {
        let before = Instant::now();
        machine.stream.record(event).unwrap();
        event.synchronize().unwrap();
        (before, Instant::now())
    };
    let first = record(&early);
    thread::sleep(ms(2));
    let old = machine.clock.age();
    machine.clock.rebase().unwrap();
    assert!(machine.clock.age() < old);
    let second = record(&late);
    for (event, (before, after)) in [(&early, first), (&late, second)] {
        let (at, placement) = machine.clock.place(event).unwrap().unwrap();
        assert!(at + placement.error >= before && at <= after + placement.error);
        assert_eq!(placement.device, 3);
    }
    assert!(machine.clock.place(&never).unwrap().is_none());
    // One clock, read twice: both errors at most.
    let placement = machine.clock.placement();
    assert!(placement.drift.is_some_and(|drift| drift < ms(100)), "{placement:?}");
    assert_eq!(DeviceClock::new(&machine.device, 3).unwrap().placement().drift, None);
    // It is young.
    machine.clock.refresh().unwrap();
    assert_eq!(machine.clock.placement(), placement);
}

#[test]
fn far_events_are_placed_less_well() {
    use crate::pipeline::timeline::clock::rounding;
    let micros = |seconds| rounding(Duration::from_secs(seconds)).as_secs_f64() * 1e6;
    // Steps of 2⁻¹⁰ ms from 2¹³ ms, of 2⁻⁸ ms from 2¹⁵ ms.
    assert!((micros(10) - 0.488).abs() < 0.01, "{}", micros(10));
    assert!((micros(60) - 1.953).abs() < 0.01, "{}", micros(60));
    assert!(micros(0) < 0.001);
}
