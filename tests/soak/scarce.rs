//! Memory that is short, on the device that `WARPFIELD_TEST_DEVICE` names: at each step of the plan.

use std::slice;
use std::sync::{Arc, MutexGuard, OnceLock};

use warpfield::circuit::WitnessValues;
use warpfield::gpu::{Device, DeviceBuffer, Kind, Module};
use warpfield::groth16::gpu::{Error as GpuError, Kernels};
use warpfield::groth16::{Key, Proof, Prover};
use warpfield::pipeline::engine::{Engine, Error, Options, Request};
use warpfield::pipeline::memory::MemoryPlan;

use super::engine::{alone, emulated};
use super::{Circuit, blinding};
use crate::named::{self, TestDevice};

/// What an engine leaves for the driver.
const SPARE: usize = 512 << 20;

struct Setting {
    device: Device,
    circuit: &'static Circuit,
    /// Bytes that a device's free memory may differ from what is allocated: a page.
    page: usize,
    /// Bytes that the driver takes for kernels.
    of_kernels: usize,
    _alone: MutexGuard<'static, ()>,
}

impl Setting {
    fn new() -> Self {
        let _alone = alone();
        let (device, constraints, page) = match named::named() {
            TestDevice::Emulated => (emulated(), 100, 0),
            // So large that each step of the plan is many pages.
            TestDevice::Cuda(index) => (Device::cuda(index).expect("a GPU"), 300_000, 2 << 20),
        };
        static CIRCUIT: OnceLock<Circuit> = OnceLock::new();
        let circuit =
            CIRCUIT.get_or_init(|| Circuit::new(constraints, 1, WitnessValues::FullWidth));
        let mut setting = Self { device, circuit, page, of_kernels: 0, _alone };
        // What the first kernels of a process take besides, it keeps.
        for _ in 0..2 {
            let before = setting.free();
            let module = Module::load(&setting.device, warpfield::ptx::MODULE).expect("kernels");
            let kernels = Kernels::new(&setting.device, &module).expect("all of them");
            setting.of_kernels = before - setting.free();
            drop((kernels, module));
        }
        setting
    }

    fn free(&self) -> usize {
        self.device.memory().expect("it tells").free as usize
    }

    /// Takes all memory but about so many bytes, and not less.
    fn take_all_but(&self, bytes: usize) -> DeviceBuffer<u8> {
        let taken = self.free().checked_sub(bytes + self.page).expect("so much is free");
        self.device.alloc(taken).expect("it is free")
    }

    fn engine(&self, options: &Options) -> Result<Engine, Error> {
        let key = self.circuit.key.clone() as Arc<dyn Key>;
        Engine::new(slice::from_ref(&self.device), &[key], options)
    }

    fn plan(&self, options: &Options) -> Result<MemoryPlan, Error> {
        let key = self.circuit.key.clone() as Arc<dyn Key>;
        Engine::plan(&self.device, &[key], options)
    }

    fn prove(&self, engine: &Engine) -> Result<(), Error> {
        let request = Request::new(0, self.circuit.witness.clone(), blinding(0));
        let proof = engine.start(request)?.finish()?;
        static EXPECTED: OnceLock<Proof> = OnceLock::new();
        let expected = EXPECTED.get_or_init(|| {
            let prover = Prover::new(self.circuit.key.clone()).expect("a prover");
            prover.prove(&self.circuit.witness, blinding(0)).expect("a proof")
        });
        assert!(proof == *expected);
        Ok(())
    }
}

fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::Device(GpuError::Device(error)) if error.kind() == Kind::OutOfMemory)
}

/// All plans, from the largest on.
fn plans(setting: &Setting) -> Vec<MemoryPlan> {
    let mut options = Options::default();
    let mut plans: Vec<MemoryPlan> = vec![];
    while let Ok(plan) = setting.plan(&options) {
        options.device_bytes = Some(plan.bytes() - 1);
        plans.push(plan);
    }
    plans
}

/// With just the memory of each plan free, it is the plan; what else a proof takes fits beside it.
#[test]
fn free_memory_decides() {
    let setting = Setting::new();
    let plans = plans(&setting);
    assert!(plans.len() >= 6, "slots, and vectors of points: {plans:?}");
    for plan in &plans {
        let taken = setting.take_all_but(SPARE + setting.of_kernels + plan.bytes());
        let engine = setting.engine(&Options::default()).expect("it fits");
        let [found, expected] =
            [engine.plans().next().expect("one device"), plan].map(MemoryPlan::bytes);
        assert!(found >= expected && found - expected <= 2 * setting.page, "{found} for {plan}");
        setting.prove(&engine).unwrap_or_else(|error| panic!("{error}: {plan}"));
        drop((engine, taken));
    }
    let least = plans.last().expect("some").bytes();
    let _taken = setting.take_all_but(SPARE + setting.of_kernels + least - 1 - 2 * setting.page);
    assert!(matches!(setting.engine(&Options::default()), Err(Error::Memory(_))));
}

/// Memory that others take between the plan and the allocation: an error at each step, and nothing of it stays.
#[test]
fn others_are_quicker() {
    let setting = Setting::new();
    for plan in plans(&setting) {
        let mut options = Options::default();
        options.device_bytes = Some(plan.bytes());
        let before = setting.free();
        let taken = setting.take_all_but(setting.of_kernels + plan.bytes() - 1 - 2 * setting.page);
        let error = setting.engine(&options).err().unwrap_or_else(|| panic!("no room for {plan}"));
        assert!(is_out_of_memory(&error), "{error}");
        drop(taken);
        // A driver out of memory may give some back that it had kept.
        assert!(setting.free() >= before, "{plan}");
        let engine = setting.engine(&options).expect("it fits");
        setting.prove(&engine).unwrap_or_else(|error| panic!("{error}: {plan}"));
    }
}

/// Nothing is left once an engine is there: its proofs need no more, or tell of it, and the next one is right.
#[test]
fn others_take_the_rest() {
    let setting = Setting::new();
    let engine = setting.engine(&Options::default()).expect("it fits");
    let (mut taken, mut bytes) = (vec![], setting.free());
    while bytes > 0 {
        match setting.device.alloc::<u8>(bytes) {
            Ok(memory) => taken.push(memory),
            Err(_) => bytes /= 2,
        }
    }
    if let Err(error) = setting.prove(&engine) {
        assert!(is_out_of_memory(&error), "{error}");
    }
    drop(taken);
    setting.prove(&engine).expect("there is memory again");
}
