//! Transforms on a device against their definition, and larger ones against the CPU's, which its own
//! tests compare with that.
//!
//! `WARPFIELD_TEST_DEVICE` names the device.
#![cfg(feature = "ptx")]

#[path = "../device/mod.rs"]
mod device;

use blstrs::Scalar;
use device::TestDevice;
use ff::Field as _;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use warpfield::gpu::{Device, DeviceBuffer, DeviceSlice, Module, Stream, emulator};
use warpfield::ntt::Direction::{Forward, Inverse};
use warpfield::ntt::Order::{NN, NR, RN, RR};
use warpfield::ntt::{Direction, Domain, GpuDomain, Order, RootOfUnity, transform_naive};
use warpfield_device::field::Fr;

const ORDERS: [Order; 4] = [NN, NR, RN, RR];
const CONVENTION: RootOfUnity = RootOfUnity::SNARKJS;

/// A device with the kernels.
struct Machine {
    module: Module,
    stream: Stream,
}

impl Machine {
    fn new() -> Self {
        let device = match device::named() {
            TestDevice::Emulated => Device::emulated(emulator::Config::default()),
            TestDevice::Cuda(index) => Device::cuda(index).unwrap(),
        };
        let module = Module::load(&device, warpfield::ptx::MODULE).unwrap();
        Self { module, stream: device.stream().unwrap() }
    }

    fn is_emulated(&self) -> bool {
        self.stream.device().as_emulated().is_some()
    }

    fn upload(&self, scalars: &[Scalar]) -> DeviceBuffer<Fr> {
        let buffer = self.stream.device().alloc::<Fr>(scalars.len()).unwrap();
        self.stream.upload(&buffer.cast().unwrap(), scalars).unwrap();
        buffer
    }

    fn download(&self, buffer: &DeviceBuffer<Fr>) -> Vec<Scalar> {
        let mut scalars = vec![Scalar::ZERO; buffer.len()];
        self.stream.download(&buffer.cast().unwrap(), &mut scalars).unwrap();
        scalars
    }

    fn domain(&self, log_size: u32, shift: Option<Scalar>) -> GpuDomain {
        let domain = match shift {
            None => GpuDomain::new(&self.module, &self.stream, log_size, CONVENTION),
            Some(g) => GpuDomain::coset(&self.module, &self.stream, log_size, CONVENTION, g),
        };
        domain.unwrap()
    }

    fn transform(
        &self,
        domain: &GpuDomain,
        values: &[Scalar],
        available: usize,
        direction: Direction,
        order: Order,
    ) -> Vec<Scalar> {
        let buffer = self.upload(values);
        let scratch = domain.needs_scratch(direction, order);
        let scratch = scratch.then(|| self.stream.device().alloc(values.len()).unwrap());
        let scratch = scratch.as_deref();
        domain.transform(&self.stream, &buffer, scratch, available, direction, order).unwrap();
        self.download(&buffer)
    }
}

/// Values, the same each time, edges among them.
fn values(count: usize) -> Vec<Scalar> {
    let mut rng = ChaCha20Rng::seed_from_u64(count as u64);
    let edge = |i| match i % 5 {
        0 => Scalar::ZERO,
        1 => -Scalar::ONE,
        2 => Scalar::ONE,
        _ => Scalar::random(&mut rng),
    };
    (0..count).map(edge).collect()
}

/// The elements in bit-reversed order.
fn reversed(values: &[Scalar]) -> Vec<Scalar> {
    let bits = values.len().ilog2();
    let place = |i: usize| (i.reverse_bits() >> 1) >> (usize::BITS - 1 - bits);
    (0..values.len()).map(|i| values[place(i)]).collect()
}

/// One transform, by the definition.
fn expected(
    values: &[Scalar],
    available: usize,
    shift: Option<Scalar>,
    direction: Direction,
    order: Order,
) -> Vec<Scalar> {
    let mut input = values.to_vec();
    input[available..].fill(Scalar::ZERO);
    let (input_reversed, output_reversed) = (matches!(order, RN | RR), matches!(order, NR | RR));
    if input_reversed {
        input = reversed(&input);
    }
    let root = CONVENTION.of_order(values.len().ilog2());
    let shift = shift.unwrap_or(Scalar::ONE);
    let output = match direction {
        Forward => transform_naive(&input, root, shift),
        Inverse => {
            let size = Scalar::from(values.len() as u64).invert().unwrap();
            let back = shift.invert().unwrap();
            let mut power = size;
            let values = transform_naive(&input, root.invert().unwrap(), Scalar::ONE);
            let scale = |value| {
                let scaled = value * power;
                power *= back;
                scaled
            };
            values.into_iter().map(scale).collect()
        }
    };
    if output_reversed { reversed(&output) } else { output }
}

fn shift() -> Scalar {
    Scalar::from(7u64)
}

/// All directions, orders, and the coset, of so many transforms of a size.
fn all(machine: &Machine, log_size: u32, count: usize, available: usize) {
    let size = 1 << log_size;
    let input = values(size * count);
    for shift in [None, Some(shift())] {
        let domain = machine.domain(log_size, shift);
        for (direction, order) in [Forward, Inverse].iter().flat_map(|d| ORDERS.map(|o| (*d, o))) {
            let output = machine.transform(&domain, &input, available, direction, order);
            for (input, output) in input.chunks(size).zip(output.chunks(size)) {
                let expected = expected(input, available, shift, direction, order);
                assert!(output == expected, "2^{log_size}, {shift:?}, {direction:?}, {order:?}");
            }
        }
    }
}

