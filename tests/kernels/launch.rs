//! Launches on the emulator.

use std::sync::LazyLock;

use proptest::test_runner::TestCaseError;
use ptx_emulator::{Arg, Config, Device, DevicePtr, Error, Kernel, LaunchConfig, Module};

use crate::words::Words;

/// The module that ships, parsed once.
pub static MODULE: LazyLock<Module> =
    LazyLock::new(|| Module::parse(warpfield::ptx::MODULE).expect("the emulator reads our PTX"));

/// The shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub blocks: u32,
    pub threads: u32,
}

impl Grid {
    /// As many blocks of 256 threads as it takes to give every element one.
    pub fn covering(count: usize) -> Self {
        Self { blocks: count.div_ceil(256).max(1) as u32, threads: 256 }
    }
}

pub fn kernel(name: &str) -> Kernel {
    MODULE.kernel(name).unwrap_or_else(|error| panic!("{error}"))
}

/// How many arrays an elementwise kernel `name(out, a, …, count)` reads.
pub fn arity(name: &str) -> usize {
    kernel(name).params().len() - 2
}

/// Device memory for one launch.
///
/// Every allocation has exactly the size of its content and lies apart from the others, so that
/// the next byte is out of bounds.
pub struct Memory(Device);

impl Memory {
    pub fn new() -> Self {
        Self(Device::new(Config::default().threads(1)))
    }

    pub fn upload(&self, words: &[u32]) -> Result<DevicePtr, TestCaseError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let pointer = self.uninitialised(words.len())?;
        self.0.copy_to_device(pointer, &bytes).map_err(failure)?;
        Ok(pointer)
    }

    pub fn uninitialised(&self, words: usize) -> Result<DevicePtr, TestCaseError> {
        self.0.alloc(4 * words as u64).map_err(failure)
    }

    pub fn download(&self, from: DevicePtr, words: usize) -> Result<Vec<u32>, TestCaseError> {
        let mut bytes = vec![0; 4 * words];
        self.0.copy_to_host(&mut bytes, from).map_err(failure)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    pub fn launch(&self, kernel: &Kernel, grid: Grid, args: &[Arg]) -> Result<(), TestCaseError> {
        let config = LaunchConfig::new(grid.blocks, grid.threads);
        self.0.launch(kernel, config, args).map_err(failure)?;
        Ok(())
    }
}

fn failure(error: Error) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// Runs a kernel `name(out, a, …, count)` over rows of operands; the results have `words` words.
pub fn elementwise(
    name: &str,
    grid: Grid,
    rows: &[Vec<Words>],
    words: usize,
) -> Result<Vec<Words>, TestCaseError> {
    let memory = Memory::new();
    let out = memory.uninitialised(rows.len() * words)?;
    let mut args = vec![Arg::from(out)];
    let mut inputs = Vec::new();
    for operand in 0..arity(name) {
        let input: Vec<u32> = rows.iter().flat_map(|row| &row[operand].0).copied().collect();
        let pointer = memory.upload(&input)?;
        args.push(pointer.into());
        inputs.push((pointer, input));
    }
    args.push((rows.len() as u32).into());
    memory.launch(&kernel(name), grid, &args)?;
    for (pointer, input) in inputs {
        if memory.download(pointer, input.len())? != input {
            return Err(TestCaseError::fail(format!("{name} changes its input")));
        }
    }
    let results = memory.download(out, rows.len() * words)?;
    Ok(results.chunks(words).map(|result| Words(result.into())).collect())
}
