//! A kernel against big integers, on the emulator: the example of docs/fuzzing-kernels.md.

use std::sync::LazyLock;

use num_bigint::BigUint;
use proptest::prelude::*;
use ptx_emulator::{Config, Device, Error, Fault, Module};
use warpfield::ptx;

const KERNEL: &str = "groth16_multiply_subtract";

/// Parsed once for all tests.
static MODULE: LazyLock<Module> =
    LazyLock::new(|| Module::parse(ptx::MODULE).expect("PTX that the emulator knows"));

/// r = x⁴ − x² + 1, of the curve's parameter x.
fn order() -> BigUint {
    let x = BigUint::from(0xd201_0000_0001_0000_u64);
    x.pow(4) - x.pow(2) + 1_u32
}

/// What one row of the kernel must give: a·b − c, of numbers in Montgomery form.
fn expected([a, b, c]: &[BigUint; 3]) -> BigUint {
    let radix = BigUint::from(1_u32) << 256_u32;
    let inverse = radix.modinv(&order()).expect("r is odd");
    (a * b * inverse + order() - c) % order()
}

/// A number below r: an edge, or words of which many are zeros or ones.
fn element() -> impl Strategy<Value = BigUint> {
    let one = (BigUint::from(1_u32) << 256_u32) % order();
    let edges = vec![BigUint::ZERO, BigUint::from(1_u32), one, order() - 1_u32];
    let word = prop_oneof![Just(0), Just(u32::MAX), any::<u32>()];
    let mixed = prop::array::uniform8(word).prop_map(|words| BigUint::from_slice(&words) % order());
    prop_oneof![1 => prop::sample::select(edges), 3 => mixed]
}

/// 32 bytes, the lowest first.
fn bytes(number: &BigUint) -> [u8; 32] {
    let mut bytes = [0; 32];
    let digits = number.to_bytes_le();
    bytes[..digits.len()].copy_from_slice(&digits);
    bytes
}

/// Runs the kernel over rows of operands, with a count that need not be theirs.
fn run(
    rows: &[[BigUint; 3]],
    (blocks, threads): (u32, u32),
    seed: u64,
    count: u32,
) -> Result<Vec<BigUint>, Error> {
    let device = Device::new(Config::default().memory(1 << 20).seed(seed));
    let column = |operand: usize| {
        let content: Vec<u8> = rows.iter().flat_map(|row| bytes(&row[operand])).collect();
        // Just as long as its content: the next byte is out of bounds.
        let memory = device.alloc(content.len() as u64)?;
        device.copy_to_device(memory, &content)?;
        Ok::<_, Error>(memory)
    };
    let [values, others, less] = [column(0)?, column(1)?, column(2)?];
    let config = ptx::entry(KERNEL).expect("a kernel of every build").config(blocks, threads);
    let arguments = [values.into(), others.into(), less.into(), count.into()];
    device.launch(&MODULE.kernel(KERNEL)?, config, &arguments)?;
    let mut results = vec![0; 32 * rows.len()];
    device.copy_to_host(&mut results, values)?;
    Ok(results.chunks(32).map(BigUint::from_bytes_le).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..Default::default() })]

    #[test]
    fn multiply_subtract_is_that_of_integers(
        rows in prop::collection::vec(prop::array::uniform3(element()), 0..70),
        blocks in 1_u32..4,
        threads in prop::sample::select(vec![32_u32, 1, 31, 33, 64]),
        seed in any::<u64>(),
    ) {
        let results = run(&rows, (blocks, threads), seed, rows.len() as u32);
        let results = results.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for (row, result) in rows.iter().zip(&results) {
            prop_assert_eq!(result, &expected(row), "of {:?}", row);
        }
    }
}

#[test]
fn a_count_that_is_too_large_is_found() {
    let rows = [0_u32, 1, 2].map(|i| [i, i + 1, i + 2].map(BigUint::from));
    let error = run(&rows, (1, 32), 0, 4).expect_err("there are three rows");
    println!("{error}");
    let report = error.report().expect("a fault of the kernel");
    assert!(matches!(report.fault, Fault::OutOfBounds(_)), "{report}");
    assert_eq!((report.kernel.as_str(), report.thread.x), (KERNEL, 3));
    let location = report.location.as_ref().expect("a fault of memory");
    assert_eq!(location.within.as_ref().expect("next to an allocation").1, 96);
}
