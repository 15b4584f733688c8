//! The driver of an emulated device.

use std::collections::HashMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ptx_emulator as emulator;
use ptx_emulator::{DevicePtr, LaunchConfig};

use super::argument::Argument;
use super::context::lock;
use super::device::{Info, Memory};
use super::driver::{Driver, Handle, Pages, PinnedRange, Result};
use super::error::{Failure, Kind};
use super::module::Attributes;

/// Threads that a multiprocessor of compute capability 8.0 holds.
const RESIDENT_THREADS: u32 = 2048;

/// Things by their handles.
struct Table<T>(Mutex<(u64, HashMap<u64, Arc<T>>)>);

impl<T> Table<T> {
    fn new() -> Self {
        Self(Mutex::new((0, HashMap::new())))
    }

    fn insert(&self, value: T) -> Handle {
        let (next, values) = &mut *lock(&self.0);
        *next += 1;
        values.insert(*next, Arc::new(value));
        Handle(*next)
    }

    fn get(&self, handle: Handle) -> Arc<T> {
        lock(&self.0).1.get(&handle.0).expect("a handle that is not destroyed").clone()
    }

    fn remove(&self, handle: Handle) {
        let removed = lock(&self.0).1.remove(&handle.0);
        // Not under the lock.
        drop(removed);
    }
}

/// Kernels by their module's handle and their place in it.
const KERNEL_BITS: u32 = 24;

pub(super) struct Emulated {
    device: emulator::Device,
    info: Info,
    streams: Table<emulator::Stream>,
    events: Table<emulator::Event>,
    pinned: Table<emulator::PinnedBuffer>,
    modules: Table<Vec<emulator::Kernel>>,
}

impl Emulated {
    pub fn new(config: emulator::Config) -> Self {
        let info = Info {
            index: 0,
            name: "emulated".into(),
            compute_capability: (8, 0),
            multiprocessors: 1,
            shared_bytes: config.shared_limit,
            bus: None,
            driver: None,
        };
        Self {
            device: emulator::Device::new(config),
            info,
            streams: Table::new(),
            events: Table::new(),
            pinned: Table::new(),
            modules: Table::new(),
        }
    }

    fn get_kernel(&self, kernel: Handle) -> emulator::Kernel {
        let kernels = self.modules.get(Handle(kernel.0 >> KERNEL_BITS));
        kernels[(kernel.0 & ((1 << KERNEL_BITS) - 1)) as usize].clone()
    }
}

impl fmt::Debug for Emulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.device.fmt(f)
    }
}

impl From<emulator::Error> for Failure {
    fn from(error: emulator::Error) -> Self {
        use emulator::Error as E;
        let kind = match error {
            E::OutOfMemory { .. } => Kind::OutOfMemory,
            E::NoSuchKernel { .. }
            | E::NoSuchVariable { .. }
            | E::BadLaunch { .. }
            | E::OtherDevice { .. }
            | E::PinnedRange { .. } => Kind::Argument,
            E::Fault(_) | E::BadAddress { .. } | E::PinnedInFlight { .. } | E::Stuck => Kind::Fault,
            _ => Kind::Other,
        };
        let kernel = error.report().map(|report| report.kernel.as_str().into());
        Self { kernel, ..Self::new(kind, error.to_string()) }
    }
}

fn pointer(address: u64) -> DevicePtr {
    DevicePtr::new(address)
}

impl Driver for Emulated {
    fn info(&self) -> &Info {
        &self.info
    }

    fn memory(&self) -> Result<Memory> {
        Ok(Memory::new(self.device.free_memory(), self.device.config().memory))
    }

    fn synchronize_device(&self) -> Result<()> {
        Ok(self.device.synchronize()?)
    }

    fn alloc(&self, bytes: u64) -> Result<u64> {
        Ok(self.device.alloc(bytes)?.address())
    }

    fn free(&self, address: u64) -> Result<()> {
        Ok(self.device.free(pointer(address))?)
    }

    fn alloc_pinned(&self, bytes: usize) -> Result<Pages> {
        let buffer = emulator::PinnedBuffer::new(&self.device, bytes as u64)?;
        let start = NonNull::new(buffer.as_ptr()).expect("an allocation");
        Ok(Pages { handle: self.pinned.insert(buffer), start })
    }

    fn free_pinned(&self, pages: &Pages) -> Result<()> {
        self.pinned.remove(pages.handle);
        Ok(())
    }

    fn create_stream(&self) -> Result<Handle> {
        Ok(self.streams.insert(self.device.stream()))
    }

    fn destroy_stream(&self, stream: Handle) -> Result<()> {
        self.streams.remove(stream);
        Ok(())
    }

    fn synchronize(&self, stream: Handle) -> Result<()> {
        Ok(self.streams.get(stream).synchronize()?)
    }

