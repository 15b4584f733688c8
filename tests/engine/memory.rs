//! Plans for a device's memory.

use std::slice;

use warpfield::gpu::Module;
use warpfield::groth16::gpu::{Contents, Kernels, Sizes};
use warpfield::pipeline::engine::{Engine, Error};
use warpfield::pipeline::interlock::Strategy;
use warpfield::pipeline::memory::{MemoryPlan, TooSmall, Wishes};

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

/// Tables, two slots, one slot, nothing: each step begins at the very byte.
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
        assert_eq!(plan(one.bytes()), Ok(one.clone()));
        assert_eq!(plan(one.bytes() - 1).unwrap_err().missing, 1);
        assert_eq!(plan(0).unwrap_err().missing, one.bytes());
        assert!(two.keys().iter().all(|key| key.bytes == key.least_bytes));
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
        assert_eq!(setting.plan_of(5, plan.bytes() - 1, 0, at_once).unwrap_err().missing, 1);
    }
}

#[test]
fn tables_take_what_is_left() {
    let setting = Setting::new();
    let none = setting.plan(MUCH, 0, false).unwrap();
    let all = setting.plan(MUCH, MUCH, false).unwrap();
    assert!(all.keys().iter().all(|key| key.bytes > key.least_bytes));
    for percent in (0..=110).step_by(5) {
        let bytes = none.bytes() + (all.bytes() - none.bytes()) * percent / 100;
        let plan = setting.plan(bytes, MUCH, false).unwrap();
        assert!(plan.bytes() <= bytes && plan.slots() == 2, "{plan}");
        assert_eq!(plan == all, percent >= 100, "{percent} %: {plan}");
    }
}

/// With the memory of each plan there are proofs, and with a byte less an error that says so.
#[test]
fn engines_in_just_enough_memory() {
    let circuit = Circuit::new(3, 0);
    let mut options = options(Strategy::Two, 2, 2);
    let device = device();
    let free = device.memory().unwrap();
    for slots in [2, 1] {
        let bytes = Engine::plan(&device, &[circuit.key()], &options).unwrap().bytes();
        options.device_bytes = Some(bytes);
        let engine = Engine::new(slice::from_ref(&device), &[circuit.key()], &options).unwrap();
        assert_eq!(engine.plans().next().unwrap().slots(), slots);
        let proof = engine.start(circuit.request(0, 0)).unwrap().finish().unwrap();
        assert!(proof == circuit.expected(0));
        options.device_bytes = Some(bytes - 1);
    }
    let error = Engine::new(slice::from_ref(&device), &[circuit.key()], &options).unwrap_err();
    assert!(matches!(&error, Error::Memory(TooSmall { missing: 1, .. })), "{error}");
    assert_eq!(device.memory().unwrap(), free);
}
