//! That a GPU and the emulator compute the same: every kernel of the PTX that stands for itself, on the
//! same inputs, byte for byte. (`tests/ntt` compares the steps of transforms with the CPU, `tests/partition`
//! those of a proof; `tests/msm` runs those of sums of multiples, whose bytes depend on the order of atomic
//! operations.)
//!
//! A program, not a list of tests: it prints a line for each kernel, and its exit code is 1 if one
//! disagrees. Without a GPU it says so and compares nothing, unless `WARPFIELD_TEST_DEVICE=cuda:N` asks
//! for one; that picks the GPU, too.

#[path = "../device/mod.rs"]
mod device;
mod inputs;
mod kernels;

use std::process::ExitCode;

use warpfield::gpu::{Device, Error, Kind, Module, Stream, emulator};

use device::TestDevice;
use inputs::Inputs;
use kernels::{Argument, Job};

/// A device with the kernels.
struct Machine {
    device: Device,
    module: Module,
    stream: Stream,
}

impl Machine {
    fn new(device: Device) -> Result<Self, Error> {
        let module = Module::load(&device, warpfield::ptx::MODULE)?;
        let stream = device.stream()?;
        Ok(Self { device, module, stream })
    }

    /// What the kernel leaves in its arrays.
    fn run(&self, name: &str, job: &Job) -> Result<Vec<u32>, Error> {
        let (mut buffers, mut arguments) = (Vec::new(), Vec::new());
        for argument in &job.arguments {
            arguments.push(match argument {
                Argument::Number(number) => (*number).into(),
                Argument::Array(words) => {
                    let buffer = self.device.alloc::<u32>(words.len())?;
                    self.stream.upload(&buffer, words)?;
                    let argument = (&buffer).into();
                    buffers.push(buffer);
                    argument
                }
            });
        }
        let kernel = self.module.kernel(name)?;
        // SAFETY: the jobs are made for the kernels' arrays, and the emulator runs them first.
        unsafe { self.stream.launch(&kernel, job.config, arguments)? };
        let mut results = Vec::new();
        for buffer in &buffers {
            let mut words = vec![0; buffer.len()];
            self.stream.download(buffer, &mut words)?;
            results.extend(words);
        }
        Ok(results)
    }
}

/// Elements that a kernel gets.
const ELEMENTS: usize = 1000;

fn main() -> ExitCode {
    let (index, asked) = match device::named() {
        TestDevice::Emulated => (0, false),
        TestDevice::Cuda(index) => (index, true),
    };
    let gpu = match Device::cuda(index) {
        Ok(gpu) => gpu,
        Err(error) if error.kind() == Kind::Unavailable && !asked => {
            println!("nothing compared: {error}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match compare(gpu) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares kernel by kernel, and returns how many disagree.
fn compare(gpu: Device) -> Result<usize, Error> {
    println!("{} against the emulator, {ELEMENTS} elements a kernel", gpu.info().name);
    let gpu = Machine::new(gpu)?;
    let cpu = Machine::new(Device::emulated(emulator::Config::default()))?;

    let mut inputs = Inputs::new();
    let (mut compared, mut different) = (0, 0);
    for entry in kernels::alone() {
        let job = Job::new(entry, &mut inputs, ELEMENTS);
        let (expected, found) = (cpu.run(entry.name, &job)?, gpu.run(entry.name, &job)?);
        let changed = expected.iter().zip(job.words()).filter(|(a, b)| **a != *b).count();
        let wrong = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        compared += 1;
        different += usize::from(wrong != 0);
        let verdict = if wrong == 0 { "agree".into() } else { format!("{wrong} words DIFFER") };
        println!("{:<24}{:>9} words, {changed:>8} written: {verdict}", entry.name, expected.len());
    }
    println!("{} of {compared} kernels agree", compared - different);
    Ok(different)
}
