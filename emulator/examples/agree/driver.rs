//! The few calls of the CUDA driver that a comparison needs, found in the library at run time.

use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

type Code = c_int;

/// The driver's functions, with a context of the first GPU made current for this thread.
pub struct Gpu {
    library: *mut c_void,
    name: String,
}

/// A loaded module.
pub struct Loaded(*mut c_void);

type Outcome<T> = Result<T, Box<dyn Error>>;

macro_rules! call {
    ($gpu:expr, $name:literal ($($t:ty: $v:expr),* $(,)?)) => {{
        let f = $gpu.symbol($name)?;
        // SAFETY: the types are those of the driver API's declaration of this function.
        let f: unsafe extern "C" fn($($t),*) -> Code = unsafe { std::mem::transmute(f) };
        // SAFETY: every pointer is to a local value or buffer that outlives the call, of the size
        // that the call is given.
        let code = unsafe { f($($v),*) };
        if code != 0 {
            return Err(format!("{} failed with {code}", $name).into());
        }
    }};
}

impl Gpu {
    /// Opens the driver and the first GPU.
    pub fn new() -> Outcome<Gpu> {
        // SAFETY: the name is a C string; opening the driver has no precondition.
        let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), 2) };
        if library.is_null() {
            return Err("there is no CUDA driver (libcuda.so.1)".into());
        }
        let mut gpu = Gpu { library, name: String::new() };
        let (mut device, mut context): (c_int, *mut c_void) = (0, std::ptr::null_mut());
        call!(gpu, "cuInit"(c_uint: 0));
        call!(gpu, "cuDeviceGet"(*mut c_int: &mut device, c_int: 0));
        call!(gpu, "cuDevicePrimaryCtxRetain"(*mut *mut c_void: &mut context, c_int: device));
        call!(gpu, "cuCtxSetCurrent"(*mut c_void: context));
        let mut name = [0 as c_char; 128];
        call!(gpu, "cuDeviceGetName"(*mut c_char: name.as_mut_ptr(), c_int: 127, c_int: device));
        // SAFETY: the driver ends the name with a zero, and the buffer with one in any case.
        gpu.name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        Ok(gpu)
    }

    /// The GPU's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn symbol(&self, name: &str) -> Outcome<*mut c_void> {
        let c = CString::new(name)?;
        // SAFETY: the library is open and the name a C string.
        let symbol = unsafe { dlsym(self.library, c.as_ptr()) };
        if symbol.is_null() { Err(format!("the driver has no {name}").into()) } else { Ok(symbol) }
    }

    /// Compiles PTX. The error has the driver's log.
    pub fn load(&self, text: &str) -> Outcome<Loaded> {
        let text = CString::new(text)?;
        let mut module = std::ptr::null_mut();
        let mut log = vec![0u8; 4096];
        // CU_JIT_ERROR_LOG_BUFFER and its size, which the driver takes as a pointer's value.
        let mut options: [c_int; 2] = [5, 6];
        let mut values: [*mut c_void; 2] =
            [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len() - 1)];
        let mut load = || -> Outcome<()> {
            call!(self, "cuModuleLoadDataEx"(
                *mut *mut c_void: &mut module,
                *const c_void: text.as_ptr().cast(),
                c_uint: 2,
                *mut c_int: options.as_mut_ptr(),
                *mut *mut c_void: values.as_mut_ptr(),
            ));
            Ok(())
        };
        let result = load();
        let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
        let log = String::from_utf8_lossy(&log[..end]);
        result.map_err(|e| format!("{e}: {}", log.trim()))?;
        Ok(Loaded(module))
    }

    /// Runs a kernel `(in, out, n)`; the output has half the input's size.
    pub fn run(
        &self,
        module: &Loaded,
        name: &str,
        input: &[u8],
        n: u32,
        block: u32,
    ) -> Outcome<Vec<u8>> {
        let cname = CString::new(name)?;
        let mut function = std::ptr::null_mut::<c_void>();
        call!(self, "cuModuleGetFunction"(
            *mut *mut c_void: &mut function,
            *mut c_void: module.0,
            *const c_char: cname.as_ptr(),
        ));
        let (mut from, mut to, mut n) = (0u64, 0u64, n);
        let mut output = vec![0u8; input.len() / 2];
        call!(self, "cuMemAlloc_v2"(*mut u64: &mut from, usize: input.len()));
        call!(self, "cuMemAlloc_v2"(*mut u64: &mut to, usize: output.len()));
        call!(self, "cuMemcpyHtoD_v2"(
            u64: from,
            *const c_void: input.as_ptr().cast(),
            usize: input.len(),
        ));
        let mut args: [*mut c_void; 3] =
            [(&raw mut from).cast(), (&raw mut to).cast(), (&raw mut n).cast()];
        call!(self, "cuLaunchKernel"(
            *mut c_void: function,
            c_uint: n / block, c_uint: 1, c_uint: 1,
            c_uint: block, c_uint: 1, c_uint: 1,
            c_uint: 0,
            *mut c_void: std::ptr::null_mut(),
            *mut *mut c_void: args.as_mut_ptr(),
            *mut *mut c_void: std::ptr::null_mut(),
        ));
        call!(self, "cuMemcpyDtoH_v2"(
            *mut c_void: output.as_mut_ptr().cast(),
            u64: to,
            usize: output.len(),
        ));
        call!(self, "cuMemFree_v2"(u64: from));
        call!(self, "cuMemFree_v2"(u64: to));
        Ok(output)
    }
}