    fn is_idle(&self, stream: Handle) -> Result<bool> {
        Ok(self.streams.get(stream).is_idle()?)
    }

    fn create_event(&self, _timed: bool) -> Result<Handle> {
        Ok(self.events.insert(self.device.event()))
    }

    fn destroy_event(&self, event: Handle) -> Result<()> {
        self.events.remove(event);
        Ok(())
    }

    fn record(&self, event: Handle, stream: Handle) -> Result<()> {
        Ok(self.streams.get(stream).record(&self.events.get(event))?)
    }

    fn wait(&self, stream: Handle, event: Handle) -> Result<()> {
        Ok(self.streams.get(stream).wait(&self.events.get(event))?)
    }

    fn event_is_done(&self, event: Handle) -> Result<bool> {
        Ok(self.events.get(event).is_done()?)
    }

    fn event_synchronize(&self, event: Handle) -> Result<()> {
        Ok(self.events.get(event).synchronize()?)
    }

    fn elapsed(&self, from: Handle, to: Handle) -> Result<Option<Duration>> {
        Ok(self.events.get(to).elapsed_since(&self.events.get(from))?)
    }

    fn upload(&self, stream: Handle, to: u64, from: &[u8]) -> Result<()> {
        Ok(self.streams.get(stream).copy_to_device(pointer(to), from)?)
    }

    fn download(&self, stream: Handle, to: &mut [u8], from: u64) -> Result<()> {
        Ok(self.streams.get(stream).copy_to_host(to, pointer(from))?)
    }

    fn upload_pinned(&self, stream: Handle, to: u64, from: PinnedRange<'_>) -> Result<()> {
        let (buffer, offset) = (self.pinned.get(from.pages.handle), from.offset as u64);
        let stream = self.streams.get(stream);
        Ok(stream.copy_from_pinned(pointer(to), &buffer, offset, from.bytes as u64)?)
    }

    fn download_pinned(&self, stream: Handle, to: PinnedRange<'_>, from: u64) -> Result<()> {
        let (buffer, offset) = (self.pinned.get(to.pages.handle), to.offset as u64);
        let stream = self.streams.get(stream);
        Ok(stream.copy_to_pinned(&buffer, offset, pointer(from), to.bytes as u64)?)
    }

    fn copy(&self, stream: Handle, to: u64, from: u64, bytes: u64) -> Result<()> {
        Ok(self.streams.get(stream).copy_on_device(pointer(to), pointer(from), bytes)?)
    }

    fn fill(&self, stream: Handle, to: u64, value: u8, bytes: u64) -> Result<()> {
        Ok(self.streams.get(stream).fill(pointer(to), value, bytes)?)
    }

    fn load(&self, ptx: &str) -> Result<Handle> {
        let module = emulator::Module::parse(ptx);
        self.load_parsed(&module.map_err(|error| Failure::new(Kind::Ptx, error.to_string()))?)
    }

    fn load_parsed(&self, module: &emulator::Module) -> Result<Handle> {
        Ok(self.modules.insert(module.kernels().collect()))
    }

    fn unload(&self, module: Handle) -> Result<()> {
        self.modules.remove(module);
        Ok(())
    }

    fn kernel(&self, module: Handle, name: &str) -> Result<Handle> {
        let kernels = self.modules.get(module);
        let at = kernels.iter().position(|kernel| kernel.name() == name);
        let at = at.ok_or_else(|| Failure::new(Kind::Argument, "there is none of this name"))?;
        Ok(Handle(module.0 << KERNEL_BITS | at as u64))
    }

    fn attributes(&self, kernel: Handle) -> Result<Attributes> {
        let kernel = self.get_kernel(kernel);
        let limit = kernel.required_block().or(kernel.max_block());
        let threads = limit.map_or(1024, |block| block.iter().product());
        Ok(Attributes::new(kernel.static_shared(), threads))
    }

    fn resident_blocks(&self, kernel: Handle, threads: u32, shared_bytes: u32) -> Result<u32> {
        let attributes = self.attributes(kernel)?;
        let shared = attributes.shared_bytes.saturating_add(shared_bytes);
        if threads == 0 || threads > attributes.max_threads || shared > self.info.shared_bytes {
            return Ok(0);
        }
        let by_shared = self.info.shared_bytes.checked_div(shared).unwrap_or(u32::MAX);
        Ok((RESIDENT_THREADS / threads.next_multiple_of(32)).min(by_shared).min(32))
    }

    unsafe fn launch(
        &self,
        stream: Handle,
        kernel: Handle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<()> {
        let arguments: Vec<_> =
            arguments.iter().map(|argument| emulator::Arg::Bytes(argument.bytes())).collect();
        Ok(self.streams.get(stream).launch(&self.get_kernel(kernel), *config, &arguments)?)
    }

    fn emulated(&self) -> Option<&emulator::Device> {
        Some(&self.device)
    }
}
