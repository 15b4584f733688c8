//! The driver of a CUDA device, on the crate `cust`: its contexts and devices, and its raw
//! bindings (`cust::sys`) for the rest.
//!
//! Its streams, copies, events and slices are not used: `Stream::new` drops the flag that keeps a
//! stream from waiting for the null stream, safe copies run on the null stream, waiting for an
//! event consumes it, and a slice may outlive its memory.
//!
//! # Without a CUDA toolkit, without a driver
//!
//! A program that is linked to `libcuda.so.1` does not start where there is no driver, and linking
//! it needs the library of a toolkit or driver. So [`shim`] defines those functions of the driver
//! that are used here and looks them up at run time; the linker needs no library then, and an empty
//! one in `link/` stands in for it. Three things remain:
//!
//! - The build script of `cust` fails where it finds no folder to look for libraries in. In this
//!   repository, `.cargo/config.toml` sets `CUDA_LIBRARY_PATH` to one. **A crate that depends on
//!   warpfield with the feature `cuda` and is built without a toolkit must set `CUDA_LIBRARY_PATH`
//!   itself**, to any folder that has a `lib64` in it (`/usr` on most machines).
//! - Our build script adds `link/` to what the linker searches, so that `-lcuda` finds something.
//!   Where a toolkit's library comes first nothing changes: no symbol of it is needed, so the
//!   linker leaves it out.
//! - The rest of `cust` does not link, unless against a toolkit's library.
//!
//! The shim has a second purpose. `cust` declares the driver's status as an enum of Rust's with the
//! codes of CUDA 11, and a code that came later would be undefined behaviour; the shim answers
//! `CUDA_ERROR_UNKNOWN` instead and keeps the code for our errors.

mod code;
mod shim;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::mem::{self, MaybeUninit};
use std::ptr::{self, NonNull};
use std::time::Duration;

use cust::CudaFlags;
use cust::context::Context;
use cust::sys::{self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute};
use ptx_emulator::LaunchConfig;

use super::argument::Argument;
use super::device::{Info, Memory};
use super::driver::{Driver, Handle, Pages, PinnedRange, Result};
use super::error::{Failure, Kind};
use super::module::Attributes;
use code::check;

