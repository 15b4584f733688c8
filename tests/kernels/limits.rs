//! The kernels that measure what bounds the others: `name(values, rounds)`, a value of twelve limbs a
//! thread.

use num_bigint::BigUint;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use warpfield_device::launch::LIMIT_STEPS;
use warpfield_device::strategies::limbs;

use crate::fuzz::{self, OneIn};
use crate::launch::{Memory, kernel};
use crate::rates::exact;
use crate::words::Words;

pub const TESTED: &[&str] = &["add_rate", "mad_rate"];

/// Checks what is left of each value after some rounds, modulo 2³⁸⁴.
fn check(
    name: &str,
    values: &[[u32; 12]],
    after: impl Fn(&[u32; 12], u32) -> BigUint,
) -> Result<(), TestCaseError> {
    if values.is_empty() {
        return Ok(());
    }
    for rounds in [0, 1, 3] {
        let memory = Memory::new();
        let pointer = memory.upload(values.as_flattened())?;
        let args = [pointer.into(), rounds.into()];
        memory.launch(&kernel(name), exact(values.len()), &args)?;
        let results = memory.download(pointer, 12 * values.len())?;
        for (value, result) in values.iter().zip(results.chunks(12)) {
            let modulus = BigUint::from(1u32) << 384;
            let expected = after(value, rounds * LIMIT_STEPS as u32) % modulus;
            prop_assert_eq!(Words(result.into()), Words::from_integer(&expected, 12));
        }
    }
    Ok(())
}

#[test]
fn add_rate() {
    fuzz::batches(file!(), OneIn(8), limbs::<12>(), |_, values| {
        check("add_rate", values, |value, steps| BigUint::from_slice(value) * 2u32 * (1 + steps))
    });
}

#[test]
fn mad_rate() {
    fuzz::batches(file!(), OneIn(8), limbs::<12>(), |_, values| {
        check("mad_rate", values, |value, steps| {
            // Every second limb, from the first or the second on, at every second place.
            let every_second = |from: usize| {
                let limbs = (0..6).map(|k| BigUint::from(value[from + 2 * k]) << (64 * k));
                limbs.sum::<BigUint>()
            };
            let sum = every_second(0) + every_second(1);
            BigUint::from_slice(value) * 2u32 + sum * value[0] * steps
        })
    });
}
