//! Devices, operands, and the sum by blst.

use std::sync::{LazyLock, Mutex, PoisonError};

use blstrs::Scalar;
use ff::Field as _;
use group::Group as _;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use warpfield::curve::{PointSlice, write_points};
use warpfield::gpu::{Device, DeviceBuffer, Module, Stream, emulator};
use warpfield::msm::gpu::{Bases, DeviceGroup, Halving, Msm, Plan, Scalars, Split};
use warpfield_device::field::Fr;

use crate::device::{self, TestDevice};

pub fn is_emulated() -> bool {
    device::named() == TestDevice::Emulated
}

/// An emulated device with the kernels.
pub fn emulated(config: emulator::Config) -> (Device, Module) {
    static PARSED: LazyLock<emulator::Module> = LazyLock::new(|| {
        emulator::Module::parse(warpfield::ptx::MODULE).expect("the emulator reads our PTX")
    });
    let device = Device::emulated(config.memory(1 << 26).threads(1));
    let module = Module::load_parsed(&device, &PARSED).expect("an emulated device");
    (device, module)
}

/// A device with the kernels: an emulated one for each seed, or the GPU.
pub fn open(seed: u64) -> (Device, Module) {
    static LOADED: Mutex<Option<(Device, Module)>> = Mutex::new(None);
    match device::named() {
        TestDevice::Emulated => emulated(emulator::Config::default().seed(seed)),
        TestDevice::Cuda(index) => {
            let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
            loaded
                .get_or_insert_with(|| {
                    let device = Device::cuda(index).unwrap_or_else(|error| panic!("{error}"));
                    let module = Module::load(&device, warpfield::ptx::MODULE);
                    (device, module.unwrap_or_else(|error| panic!("{error}")))
                })
                .clone()
        }
    }
}

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Different points.
pub fn points<G: DeviceGroup>(count: usize) -> Vec<G::Projective> {
    let step = G::Projective::generator() * Scalar::from(0x1234_5678_9abc);
    let next = |point: &G::Projective| Some(*point + step);
    std::iter::successors(Some(G::Projective::generator()), next).take(count).collect()
}

pub fn random(count: usize) -> Vec<Scalar> {
    let mut rng = rng(count as u64);
    (0..count).map(|_| Scalar::random(&mut rng)).collect()
}

/// Σ scalarᵢ · pointᵢ, each product for itself; those by 0 and 1 are quick.
pub fn naive<G: DeviceGroup>(points: &[G::Projective], scalars: &[Scalar]) -> G::Projective {
    let product = |(point, scalar): (&G::Projective, &Scalar)| {
        if *scalar == Scalar::ZERO {
            G::Projective::identity()
        } else if *scalar == Scalar::ONE {
            *point
        } else {
            *point * scalar
        }
    };
    points.iter().zip(scalars).map(product).sum()
}

/// Points as their bytes.
pub fn bytes<G: DeviceGroup>(points: &[G::Projective]) -> Vec<u8> {
    write_points::<G>(&points.iter().map(G::to_affine).collect::<Vec<_>>())
}

/// The words of scalars in Montgomery form.
pub fn montgomery(scalars: &[Scalar]) -> Vec<Fr> {
    let words = |limbs: [u64; 4]| std::array::from_fn(|i| (limbs[i / 2] >> (32 * (i % 2))) as u32);
    let element =
        |scalar: &Scalar| Fr::from_montgomery_limbs(words(blst::blst_fr::from(*scalar).l));
    scalars.iter().map(element).collect()
}

/// The words of scalars as integers.
pub fn integers(scalars: &[Scalar]) -> Vec<[u32; 8]> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let words = |scalar: &Scalar| {
        let bytes = scalar.to_bytes_le();
        std::array::from_fn(|i| word(&bytes[4 * i..][..4]))
    };
    scalars.iter().map(words).collect()
}

/// Digits of so many bits, segments of 2^log entries, and bins of few entries.
pub fn split<G: DeviceGroup>(bits: u32, log_segment: u32) -> Split {
    let halving = Halving { levels: log_segment % 3, group: 1 + bits % 3, blocks: 2 };
    let halving = (G::HALVES && halving.levels > 0).then_some(halving);
    Split { bits, copies: 1, log_segment, halving, bin: 3 << log_segment }
}

/// A device, and what it takes to sum on it.
pub struct Summer<G: DeviceGroup> {
    pub device: Device,
    pub stream: Stream,
    pub msm: Msm<G>,
}

impl<G: DeviceGroup> Summer<G> {
    pub fn new(seed: u64) -> Self {
        Self::on(open(seed))
    }

    pub fn on((device, module): (Device, Module)) -> Self {
        let stream = device.stream().expect("a stream");
        let msm = Msm::new(&device, &module).expect("the kernels");
        Self { device, stream, msm }
    }

    pub fn bases(&self, points: &[G::Projective]) -> Bases<G> {
        let bytes = bytes::<G>(points);
        let points = PointSlice::new(&bytes).expect("whole points");
        self.msm.bases(&self.stream, points).expect("bases")
    }

    pub fn upload<T: warpfield::gpu::Plain>(&self, values: &[T]) -> DeviceBuffer<T> {
        let memory = self.device.alloc(values.len()).expect("memory");
        self.stream.upload(&memory, values).expect("a copy");
        memory
    }

    pub fn sum(&self, split: Split, bases: &Bases<G>, scalars: Scalars<'_>) -> G::Projective {
        let plan = Plan::new(scalars.len(), split).expect("a plan");
        let workspace = self.msm.workspace(plan).expect("memory");
        let running = self.msm.run(&self.stream, workspace, bases, scalars).expect("launches");
        running.wait().unwrap_or_else(|error| panic!("{split:?}: {error}")).0
    }
}

/// Checks a sum in both forms of the scalars.
pub fn check<G: DeviceGroup>(split: Split, points: &[G::Projective], scalars: &[Scalar]) {
    let expected = naive::<G>(points, scalars);
    let summer = Summer::<G>::new(scalars.len() as u64);
    let bases = summer.bases(points);
    let device_scalars = summer.upload(&montgomery(scalars));
    let sum = summer.sum(split, &bases, Scalars::Montgomery(&device_scalars));
    assert_eq!(sum, expected, "{} terms, {split:?}, Montgomery", scalars.len());
    let device_scalars = summer.upload(&integers(scalars));
    let sum = summer.sum(split, &bases, Scalars::Integers(&device_scalars));
    assert_eq!(sum, expected, "{} terms, {split:?}, integers", scalars.len());
}

/// As [`check`], in one form.
pub fn check_one<G: DeviceGroup>(split: Split, points: &[G::Projective], scalars: &[Scalar]) {
    let summer = Summer::<G>::new(scalars.len() as u64);
    let bases = summer.bases(points);
    let device_scalars = summer.upload(&montgomery(scalars));
    let sum = summer.sum(split, &bases, Scalars::Montgomery(&device_scalars));
    assert_eq!(sum, naive::<G>(points, scalars), "{} terms, {split:?}", scalars.len());
}
