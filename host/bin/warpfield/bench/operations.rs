//! Kernels that do one operation over and over, each checked against blst before it is timed.

use std::time::Duration;

use blst::{blst_fp, blst_fp2, blst_fr};
use warpfield::gpu::{
    Argument, Arguments, Device, DeviceBuffer, Error, Kernel, LaunchConfig, Module, Stream,
};
use warpfield::ptx::{self, Block};

use super::samples::{ToWords, words};
use crate::failure::Failure;

/// A device with the kernels on it.
pub struct Bench {
    pub device: Device,
    pub module: Module,
    pub stream: Stream,
    /// Emulated, so that little of everything is enough.
    pub small: bool,
}

/// An operation that is measured.
pub struct Operation {
    pub name: &'static str,
    /// How often a run does it.
    pub count: f64,
    /// Wide multiply-adds of one.
    pub wide: Option<u32>,
    /// The kernel that takes most of the time.
    pub kernel: Option<Kernel>,
    pub run: Run,
}

/// Queues a run.
pub type Run = Box<dyn Fn(&Stream) -> Result<(), Error>>;

impl Operation {
    /// Operations a second, in one run.
    pub fn rate(&self, bench: &Bench) -> Result<f64, Failure> {
        let (start, end) = (bench.device.event()?, bench.device.event()?);
        bench.stream.record(&start)?;
        (self.run)(&bench.stream)?;
        bench.stream.record(&end)?;
        bench.stream.synchronize()?;
        let elapsed = end.elapsed_since(&start)?.filter(|elapsed| *elapsed > Duration::ZERO);
        let elapsed = elapsed.ok_or_else(|| Failure::other(format!("{}: no time", self.name)))?;
        Ok(self.count / elapsed.as_secs_f64())
    }
}

impl Bench {
    pub fn new(device: Device) -> Result<Self, Error> {
        let module = Module::load(&device, ptx::MODULE)?;
        let stream = device.stream()?;
        let small = device.as_emulated().is_some();
        Ok(Self { device, module, stream, small })
    }

    /// A launch of a kernel with so many blocks for each multiprocessor.
    pub fn config(&self, kernel: &str, blocks: u32) -> LaunchConfig {
        let entry = ptx::entry(kernel).expect("a kernel of the module");
        let threads = match entry.launch.block {
            Block::AtMost(threads) => threads,
            _ => 256,
        };
        if self.small {
            return entry.config(1, threads.min(32));
        }
        entry.config(blocks * self.device.info().multiprocessors, threads)
    }

    /// So many, but few on the emulator.
    pub fn few(&self, many: u32) -> u32 {
        if self.small { 3 } else { many }
    }

    /// Memory of `count` values, which are the given ones over and over.
    pub fn repeated<T: ToWords>(
        &self,
        values: &[T],
        count: usize,
    ) -> Result<DeviceBuffer<u32>, Error> {
        let words = words(values);
        let buffer = self.device.alloc(words.len() / values.len() * count)?;
        let mut done = words.len().min(buffer.len());
        self.stream.upload(&buffer.slice(..done), &words[..done])?;
        while done < buffer.len() {
            let more = done.min(buffer.len() - done);
            self.stream.copy(&buffer.slice(done..done + more), &buffer.slice(..more))?;
            done += more;
        }
        Ok(buffer)
    }

    /// The first words of a buffer.
    pub fn first(&self, buffer: &DeviceBuffer<u32>, words: usize) -> Result<Vec<u32>, Error> {
        let mut first = vec![0; words.min(buffer.len())];
        self.stream.download(&buffer.slice(..first.len()), &mut first)?;
        Ok(first)
    }

    /// A copy of device memory: bytes read and written.
    pub fn copy(&self) -> Result<Operation, Failure> {
        let bytes = if self.small { 1 << 12 } else { 1 << 30 };
        let (from, to) = (self.device.alloc::<u64>(bytes / 8)?, self.device.alloc(bytes / 8)?);
        self.stream.fill(&from, 0x5a)?;
        let run: Run = Box::new(move |stream| stream.copy(&to, &from));
        let count = 2.0 * bytes as f64;
        Ok(Operation { name: "memory, bytes both ways", count, wide: None, kernel: None, run })
    }

