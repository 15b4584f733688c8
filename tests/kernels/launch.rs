//! Launches, on the device that `WARPFIELD_TEST_DEVICE` names.

use std::cell::RefCell;
use std::sync::{LazyLock, Mutex, PoisonError};

use proptest::test_runner::TestCaseError;
use ptx_emulator::{Config, Kernel};
use warpfield::gpu::{Argument, Device, DeviceBuffer, Error, Module, Stream};
use warpfield::ptx::{self, Block, Entry};

use crate::device::{self, TestDevice};
use crate::words::Words;

/// The module that ships, parsed once.
pub static MODULE: LazyLock<ptx_emulator::Module> =
    LazyLock::new(|| ptx_emulator::Module::parse(ptx::MODULE).expect("the emulator reads our PTX"));

/// A CUDA device with the module, until it is lost.
static LOADED: Mutex<Option<(Device, Module)>> = Mutex::new(None);

fn entry(kernel: &str) -> &'static Entry {
    ptx::entry(kernel).unwrap_or_else(|| panic!("{kernel} is not described"))
}

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

    /// The grid with as many threads of a block as the kernel takes.
    pub fn clipped(self, kernel: &str) -> Self {
        match entry(kernel).launch.block {
            Block::AtMost(most) => Self { threads: self.threads.min(most), ..self },
            Block::Exactly(threads) => Self { threads, ..self },
            _ => self,
        }
    }

    /// Threads of all blocks.
    pub fn size(self) -> usize {
        (self.blocks * self.threads) as usize
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
/// Every allocation has exactly the size of its content and, on the emulator, which checks
/// everything, lies apart from the others: the next byte is out of bounds.
pub struct Memory {
    device: Device,
    module: Module,
    stream: Stream,
    buffers: RefCell<Vec<DeviceBuffer<u32>>>,
}

/// An allocation of a [`Memory`].
#[derive(Clone, Copy)]
pub struct Pointer(usize);

/// An argument of a kernel.
pub enum Arg {
    Pointer(Pointer),
    U32(u32),
}

impl From<Pointer> for Arg {
    fn from(pointer: Pointer) -> Self {
        Self::Pointer(pointer)
    }
}

impl From<u32> for Arg {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl Memory {
    pub fn new() -> Self {
        let (device, module) = match device::named() {
            TestDevice::Emulated => {
                // One of its own for every launch; the module is parsed once for all.
                let device = Device::emulated(Config::default().threads(1));
                let module = Module::load_parsed(&device, &MODULE).expect("an emulated device");
                (device, module)
            }
            TestDevice::Cuda(index) => {
                let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
                // A faulting case loses the device, and the process with it: it does not shrink.
                let usable = loaded.take_if(|(device, _)| device.check().is_ok());
                let usable = usable.unwrap_or_else(|| {
                    let device = Device::cuda(index).unwrap_or_else(|error| {
                        // A panic would count as a fault of the case at hand, whose seed proptest keeps.
                        eprintln!("{error}");
                        std::process::exit(1)
                    });
                    let module = Module::load(&device, ptx::MODULE);
                    (device, module.unwrap_or_else(|error| panic!("{error}")))
                });
                loaded.insert(usable).clone()
            }
        };
        let stream = device.stream().expect("a stream");
        Self { device, module, stream, buffers: RefCell::default() }
    }

    pub fn upload(&self, words: &[u32]) -> Result<Pointer, TestCaseError> {
        let pointer = self.uninitialised(words.len())?;
        self.stream.upload(&self.buffers.borrow()[pointer.0], words).map_err(failure)?;
        Ok(pointer)
    }

    pub fn uninitialised(&self, words: usize) -> Result<Pointer, TestCaseError> {
        let mut buffers = self.buffers.borrow_mut();
        buffers.push(self.device.alloc(words).map_err(failure)?);
        Ok(Pointer(buffers.len() - 1))
    }

    pub fn download(&self, from: Pointer, words: usize) -> Result<Vec<u32>, TestCaseError> {
        let mut result = vec![0; words];
        let buffer = &self.buffers.borrow()[from.0];
        self.stream.download(&buffer.slice(..words), &mut result).map_err(failure)?;
        Ok(result)
    }

    pub fn launch(&self, kernel: &Kernel, grid: Grid, args: &[Arg]) -> Result<(), TestCaseError> {
        let buffers = self.buffers.borrow();
        let argument = |arg: &Arg| match arg {
            Arg::Pointer(pointer) => Argument::from(&buffers[pointer.0]),
            Arg::U32(value) => (*value).into(),
        };
        let arguments: Vec<Argument> = args.iter().map(argument).collect();
        assert_eq!(grid.clipped(kernel.name()).threads, grid.threads);
        // No more shared memory than it uses.
        let config = entry(kernel.name()).config(grid.blocks, grid.threads);
        let kernel = self.module.kernel(kernel.name()).map_err(failure)?;
        // SAFETY: whether it keeps to its arrays is what is tested, on the emulator first; nothing
        // else runs that uses them.
        unsafe { self.stream.launch(&kernel, config, arguments) }.map_err(failure)?;
        self.stream.synchronize().map_err(failure)
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
    memory.launch(&kernel(name), grid.clipped(name), &args)?;
    for (pointer, input) in inputs {
        if memory.download(pointer, input.len())? != input {
            return Err(TestCaseError::fail(format!("{name} changes its input")));
        }
    }
    let results = memory.download(out, rows.len() * words)?;
    Ok(results.chunks(words).map(|result| Words(result.into())).collect())
}
