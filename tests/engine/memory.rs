//! Plans for a device's memory.

use std::slice;

use warpfield::gpu::Module;
use warpfield::groth16::gpu::{Contents, Kernels, Sizes};
use warpfield::pipeline::engine::{Engine, Error};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::memory::{MemoryPlan, TooSmall, Wishes};
use warpfield::pipeline::timeline::{Lane, Report, Stage, Timeline};

use crate::support::{Circuit, device, options};

struct Setting {
    kernels: Kernels,
    sizes: Vec<Sizes>,
}

impl Setting {
    fn new() -> Self {
        let device = device();
        let module = Module::load(&device, warpfield::ptx::MODULE).unwrap();
        let sizes = [(3, 0), (60, 2)].map(|(constraints, public)| {
            Contents::of(&Circuit::new(constraints, public).key).unwrap().sizes()
        });
        Self { kernels: Kernels::new(&device, &module).unwrap(), sizes: sizes.into() }
    }

    fn plan(&self, bytes: usize, tables: usize, at_once: bool) -> Result<MemoryPlan, TooSmall> {
        self.plan_of(2, bytes, tables, at_once)
    }

    fn plan_of(
        &self,
        slots: usize,
        bytes: usize,
        tables: usize,
        at_once: bool,
    ) -> Result<MemoryPlan, TooSmall> {
        let wishes = Wishes { bytes, tables, slots, at_once };
        MemoryPlan::new(&self.kernels, &self.sizes, wishes).unwrap()
    }
}

const MUCH: usize = 1 << 30;

/// Two slots, one slot, points in host memory, nothing: each step begins at the very byte.
#[test]
fn steps() {
    let setting = Setting::new();
    for at_once in [false, true] {
        let plan = |bytes| setting.plan(bytes, 0, at_once);
        let two = plan(MUCH).unwrap();
        assert_eq!(two.slots(), 2);
        assert_eq!(two.scratches(), if at_once { 2 } else { 1 });
        assert_eq!(plan(two.bytes()), Ok(two.clone()));
        let one = plan(two.bytes() - 1).unwrap();
        assert_eq!((one.slots(), one.scratches()), (1, 1));
        assert!(one.keys().iter().all(|key| key.bytes == key.resident_bytes));
        let (mut least, mut in_host) = (one, 0);
        while let Ok(less) = plan(least.bytes() - 1) {
            assert_eq!(plan(less.bytes()), Ok(less.clone()));
            assert!(less.bytes() < least.bytes() && less.slots() == 1);
            let vectors = less.keys()[1].residence.vectors();
            let more = vectors.iter().filter(|(_, vector)| vector.is_host()).count();
            assert!(more > in_host, "{less}");
            assert!(less.to_string().contains("streamed: "), "{less}");
            (least, in_host) = (less, more);
        }
        assert_eq!(in_host, 5, "{least}");
        assert_eq!(plan(least.bytes() - 1).unwrap_err().missing, 1);
        assert_eq!(plan(0).unwrap_err().missing, least.bytes());
    }
}

/// One slot after the other goes, and no more of them than must.
#[test]
fn slots_go_one_by_one() {
    let setting = Setting::new();
    for at_once in [false, true] {
        let mut plan = setting.plan_of(5, MUCH, 0, at_once).unwrap();
        for slots in (1..5).rev() {
            plan = setting.plan_of(5, plan.bytes() - 1, 0, at_once).unwrap();
            assert_eq!((plan.slots(), plan.scratches()), (slots, if at_once { slots } else { 1 }));
        }
        let next = setting.plan_of(5, plan.bytes() - 1, 0, at_once).unwrap();
        assert!(next.slots() == 1 && next.to_string().contains("streamed: "), "{next}");
    }
}

#[test]
fn tables_take_what_is_left() {
    let setting = Setting::new();
    let none = setting.plan(MUCH, 0, false).unwrap();
    let all = setting.plan(MUCH, MUCH, false).unwrap();
    assert!(all.keys().iter().all(|key| key.bytes > key.resident_bytes));
    for percent in (0..=110).step_by(5) {
        let bytes = none.bytes() + (all.bytes() - none.bytes()) * percent / 100;
        let plan = setting.plan(bytes, MUCH, false).unwrap();
        assert!(plan.bytes() <= bytes && plan.slots() == 2, "{plan}");
        assert_eq!(plan == all, percent >= 100, "{percent} %: {plan}");
    }
}

/// With the memory of each plan there are proofs, and with a byte less another plan, or an error that says so.
#[test]
fn engines_in_just_enough_memory() {
    let circuit = Circuit::new(40, 0);
    let device = device();
    let free = device.memory().unwrap();
    for strategy in [Strategy::Two, Strategy::None] {
        let mut options = options(strategy, 2, 2);
        let (mut slots, mut streamed) = (vec![], 0);
        let error = loop {
            let plan = match Engine::plan(&device, &[circuit.key()], &options) {
                Ok(plan) => plan,
                Err(error) => break error,
            };
            options.device_bytes = Some(plan.bytes());
            let engine = Engine::new(slice::from_ref(&device), &[circuit.key()], &options).unwrap();
            assert_eq!(engine.plans().next(), Some(&plan));
            let proof = engine.start(circuit.request(0, 0)).unwrap().finish().unwrap();
            assert!(proof == circuit.expected(0), "{plan}");
            slots.push(plan.slots());
            streamed += usize::from(plan.to_string().contains("streamed"));
            options.device_bytes = Some(plan.bytes() - 1);
        };
        assert!(matches!(&error, Error::Memory(TooSmall { missing: 1, .. })), "{error}");
        assert_eq!(slots[..2], [2, 1]);
        assert!(streamed > 0 && slots.len() == 2 + streamed, "{slots:?}");
    }
    assert_eq!(device.memory().unwrap(), free);
}

/// Copies of a key's points are on the timeline, and their bytes counted.
#[test]
fn a_streamed_key_on_the_timeline() {
    let circuit = Circuit::new(40, 0);
    let device = device();
    let mut options = options(Strategy::Two, 1, 1);
    options.timeline = Timeline::on();
    let resident = Engine::plan(&device, &[circuit.key()], &options).unwrap();
    options.device_bytes = Some(resident.bytes() - 1);
    let engine = Engine::new(slice::from_ref(&device), &[circuit.key()], &options).unwrap();
    engine.start(circuit.request(0, 0)).unwrap().finish().unwrap();
    let recording = options.timeline.recording();
    let of = |stage| recording.intervals().iter().filter(move |interval| interval.stage == stage);
    let vectors = engine.plans().next().unwrap().keys()[0].residence.vectors();
    let in_host: Vec<_> = vectors.iter().filter(|(_, vector)| vector.is_host()).collect();
    assert_eq!(of(Stage::KeyUpload).count(), in_host.len());
    assert_eq!(of(Stage::KeyRead).count(), in_host.len());
    let bytes: u64 = of(Stage::KeyUpload).map(|interval| interval.bytes).sum();
    let report = Report::of(&recording);
    assert_eq!(report.partitions[0].uploaded, bytes + 32 * circuit.witness.len() as u64);
    assert!(bytes > 0 && of(Stage::KeyUpload).all(|interval| interval.lane == Lane::Copy));
}
