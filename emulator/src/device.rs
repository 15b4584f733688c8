//! The emulated device: memory, immediate copies and launches, injected failures.

use crate::config::{Call, Config};
use crate::decode::ModInit;
use crate::error::Error;
use crate::exec::Stats;
use crate::ir::{CODE_STEP, CODE_WINDOW};
use crate::launch::{self, Arg, LaunchConfig};
use crate::memory::GlobalMemory;
use crate::module::{Inner as ModuleInner, Kernel, Module};
use crate::ptx::types::Space;
use crate::queue::Queues;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An address of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DevicePtr(u64);

impl DevicePtr {
    /// A pointer of this value, whatever it points to.
    #[must_use]
    pub const fn new(address: u64) -> Self {
        DevicePtr(address)
    }

    /// The address.
    #[must_use]
    pub const fn address(self) -> u64 {
        self.0
    }

    /// The address some bytes further.
    #[must_use]
    pub const fn add(self, bytes: u64) -> Self {
        DevicePtr(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for DevicePtr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Which calls are to fail, and how many there were.
#[derive(Default)]
struct Plan {
    count: BTreeMap<Call, u64>,
    fail: BTreeSet<(Call, u64)>,
}

pub(crate) struct Inner {
    config: Config,
    memory: GlobalMemory,
    /// Addresses of the variables of modules in use.
    loaded: Mutex<HashMap<u64, Arc<Vec<u64>>>>,
    plan: Mutex<Plan>,
    pub(crate) queues: Mutex<Queues>,
}

/// An emulated GPU. Clones are handles to the same one; it may be used from any thread.
///
/// The methods here act at once and wait for no stream, as calls of the driver do that concern
/// streams made with the flag "non-blocking". Queued work is on [`Stream`](crate::Stream).
#[derive(Clone)]
pub struct Device(pub(crate) Arc<Inner>);

pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that is kept under these locks is left half done by a panic.
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// A device.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Device(Arc::new(Inner {
            memory: GlobalMemory::new(config.memory, config.checks.uninitialised),
            loaded: Mutex::default(),
            plan: Mutex::default(),
            queues: Mutex::new(Queues::new(config.seed)),
            config,
        }))
    }

    /// What it was made with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn memory(&self) -> &GlobalMemory {
        &self.0.memory
    }

    /// Bytes of device memory that are free.
    #[must_use]
    pub fn free_memory(&self) -> u64 {
        self.0.memory.free_bytes()
    }

    /// Makes the call of this number (from 0, as [`Device::calls`] counts) fail with
    /// [`Error::Injected`].
    pub fn fail_at(&self, call: Call, index: u64) {
        lock(&self.0.plan).fail.insert((call, index));
    }

    /// Calls of this kind so far.
    #[must_use]
    pub fn calls(&self, call: Call) -> u64 {
        lock(&self.0.plan).count.get(&call).copied().unwrap_or(0)
    }

    pub(crate) fn count(&self, call: Call) -> Result<(), Error> {
        let mut plan = lock(&self.0.plan);
        let count = plan.count.entry(call).or_insert(0);
        let index = *count;
        *count += 1;
        if plan.fail.remove(&(call, index)) {
            return Err(Error::Injected { what: call, index });
        }
        Ok(())
    }

    /// Allocates device memory, aligned to 512 bytes, contents undefined.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], and injected failures.
    pub fn alloc(&self, bytes: u64) -> Result<DevicePtr, Error> {
        self.count(Call::Alloc)?;
        Ok(DevicePtr(self.0.memory.alloc(bytes, None, false)?.base))
    }

    /// Frees an allocation at once. Work that is still queued and uses it is then at fault.
    ///
    /// # Errors
    ///
    /// [`Error::BadAddress`] if it is not the start of a live allocation, and injected failures.
    pub fn free(&self, p: DevicePtr) -> Result<(), Error> {
        self.count(Call::Free)?;
        self.free_now(p)
    }

    pub(crate) fn free_now(&self, p: DevicePtr) -> Result<(), Error> {
        self.0.memory.free(p.0)
    }

    /// Copies to the device.
    ///
    /// # Errors
    ///
    /// A range that is not inside one live allocation, and injected failures.
    pub fn copy_to_device(&self, to: DevicePtr, from: &[u8]) -> Result<(), Error> {
        self.count(Call::Copy)?;
        self.write(to, from)
    }

    /// Copies from the device.
    ///
    /// # Errors
    ///
    /// As [`Device::copy_to_device`].
    pub fn copy_to_host(&self, to: &mut [u8], from: DevicePtr) -> Result<(), Error> {
        self.count(Call::Copy)?;
        self.read(to, from)
    }

    /// Copies within the device. The ranges may not overlap.
    ///
    /// # Errors
    ///
    /// As [`Device::copy_to_device`].
    pub fn copy_on_device(&self, to: DevicePtr, from: DevicePtr, bytes: u64) -> Result<(), Error> {
        self.count(Call::Copy)?;
        self.copy(to, from, bytes)
    }

    /// Sets bytes.
    ///
    /// # Errors
    ///
    /// As [`Device::copy_to_device`].
    pub fn fill(&self, to: DevicePtr, value: u8, bytes: u64) -> Result<(), Error> {
        self.count(Call::Copy)?;
        self.set(to, value, bytes)
    }

    /// Runs a kernel and waits for it.
    ///
    /// # Errors
    ///
    /// [`Error::BadLaunch`] for what the driver would refuse, [`Error::Fault`] with a report for
    /// what the kernel did wrong, and injected failures.
    pub fn launch(
        &self,
        kernel: &Kernel,
        config: LaunchConfig,
        args: &[Arg],
    ) -> Result<Stats, Error> {
        self.count(Call::Launch)?;
        let prepared = launch::prepare(self, kernel, &config, args)?;
        launch::run(self, &prepared)
    }

    /// The address and size of a `.global` or `.const` variable on this device.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchVariable`], or no memory to load the module.
    pub fn variable(&self, module: &Module, name: &str) -> Result<(DevicePtr, u64), Error> {
        let addresses = self.load(&module.0)?;
        let vars = &module.0.decoded.vars;
        let found = vars.iter().position(|v| v.name == name && v.space != Space::Shared);
        let i = found.ok_or_else(|| Error::NoSuchVariable { name: name.to_owned() })?;
        Ok((DevicePtr(addresses[i]), u64::from(vars[i].size)))
    }

    pub(crate) fn write(&self, to: DevicePtr, from: &[u8]) -> Result<(), Error> {
        let (a, offset) = self.0.memory.range("copy to device", to.0, from.len() as u64)?;
        for (i, part) in from.chunks(1 << 30).enumerate() {
            a.write(offset + (i as u64) * (1 << 30), part);
        }
        Ok(())
    }

    pub(crate) fn read(&self, to: &mut [u8], from: DevicePtr) -> Result<(), Error> {
        let (a, offset) = self.0.memory.range("copy to host", from.0, to.len() as u64)?;
        a.read(offset, to);
        Ok(())
    }

    pub(crate) fn copy(&self, to: DevicePtr, from: DevicePtr, bytes: u64) -> Result<(), Error> {
        let what = "copy on device";
        let (source, from) = self.0.memory.range(what, from.0, bytes)?;
        let (target, to) = self.0.memory.range(what, to.0, bytes)?;
        target.copy_from(to, &source, from, bytes);
        Ok(())
    }

    pub(crate) fn set(&self, to: DevicePtr, value: u8, bytes: u64) -> Result<(), Error> {
        let (a, offset) = self.0.memory.range("fill", to.0, bytes)?;
        a.fill(offset, value, bytes);
        Ok(())
    }

    /// Addresses of a module's variables, which are allocated on first use.
    pub(crate) fn load(&self, module: &ModuleInner) -> Result<Arc<Vec<u64>>, Error> {
        let mut loaded = lock(&self.0.loaded);
        if let Some(v) = loaded.get(&module.id) {
            return Ok(v.clone());
        }
        let vars = &module.decoded.vars;
        let mut allocs = Vec::with_capacity(vars.len());
        for v in vars {
            let read_only = match v.space {
                Space::Global => false,
                Space::Const => true,
                _ => {
                    allocs.push(None);
                    continue;
                }
            };
            let a = self.0.memory.alloc(u64::from(v.size), Some(&v.name), read_only)?;
            allocs.push(Some(a));
        }
        let base = |i: usize| allocs[i].as_ref().map_or(0, |a| a.base);
        for (v, a) in vars.iter().zip(&allocs) {
            let Some(a) = a else { continue };
            let mut bytes = Vec::with_capacity(v.size as usize);
            for init in &v.init {
                let (value, n) = match *init {
                    ModInit::Value { bytes, value } => (value, bytes),
                    ModInit::Var { bytes, var, addend, shift } => {
                        (base(var as usize).wrapping_add(addend as u64) >> shift, bytes)
                    }
                    ModInit::Func { bytes, func, shift } => {
                        ((CODE_WINDOW + u64::from(func) * CODE_STEP) >> shift, bytes)
                    }
                };
                bytes.extend_from_slice(&value.to_le_bytes()[..n as usize]);
            }
            // What has no initial value is zero.
            bytes.resize(v.size as usize, 0);
            a.write(0, &bytes);
        }
        let addresses: Arc<Vec<u64>> = Arc::new((0..vars.len()).map(base).collect());
        loaded.insert(module.id, addresses.clone());
        Ok(addresses)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("config", &self.0.config).finish_non_exhaustive()
    }
}