#[test]
fn small_sizes_by_definition() {
    let machine = Machine::new();
    for log_size in 0..=6 {
        all(&machine, log_size, 1, 1 << log_size);
    }
}

#[test]
fn a_whole_tile_by_definition() {
    let machine = Machine::new();
    all(&machine, 7, 1, 128);
    all(&machine, 8, 1, 256);
}

#[test]
fn several_transforms_at_once() {
    let machine = Machine::new();
    all(&machine, 2, 5, 4);
    all(&machine, 5, 3, 32);
}

#[test]
fn missing_elements_are_zeros() {
    let machine = Machine::new();
    for available in [0, 1, 3] {
        all(&machine, 2, 2, available);
    }
    for available in [0, 1, 17, 63] {
        all(&machine, 6, 2, available);
    }
}

/// Against the CPU's.
fn large(machine: &Machine, log_size: u32, orders: &[Order]) {
    let input = values(1 << log_size);
    let cpu = Domain::new(log_size, CONVENTION).unwrap();
    for shift in [None, Some(shift())] {
        let domain = machine.domain(log_size, shift);
        for (direction, order) in
            [Forward, Inverse].iter().flat_map(|d| orders.iter().map(|o| (*d, *o)))
        {
            let mut expected = input.clone();
            match shift {
                None => cpu.transform(&mut expected, direction, order),
                Some(shift) => cpu.coset_transform(&mut expected, shift, direction, order),
            }
            let output = machine.transform(&domain, &input, input.len(), direction, order);
            assert!(output == expected, "2^{log_size}, {shift:?}, {direction:?}, {order:?}");
        }
    }
}

#[test]
fn several_passes() {
    let machine = Machine::new();
    // One tile, two passes of one tile's width and more.
    for log_size in [9, 10, 11, 13] {
        large(&machine, log_size, &ORDERS);
    }
    if !machine.is_emulated() {
        for log_size in 14..=22 {
            large(&machine, log_size, &ORDERS);
        }
        large(&machine, 24, &[NN, NR]);
    }
}

#[test]
fn three_passes() {
    let machine = Machine::new();
    let log_size = 19;
    let input = values(1 << log_size);
    let mut expected = input.clone();
    Domain::new(log_size, CONVENTION).unwrap().transform(&mut expected, Forward, NN);
    let domain = machine.domain(log_size, None);
    assert!(machine.transform(&domain, &input, input.len(), Forward, NN) == expected);
}

#[test]
fn there_and_back() {
    let machine = Machine::new();
    let input = values(1 << 12);
    for shift in [None, Some(shift())] {
        let domain = machine.domain(12, shift);
        let buffer = machine.upload(&input);
        let scratch = machine.stream.device().alloc(input.len()).unwrap();
        for (forward, back) in [(NR, RN), (NN, NN), (RR, RR), (RN, NR)] {
            for (direction, order) in [(Forward, forward), (Inverse, back)] {
                let stream = &machine.stream;
                domain
                    .transform(stream, &buffer, Some(&scratch), 1 << 12, direction, order)
                    .unwrap();
            }
            assert!(machine.download(&buffer) == input, "{shift:?}, {forward:?}, {back:?}");
        }
    }
}

#[test]
fn on_others_streams_and_memory() {
    let machine = Machine::new();
    let input = values(1 << 7);
    let theirs = machine.upload(&[&values(3)[..], &input].concat());
    let (device, log_size) = (machine.stream.device(), 7);
    let domain = machine.domain(log_size, None);
    // SAFETY: the stream and the memory outlive the handles.
    let (stream, slice) = unsafe {
        let address = theirs.slice(3..).address();
        let slice = DeviceSlice::from_raw_parts(&device, address, input.len());
        (Stream::from_raw(&device, machine.stream.as_raw()), slice)
    };
    domain.transform(&stream, &slice, None, input.len(), Forward, NR).unwrap();
    let output = machine.download(&theirs);
    assert!(output[..3] == values(3) && output[3..] == expected(&input, 128, None, Forward, NR));
}

#[test]
#[should_panic = "no multiple of 16"]
fn elements_are_aligned() {
    let machine = Machine::new();
    let words = machine.stream.device().alloc::<u64>(1 + 4 * 8).unwrap();
    let values = words.slice(1..).cast::<Fr>().unwrap();
    let _ = machine.domain(3, None).transform(&machine.stream, &values, None, 8, Forward, NR);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() })]

    #[test]
    fn drawn(log_size in 0u32..9, seed in any::<u64>(), which in 0usize..16, share in 0.0..=1.0f64) {
        let machine = Machine::new();
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let input: Vec<Scalar> = (0..1 << log_size).map(|_| Scalar::random(&mut rng)).collect();
        let shift = (which & 1 == 1).then(|| Scalar::random(&mut rng));
        let direction = if which & 2 == 2 { Inverse } else { Forward };
        let order = ORDERS[which >> 2];
        let available = (share * input.len() as f64) as usize;
        let output =
            machine.transform(&machine.domain(log_size, shift), &input, available, direction, order);
        prop_assert!(output == expected(&input, available, shift, direction, order));
    }
}