    /// A kernel `name(values, rounds)` that does `each` of something in a round.
    pub fn limit(
        &self,
        name: &'static str,
        kernel: &str,
        values: &[blst_fp],
        each: usize,
    ) -> Result<Operation, Failure> {
        let (config, rounds) = (self.config(kernel, 32), self.few(1000));
        let values = self.repeated(values, threads(&config))?;
        let count = threads(&config) as f64 * f64::from(rounds) * each as f64;
        let kernel = self.module.kernel(kernel)?;
        // SAFETY: there is a value for each thread.
        let run = unsafe { launch(&kernel, config, (&values, rounds).into_list()) };
        Ok(Operation { name, count, wide: None, kernel: Some(kernel), run })
    }

    /// A kernel `name(values, rounds)` that does in each round an operation on a thread's value and
    /// what that was at first.
    pub fn chain<T: ToWords + Copy>(
        &self,
        name: &'static str,
        (kernel, wide): (&str, u32),
        values: &[T],
        rounds: u32,
        step: unsafe extern "C" fn(*mut T, *const T, *const T),
    ) -> Result<Operation, Failure> {
        let (config, rounds) = (self.config(kernel, 32), self.few(rounds));
        let buffer = self.repeated(values, threads(&config))?;
        let kernel = self.module.kernel(kernel)?;

        // SAFETY: there is a value for each thread.
        let check = unsafe { launch(&kernel, config, (&buffer, 3u32).into_list()) };
        check(&self.stream)?;
        let expected = values.iter().map(|first| {
            let mut value = *first;
            for _ in 0..3 {
                let before = value;
                // SAFETY: pointers to values, of which blst writes the first and reads the others.
                unsafe { step(&mut value, &before, first) };
            }
            value
        });
        let expected = words(&expected.collect::<Vec<_>>());
        same(name, &self.first(&buffer, expected.len())?, &expected)?;

        let count = threads(&config) as f64 * f64::from(rounds);
        // SAFETY: there is a value for each thread.
        let run = unsafe { launch(&kernel, config, (&buffer, rounds).into_list()) };
        Ok(Operation { name, count, wide: Some(wide), kernel: Some(kernel), run })
    }
}

/// Threads of a grid.
pub fn threads(config: &LaunchConfig) -> usize {
    config.grid.x as usize * config.block.x as usize
}

/// A run that is one launch.
///
/// # Safety
///
/// As of [`Stream::launch`].
pub unsafe fn launch(kernel: &Kernel, config: LaunchConfig, arguments: Vec<Argument>) -> Run {
    let kernel = kernel.clone();
    // SAFETY: the caller vouches for it.
    Box::new(move |stream| unsafe { stream.launch(&kernel, config, arguments.clone()) })
}

/// That the device's words are the right ones, as far as it has them.
pub fn same(name: &str, found: &[u32], expected: &[u32]) -> Result<(), Failure> {
    if found.is_empty() || found != &expected[..found.len()] {
        return Err(Failure::other(format!(
            "{name}: this device computes something else than blst"
        )));
    }
    Ok(())
}

/// A squaring, with the factor of a product left over.
///
/// # Safety
///
/// As of blst's functions.
unsafe extern "C" fn fp_sqr(out: *mut blst_fp, a: *const blst_fp, _: *const blst_fp) {
    // SAFETY: passed on.
    unsafe { blst::blst_fp_sqr(out, a) };
}

/// The fields' operations.
pub fn fields(
    bench: &Bench,
    fr: &[blst_fr],
    fp: &[blst_fp],
    fp2: &[blst_fp2],
) -> Result<Vec<Operation>, Failure> {
    Ok(vec![
        bench.chain("Fr multiplication", ("fr_mul_rate", 112), fr, 2000, blst::blst_fr_mul)?,
        bench.chain("Fp multiplication", ("fp_mul_rate", 252), fp, 1000, blst::blst_fp_mul)?,
        bench.chain("Fp squaring", ("fp_sqr_rate", 222), fp, 1000, fp_sqr)?,
        bench.chain("Fp2 multiplication", ("fp2_mul_rate", 720), fp2, 300, blst::blst_fp2_mul)?,
    ])
}
