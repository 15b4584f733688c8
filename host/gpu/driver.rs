//! What a device must be able to do: the seam between the types of this module and what is below.

use std::fmt;
use std::ptr::NonNull;
use std::time::Duration;

use ptx_emulator::LaunchConfig;

use super::argument::Argument;
use super::device::{Info, Memory};
use super::error::Failure;
use super::module::Attributes;

pub(super) type Result<T> = std::result::Result<T, Failure>;

/// A stream, event, module, kernel or piece of pinned memory of one driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Handle(pub u64);

/// Page-locked memory.
#[derive(Debug)]
pub(super) struct Pages {
    pub handle: Handle,
    /// Aligned to 8, initialised.
    pub start: NonNull<u8>,
}

/// A range of pinned memory, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PinnedRange<'a> {
    pub pages: &'a Pages,
    pub offset: usize,
    pub bytes: usize,
}

/// One device's driver.
///
/// Any thread may call anything. What callers owe, in every method: a handle is one that this
/// driver made, of the right kind, and is not destroyed; addresses are ranges inside live
/// allocations of this driver, which stay so until the queued work that names them is done; and so
/// does pinned memory, which nobody touches meanwhile as [`super::Pending`] says.
pub(super) trait Driver: fmt::Debug + Send + Sync {
    fn info(&self) -> &Info;
    fn memory(&self) -> Result<Memory>;
    fn synchronize_device(&self) -> Result<()>;

    /// At least one byte, aligned to 256.
    fn alloc(&self, bytes: u64) -> Result<u64>;
    fn free(&self, address: u64) -> Result<()>;
    /// At least one byte.
    fn alloc_pinned(&self, bytes: usize) -> Result<Pages>;
    fn free_pinned(&self, pages: &Pages) -> Result<()>;

    fn create_stream(&self) -> Result<Handle>;
    fn destroy_stream(&self, stream: Handle) -> Result<()>;
    fn synchronize(&self, stream: Handle) -> Result<()>;
    fn is_idle(&self, stream: Handle) -> Result<bool>;

    fn create_event(&self, timed: bool) -> Result<Handle>;
    fn destroy_event(&self, event: Handle) -> Result<()>;
    fn record(&self, event: Handle, stream: Handle) -> Result<()>;
    fn wait(&self, stream: Handle, event: Handle) -> Result<()>;
    fn event_is_done(&self, event: Handle) -> Result<bool>;
    fn event_synchronize(&self, event: Handle) -> Result<()>;
    /// Of two timed events that were recorded. None if one is not done, or the later one was first.
    fn elapsed(&self, from: Handle, to: Handle) -> Result<Option<Duration>>;

    /// From pageable memory. The caller keeps it as it is until the stream is synchronised.
    fn upload(&self, stream: Handle, to: u64, from: &[u8]) -> Result<()>;
    /// To pageable memory. The caller keeps it until the stream is synchronised.
    fn download(&self, stream: Handle, to: &mut [u8], from: u64) -> Result<()>;
    fn upload_pinned(&self, stream: Handle, to: u64, from: PinnedRange<'_>) -> Result<()>;
    fn download_pinned(&self, stream: Handle, to: PinnedRange<'_>, from: u64) -> Result<()>;
    /// Of ranges that do not overlap.
    fn copy(&self, stream: Handle, to: u64, from: u64, bytes: u64) -> Result<()>;
    fn fill(&self, stream: Handle, to: u64, value: u8, bytes: u64) -> Result<()>;

    /// The failure's message has the compiler's log.
    fn load(&self, ptx: &str) -> Result<Handle>;
    /// One that the emulator has parsed.
    fn load_parsed(&self, module: &ptx_emulator::Module) -> Result<Handle>;
    fn unload(&self, module: Handle) -> Result<()>;
    /// Lives as long as its module. The name is one of the module's.
    fn kernel(&self, module: Handle, name: &str) -> Result<Handle>;
    fn attributes(&self, kernel: Handle) -> Result<Attributes>;
    fn resident_blocks(&self, kernel: Handle, threads: u32, shared_bytes: u32) -> Result<u32>;
    /// The arguments are as many as the kernel's parameters, and of their sizes.
    ///
    /// # Safety
    ///
    /// What the kernel does with them.
    unsafe fn launch(
        &self,
        stream: Handle,
        kernel: Handle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<()>;

    /// The emulated device behind it.
    fn emulated(&self) -> Option<&ptx_emulator::Device>;
}
