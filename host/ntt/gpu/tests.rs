//! Threads that hold four elements, as for large transforms, in small ones: on the emulated device against
//! the CPU. (`tests/ntt` runs what a caller gets.)

use blstrs::Scalar;
use ff::Field as _;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use warpfield_device::field::Fr;

use super::GpuDomain;
use crate::gpu::{Device, Module, emulator};
use crate::ntt::Direction::{Forward, Inverse};
use crate::ntt::Order::{NN, NR, RN};
use crate::ntt::{Domain, RootOfUnity};

const CONVENTION: RootOfUnity = RootOfUnity::SNARKJS;

#[test]
fn four_elements_a_thread() {
    let device = Device::emulated(emulator::Config::default());
    let module = Module::load(&device, crate::ptx::MODULE).unwrap();
    let stream = device.stream().unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    // One pass and two, some of an odd number of layers, which take two elements.
    for log_size in [1, 2, 3, 6, 8, 9, 10, 12, 13] {
        let size = 1 << log_size;
        let input: Vec<Scalar> = (0..size).map(|_| Scalar::random(&mut rng)).collect();
        let cpu = Domain::new(log_size, CONVENTION).unwrap();
        for shift in [None, Some(Scalar::from(7u64))] {
            let domain = GpuDomain::with_shift(&module, &stream, log_size, CONVENTION, shift);
            let mut domain = domain.unwrap();
            domain.few = 0;
            for (direction, order) in [(Forward, NN), (Forward, NR), (Inverse, NN), (Inverse, RN)] {
                let mut expected = input.clone();
                match shift {
                    None => cpu.transform(&mut expected, direction, order),
                    Some(shift) => cpu.coset_transform(&mut expected, shift, direction, order),
                }
                let values = device.alloc::<Fr>(size).unwrap();
                let scratch = device.alloc::<Fr>(size).unwrap();
                let scalars = values.cast().unwrap();
                stream.upload(&scalars, &input).unwrap();
                let scratch = Some(&*scratch);
                domain.transform(&stream, &values, scratch, size, direction, order).unwrap();
                let mut found = vec![Scalar::ZERO; size];
                stream.download(&scalars, &mut found).unwrap();
                assert!(found == expected, "2^{log_size}, {shift:?}, {direction:?}, {order:?}");
            }
        }
    }
}
