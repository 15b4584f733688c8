//! The driver's functions, looked up in its library at run time.
//!
//! These definitions are what the declarations in `cust::sys` link to. Besides forwarding, they
//! keep codes that its enum does not have away from it.

#![allow(non_snake_case, reason = "the driver's names")]

use std::cell::Cell;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cust::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUjit_option, CUmodule, CUresult, CUstream,
};
use libloading::Library;

/// The code for "there is no driver's library": that of a toolkit's stub of it.
pub(super) const NO_LIBRARY: c_uint = 34;
/// `CUDA_ERROR_NOT_FOUND`: the driver is too old to have the function.
const NO_SYMBOL: c_uint = 500;

#[cfg(windows)]
const NAME: &str = "nvcuda.dll";
#[cfg(not(windows))]
const NAME: &str = "libcuda.so.1";

thread_local! {
    /// What the driver last answered to this thread.
    static LAST: Cell<c_uint> = const { Cell::new(0) };
}

/// The code of this thread's last call.
pub(super) fn last() -> c_uint {
    LAST.get()
}

/// The library, as the dynamic linker has it: one for the process, never closed.
fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    // What the dynamic linker says is the error's source.
    let reason = |error: libloading::Error| error.source().unwrap_or(&error).to_string();
    // SAFETY: the driver's initialisers may run at any time.
    let open = || unsafe { Library::new(NAME) }.map_err(reason);
    LIBRARY.get_or_init(open).as_ref().map_err(|reason| &**reason)
}

/// Why there is no library.
pub(super) fn reason() -> &'static str {
    library().err().unwrap_or("it is there")
}

/// # Safety
///
/// `F` is the type of the function of this name.
unsafe fn symbol<F: Copy>(name: &CStr) -> Result<F, c_uint> {
    let library = library().map_err(|_| NO_LIBRARY)?;
    // SAFETY: the caller vouches for the type.
    let symbol = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    symbol.map(|symbol| *symbol).map_err(|_| NO_SYMBOL)
}

/// Keeps the code, and gives one that `CUresult` has.
fn answer(code: c_uint) -> CUresult {
    /// What a caller of `cust` may want to tell apart. Ours look at the code itself.
    const KNOWN: [CUresult; 8] = [
        CUresult::CUDA_SUCCESS,
        CUresult::CUDA_ERROR_NOT_READY,
        CUresult::CUDA_ERROR_INVALID_VALUE,
        CUresult::CUDA_ERROR_OUT_OF_MEMORY,
        CUresult::CUDA_ERROR_NOT_INITIALIZED,
        CUresult::CUDA_ERROR_NO_DEVICE,
        CUresult::CUDA_ERROR_INVALID_DEVICE,
        CUresult::CUDA_ERROR_INVALID_CONTEXT,
    ];
    LAST.set(code);
    let known = KNOWN.into_iter().find(|&known| known as c_uint == code);
    known.unwrap_or(CUresult::CUDA_ERROR_UNKNOWN)
}

/// The name and the meaning of a code, as the driver tells them.
pub(super) fn describe(code: c_uint) -> (String, String) {
    type Describe = unsafe extern "C" fn(c_uint, *mut *const c_char) -> c_uint;
    let ask = |function: &CStr| {
        // SAFETY: the type is that of both functions; an enum is passed as an integer.
        let describe: Describe = unsafe { symbol(function) }.ok()?;
        let mut text = ptr::null();
        // SAFETY: the result has room; an unknown code is an error, and the result null.
        if unsafe { describe(code, &mut text) } != 0 || text.is_null() {
            return None;
        }
        // SAFETY: a C string of the driver's, which is never freed.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    };
    let name = ask(c"cuGetErrorName").unwrap_or_else(|| "unknown".into());
    (name, ask(c"cuGetErrorString").unwrap_or_else(|| "the driver says no more".into()))
}

macro_rules! forward {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            type Function = unsafe extern "C" fn($($type),*) -> c_uint;
            static FUNCTION: OnceLock<Result<Function, c_uint>> = OnceLock::new();
            let name = const {
                match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                }
            };
            // SAFETY: the type is that of the declaration below, whose enum is an integer in C.
            answer(match FUNCTION.get_or_init(|| unsafe { symbol(name) }) {
                // SAFETY: the caller keeps to what the function asks for.
                Ok(function) => unsafe { function($($argument),*) },
                Err(code) => *code,
            })
        }

        // It is the function that `cust` declares.
        const _: unsafe extern "C" fn($($type),*) -> CUresult = sys::$name;
    )*};
}

forward! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    fn cuDeviceGetPCIBusId(bus: *mut c_char, length: c_int, device: CUdevice);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxSynchronize();

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemFreeHost(start: *mut c_void);
    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream);

    fn cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamQuery(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    fn cuEventCreate(event: *mut CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: CUevent);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventQuery(event: CUevent);
    fn cuEventSynchronize(event: CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);

    fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void,
    );
    fn cuModuleUnload(module: CUmodule);
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, kernel: CUfunction);
    fn cuFuncSetAttribute(kernel: CUfunction, attribute: CUfunction_attribute, value: c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        kernel: CUfunction,
        threads: c_int,
        shared_bytes: usize,
    );
    fn cuLaunchKernel(
        kernel: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuLaunchCooperativeKernel(
        kernel: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        arguments: *mut *mut c_void,
    );
}