/// `CU_STREAM_NON_BLOCKING`: no waiting for the null stream.
const NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`.
const UNTIMED: c_uint = 2;
/// Dynamic shared memory, in bytes, that a kernel may have without being asked for more.
const SHARED_BYTES: u32 = 48 << 10;

/// A device's primary context.
pub(super) struct Cuda {
    /// None only while it is dropped.
    context: Option<Context>,
    info: Info,
}

fn start() -> Result<()> {
    cust::init(CudaFlags::empty()).map_err(|_| code::last())
}

fn count() -> Result<u32> {
    cust::device::Device::num_devices().map_err(|_| code::last())
}

/// The device of this index.
pub(super) fn open(index: u32) -> Result<Cuda> {
    start()?;
    let count = count()?;
    if index >= count {
        let message = format!("there are {count}, numbered from 0");
        let failure = Failure::new(Kind::Unavailable, message);
        return Err(failure.remedy("`warpfield devices` lists them"));
    }
    let info = info(index)?;
    let device = cust::device::Device::get_device(index).map_err(|_| code::last())?;
    let context = Context::new(device).map_err(|_| code::last())?;
    Ok(Cuda { context: Some(context), info })
}

/// All devices.
pub(super) fn list() -> Result<Vec<Info>> {
    start()?;
    match count()? {
        0 => Err(Failure::new(Kind::Unavailable, "no CUDA device")),
        count => (0..count).map(info).collect(),
    }
}

fn info(index: u32) -> Result<Info> {
    let device = cust::device::Device::get_device(index).map_err(|_| code::last())?;
    let attribute = |attribute| {
        // SAFETY: the device exists, and the result has room.
        get(|value: *mut c_int| unsafe {
            sys::cuDeviceGetAttribute(value, attribute, device.as_raw())
        })
        .map(|value| u32::try_from(value).unwrap_or(0))
    };
    let mut bus = [0 as c_char; 32];
    // SAFETY: the device exists, and the text has room for one less than its length and a zero.
    check(unsafe { sys::cuDeviceGetPCIBusId(bus.as_mut_ptr(), 31, device.as_raw()) })?;
    // SAFETY: the last byte is a zero in any case.
    let bus = unsafe { CStr::from_ptr(bus.as_ptr()) };
    // SAFETY: the result has room.
    let version = get(|value: *mut c_int| unsafe { sys::cuDriverGetVersion(value) })?;
    let version = u32::try_from(version).unwrap_or(0);
    Ok(Info {
        index,
        name: device.name().map_err(|_| code::last())?,
        compute_capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        bus: Some(bus.to_string_lossy().to_lowercase()),
        driver: Some((version / 1000, version % 1000 / 10)),
    })
}

/// A value that the driver writes.
fn get<T>(call: impl FnOnce(*mut T) -> sys::CUresult) -> Result<T> {
    let mut value = MaybeUninit::uninit();
    check(call(value.as_mut_ptr()))?;
    // SAFETY: a call that succeeds has written it.
    Ok(unsafe { value.assume_init() })
}

fn handle<T>(pointer: *mut T) -> Handle {
    Handle(pointer.expose_provenance() as u64)
}

/// The driver's pointer, of the type that it had.
fn raw<T>(handle: Handle) -> *mut T {
    ptr::with_exposed_provenance_mut(handle.0 as usize)
}

impl Cuda {
    /// Makes the context this thread's: each call needs it, from whatever thread.
    fn bind(&self) -> Result<()> {
        let context = self.context.as_ref().expect("not dropped").as_raw();
        // SAFETY: the context is alive.
        check(unsafe { sys::cuCtxSetCurrent(context) })
    }

    /// A call in the context.
    fn call(&self, call: impl FnOnce() -> sys::CUresult) -> Result<()> {
        self.bind()?;
        check(call())
    }

    /// A query in the context: whether it is done.
    fn query(&self, call: impl FnOnce() -> sys::CUresult) -> Result<bool> {
        self.bind()?;
        match call() {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => check(code).map(|()| true),
        }
    }

    /// A value in the context.
    fn get<T>(&self, call: impl FnOnce(*mut T) -> sys::CUresult) -> Result<T> {
        self.bind()?;
        get(call)
    }

    fn function_attribute(&self, kernel: Handle, attribute: FunctionAttribute) -> Result<u32> {
        // SAFETY: a kernel of this driver; the result has room.
        let call = |v: *mut c_int| unsafe { sys::cuFuncGetAttribute(v, attribute, raw(kernel)) };
        self.get(call).map(|value| u32::try_from(value).unwrap_or(0))
    }

    fn static_shared(&self, kernel: Handle) -> Result<u32> {
        self.function_attribute(kernel, FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// Lets a kernel have as much dynamic shared memory as there is, if it is to have much.
    ///
    /// Always the same amount: other threads may launch it at the same time with more or less.
    fn allow_shared(&self, kernel: Handle, bytes: u32) -> Result<()> {
        let fixed = self.static_shared(kernel)?;
        if fixed.saturating_add(bytes) <= SHARED_BYTES {
            return Ok(());
        }
        let most = self.info.shared_bytes.saturating_sub(fixed);
        let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: a kernel of this driver.
        self.call(|| unsafe { sys::cuFuncSetAttribute(raw(kernel), attribute, most as c_int) })
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        let Some(context) = self.context.take() else { return };
        if let Err((_, context)) = Context::drop(context) {
            // Nobody is left whom a later call could tell.
            let failure = code::last();
            tracing::error!("release of CUDA device {}: {}", self.info.index, failure.message);
            mem::forget(context);
        }
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuda").field("index", &self.info.index).finish_non_exhaustive()
    }
}

// What the SAFETY comments rely on is the contract of `Driver`: handles are alive and of the right
// kind, and memory is alive and as long as the call says until the work is done.
impl Driver for Cuda {
    fn info(&self) -> &Info {
        &self.info
    }

    fn memory(&self) -> Result<Memory> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the results have room.
        self.call(|| unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok(Memory::new(free as u64, total as u64))
    }

    fn synchronize_device(&self) -> Result<()> {
        // SAFETY: no precondition.
        self.call(|| unsafe { sys::cuCtxSynchronize() })
    }

    fn alloc(&self, bytes: u64) -> Result<u64> {
        // SAFETY: the result has room.
        self.get(|address| unsafe { sys::cuMemAlloc_v2(address, bytes as usize) })
    }

    fn free(&self, address: u64) -> Result<()> {
        // SAFETY: an allocation of this driver, and no work uses it.
        self.call(|| unsafe { sys::cuMemFree_v2(address) })
    }

    fn alloc_pinned(&self, bytes: usize) -> Result<Pages> {
        // SAFETY: the result has room.
        let start: *mut c_void = self.get(|p| unsafe { sys::cuMemHostAlloc(p, bytes, 0) })?;
        let start = NonNull::new(start.cast::<u8>())
            .ok_or_else(|| Failure::new(Kind::OutOfMemory, "the driver gave none"))?;
        // SAFETY: so many bytes, which are ours.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Pages { handle: handle(start.as_ptr()), start })
    }

    fn free_pinned(&self, pages: &Pages) -> Result<()> {
        // SAFETY: an allocation of this driver, and no work uses it.
        self.call(|| unsafe { sys::cuMemFreeHost(pages.start.as_ptr().cast()) })
    }

    fn create_stream(&self) -> Result<Handle> {
        // SAFETY: the result has room.
        self.get(|s| unsafe { sys::cuStreamCreateWithPriority(s, NON_BLOCKING, 0) }).map(handle)
    }

    fn destroy_stream(&self, stream: Handle) -> Result<()> {
        // SAFETY: a stream of this driver.
        self.call(|| unsafe { sys::cuStreamDestroy_v2(raw(stream)) })
    }

    fn synchronize(&self, stream: Handle) -> Result<()> {
        // SAFETY: a stream of this driver.
        self.call(|| unsafe { sys::cuStreamSynchronize(raw(stream)) })
    }

    fn is_idle(&self, stream: Handle) -> Result<bool> {
        // SAFETY: a stream of this driver.
        self.query(|| unsafe { sys::cuStreamQuery(raw(stream)) })
    }

    fn create_event(&self, timed: bool) -> Result<Handle> {
        let flags = if timed { 0 } else { UNTIMED };
        // SAFETY: the result has room.
        self.get(|event| unsafe { sys::cuEventCreate(event, flags) }).map(handle)
    }

    fn destroy_event(&self, event: Handle) -> Result<()> {
        // SAFETY: an event of this driver; it may be one that work still waits for.
        self.call(|| unsafe { sys::cuEventDestroy_v2(raw(event)) })
    }

    fn record(&self, event: Handle, stream: Handle) -> Result<()> {
        // SAFETY: an event and a stream of this driver.
        self.call(|| unsafe { sys::cuEventRecord(raw(event), raw(stream)) })
    }

    fn wait(&self, stream: Handle, event: Handle) -> Result<()> {
        // SAFETY: a stream and an event of this driver.
        self.call(|| unsafe { sys::cuStreamWaitEvent(raw(stream), raw(event), 0) })
    }

    fn event_is_done(&self, event: Handle) -> Result<bool> {
        // SAFETY: an event of this driver.
        self.query(|| unsafe { sys::cuEventQuery(raw(event)) })
    }

    fn event_synchronize(&self, event: Handle) -> Result<()> {
        // SAFETY: an event of this driver.
        self.call(|| unsafe { sys::cuEventSynchronize(raw(event)) })
    }

    fn elapsed(&self, from: Handle, to: Handle) -> Result<Option<Duration>> {
        let mut milliseconds = 0.0;
        // SAFETY: two events of this driver; the result has room.
        let call = || unsafe { sys::cuEventElapsedTime(&mut milliseconds, raw(from), raw(to)) };
        if !self.query(call)? {
            return Ok(None);
        }
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).ok())
    }

    fn upload(&self, stream: Handle, to: u64, from: &[u8]) -> Result<()> {
        let (from, bytes) = (from.as_ptr().cast(), from.len());
        // SAFETY: so many bytes on both sides.
        self.call(|| unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, bytes, raw(stream)) })
    }

    fn download(&self, stream: Handle, to: &mut [u8], from: u64) -> Result<()> {
        let (to, bytes) = (to.as_mut_ptr().cast(), to.len());
        // SAFETY: so many bytes on both sides.
        self.call(|| unsafe { sys::cuMemcpyDtoHAsync_v2(to, from, bytes, raw(stream)) })
    }

    fn upload_pinned(&self, stream: Handle, to: u64, from: PinnedRange<'_>) -> Result<()> {
        // SAFETY: the range is inside the pages.
        let start = unsafe { from.pages.start.add(from.offset) }.as_ptr().cast();
        // SAFETY: so many bytes on both sides.
        self.call(|| unsafe { sys::cuMemcpyHtoDAsync_v2(to, start, from.bytes, raw(stream)) })
    }

    fn download_pinned(&self, stream: Handle, to: PinnedRange<'_>, from: u64) -> Result<()> {
        // SAFETY: the range is inside the pages.
        let start = unsafe { to.pages.start.add(to.offset) }.as_ptr().cast();
        // SAFETY: so many bytes on both sides.
        self.call(|| unsafe { sys::cuMemcpyDtoHAsync_v2(start, from, to.bytes, raw(stream)) })
    }

    fn copy(&self, stream: Handle, to: u64, from: u64, bytes: u64) -> Result<()> {
        // SAFETY: so many bytes on both sides.
        self.call(|| unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes as usize, raw(stream)) })
    }

    fn fill(&self, stream: Handle, to: u64, value: u8, bytes: u64) -> Result<()> {
        // SAFETY: so many bytes.
        self.call(|| unsafe { sys::cuMemsetD8Async(to, value, bytes as usize, raw(stream)) })
    }

    fn load(&self, ptx: &str) -> Result<Handle> {
        let text = CString::new(ptx).map_err(|_| Failure::new(Kind::Ptx, "it has a zero byte"))?;
        let mut log = vec![0u8; 16 << 10];
        // The size is passed as a pointer's value; the last byte stays a zero.
        let mut options = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values: [*mut c_void; 2] =
            [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len() - 1)];
        // SAFETY: a C string, two options with their values, and a buffer of the size given.
        let module = self.get(|module| unsafe {
            let (text, options) = (text.as_ptr().cast(), options.as_mut_ptr());
            sys::cuModuleLoadDataEx(module, text, 2, options, values.as_mut_ptr())
        });
        module.map(handle).map_err(|mut failure| {
            let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
            let log = String::from_utf8_lossy(&log[..end]);
            if !log.trim().is_empty() {
                failure.message = format!("{}: {}", failure.message, log.trim());
            }
            failure
        })
    }

    fn load_parsed(&self, _module: &ptx_emulator::Module) -> Result<Handle> {
        Err(Failure::new(Kind::Argument, "the device is not emulated"))
    }

    fn unload(&self, module: Handle) -> Result<()> {
        // SAFETY: a module of this driver, and no work uses it.
        self.call(|| unsafe { sys::cuModuleUnload(raw(module)) })
    }

    fn kernel(&self, module: Handle, name: &str) -> Result<Handle> {
        let name = CString::new(name);
        let name = name.map_err(|_| Failure::new(Kind::Argument, "a name with a zero byte"))?;
        // SAFETY: a module of this driver and a C string; the result has room.
        let call = |f| unsafe { sys::cuModuleGetFunction(f, raw(module), name.as_ptr()) };
        self.get(call).map(handle)
    }

    fn attributes(&self, kernel: Handle) -> Result<Attributes> {
        use FunctionAttribute as A;
        let get = |attribute| self.function_attribute(kernel, attribute);
        let threads = get(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        Ok(Attributes {
            registers: Some(get(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?),
            local_bytes: Some(get(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?),
            ..Attributes::new(self.static_shared(kernel)?, threads)
        })
    }

    fn resident_blocks(&self, kernel: Handle, threads: u32, shared_bytes: u32) -> Result<u32> {
        self.allow_shared(kernel, shared_bytes)?;
        let (threads, shared) = (threads as c_int, shared_bytes as usize);
        // SAFETY: a kernel of this driver; the result has room.
        let blocks = self.get(|blocks: *mut c_int| unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, raw(kernel), threads, shared)
        })?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    unsafe fn launch(
        &self,
        stream: Handle,
        kernel: Handle,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<()> {
        self.allow_shared(kernel, config.shared_bytes)?;
        let values = arguments.iter().map(|argument| argument.as_ptr().cast_mut().cast());
        let mut values: Vec<*mut c_void> = values.collect();
        let values = values.as_mut_ptr();
        let LaunchConfig { grid: g, block: b, shared_bytes: shared, .. } = *config;
        let (kernel, stream) = (raw(kernel), raw(stream));
        // SAFETY: a kernel and a stream of this driver; the driver reads, during the call, as many
        // values as the kernel has parameters, each of its size. The kernel is the caller's word.
        self.call(|| unsafe {
            if config.cooperative {
                sys::cuLaunchCooperativeKernel(
                    kernel, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, values,
                )
            } else {
                let extra = ptr::null_mut();
                sys::cuLaunchKernel(
                    kernel, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, values, extra,
                )
            }
        })
    }

    fn emulated(&self) -> Option<&ptx_emulator::Device> {
        None
    }
}
