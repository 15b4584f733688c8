//! Compiled PTX, and the kernels in it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use ptx_emulator::LaunchConfig;

use super::argument::Argument;
use super::context::Context;
use super::device::Device;
use super::driver::Handle;
use super::error::{Error, Failure, Kind};
use super::signature::{self, Signature};

/// A module on a device. It stays there until the last of its kernels is gone and done.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    context: Arc<Context>,
    handle: Handle,
    kernels: Vec<Signature>,
}

impl Module {
    /// Compiles PTX for the device. That takes the driver up to half a second for each large
    /// kernel; what it has compiled before it finds in its cache.
    ///
    /// # Errors
    ///
    /// [`Kind::Ptx`], with the compiler's log.
    pub fn load(device: &Device, ptx: &str) -> Result<Self, Error> {
        let handle = device.0.call("loading of PTX", |d| d.load(ptx))?;
        Ok(Self::of(device, handle, signature::parse(ptx)))
    }

    /// Loads a module that is parsed already: once for any number of emulated devices.
    ///
    /// # Errors
    ///
    /// [`Kind::Argument`] if the device is not emulated.
    pub fn load_parsed(device: &Device, module: &ptx_emulator::Module) -> Result<Self, Error> {
        let handle = device.0.call("loading of a parsed module", |d| d.load_parsed(module))?;
        Ok(Self::of(device, handle, module.kernels().map(|k| Signature::from(&k)).collect()))
    }

    fn of(device: &Device, handle: Handle, kernels: Vec<Signature>) -> Self {
        Self(Arc::new(Inner { context: device.0.clone(), handle, kernels }))
    }

    /// The names of its kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.0.kernels.iter().map(|kernel| &*kernel.name)
    }

    /// A kernel by its name.
    ///
    /// # Errors
    ///
    /// [`Kind::Argument`], with the names that there are.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        let Some(at) = self.0.kernels.iter().position(|kernel| &*kernel.name == name) else {
            let known = self.kernels().collect::<Vec<_>>().join(", ");
            let failure =
                Failure::new(Kind::Argument, format!("there is none; there are: {known}"));
            return Err(Error::new(format!("kernel `{name}`"), failure));
        };
        let load = format!("loading of `{name}`");
        let handle = self.0.context.call(&load, |d| d.kernel(self.0.handle, name))?;
        Ok(Kernel { module: self.0.clone(), at, handle })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.context.release("unloading of a module", |d| d.unload(self.handle));
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: Vec<_> = self.kernels().collect();
        f.debug_struct("Module").field("kernels", &kernels).finish_non_exhaustive()
    }
}

/// What a kernel needs. What PTX does not show is None on the emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attributes {
    /// 32-bit registers a thread.
    pub registers: Option<u32>,
    /// Local memory a thread, in bytes: more than 0 is spilled registers or arrays.
    pub local_bytes: Option<u32>,
    /// Shared memory a block without what is asked for at launch, in bytes.
    pub shared_bytes: u32,
    /// Threads that a block may have.
    pub max_threads: u32,
}

impl Attributes {
    pub(super) fn new(shared_bytes: u32, max_threads: u32) -> Self {
        Self { registers: None, local_bytes: None, shared_bytes, max_threads }
    }
}

/// A kernel of a module. Clones are cheap.
#[derive(Clone)]
pub struct Kernel {
    module: Arc<Inner>,
    at: usize,
    handle: Handle,
}

impl Kernel {
    fn signature(&self) -> &Signature {
        &self.module.kernels[self.at]
    }

    /// Its name in the PTX.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.signature().name
    }

    /// The sizes of its parameters, in bytes: 8 for a pointer.
    #[must_use]
    pub fn parameters(&self) -> &[u32] {
        &self.signature().parameters
    }

    /// What it needs.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn attributes(&self) -> Result<Attributes, Error> {
        let what = format!("attributes of `{}`", self.name());
        self.module.context.call(&what, |d| d.attributes(self.handle))
    }

    /// How many blocks of so many threads, with so much dynamic shared memory, a multiprocessor
    /// holds at a time: a cooperative launch may have that many for each multiprocessor. On the
    /// emulator, which knows no registers, as many as threads and shared memory allow.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32, Error> {
        let what = format!("occupancy of `{}`", self.name());
        self.module.context.call(&what, |d| d.resident_blocks(self.handle, threads, shared_bytes))
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.module.context
    }

    pub(super) fn handle(&self) -> Handle {
        self.handle
    }

    pub(super) fn shared_name(&self) -> &Arc<str> {
        &self.signature().name
    }

    pub(super) fn module(&self) -> Arc<dyn Any + Send + Sync> {
        self.module.clone()
    }

    /// Whether it may be launched so, as far as the PTX tells.
    pub(super) fn accepts(
        &self,
        operation: &str,
        config: &LaunchConfig,
        arguments: &[Argument],
    ) -> Result<(), Error> {
        let parameters = self.parameters();
        if parameters.len() != arguments.len() {
            let why = format!("{} arguments for {} parameters", arguments.len(), parameters.len());
            return Err(Error::argument(operation, why));
        }
        for (at, (&parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
            if parameter as usize != argument.size() {
                let size = argument.size();
                let why = format!("argument {at} has {size} bytes, the parameter {parameter}");
                return Err(Error::argument(operation, why));
            }
        }
        if config.grid.count() == 0 || config.block.count() == 0 {
            return Err(Error::argument(operation, "no blocks, or no threads"));
        }
        Ok(())
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Kernel");
        debug.field("name", &self.name()).field("parameters", &self.parameters()).finish()
    }
}
