//! What a launch is given, and the checks that the driver makes of it.

use crate::decode::{Decoded, Entry};
use crate::device::{Device, DevicePtr};
use crate::error::Error;
use crate::exec;
use crate::ir::Const;
use crate::lanes::WARP;
use crate::module::Kernel;
use crate::ptx::types::Space;
use crate::report::Dim3;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Grid, block and shared memory of a launch.
///
/// ```
/// use ptx_emulator::LaunchConfig;
/// let config = LaunchConfig::new((4, 2), 256).shared_bytes(1024);
/// assert_eq!(config.grid.count() * config.block.count(), 2048);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// All blocks are resident at once, so that they may wait for each other.
    pub cooperative: bool,
}

impl LaunchConfig {
    /// A launch without dynamic shared memory.
    pub fn new(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        let (grid, block) = (grid.into(), block.into());
        LaunchConfig { grid, block, shared_bytes: 0, cooperative: false }
    }

    /// The same with dynamic shared memory.
    #[must_use]
    pub fn shared_bytes(mut self, bytes: u32) -> Self {
        self.shared_bytes = bytes;
        self
    }

    /// The same with all blocks resident, for kernels with a grid-wide barrier. How many blocks
    /// hardware could hold is not checked: that depends on registers that PTX does not show.
    #[must_use]
    pub fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }
}

/// A kernel argument. Its size must be that of the parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arg {
    /// An integer or float of one byte.
    U8(u8),
    /// Two bytes.
    U16(u16),
    /// Four bytes.
    U32(u32),
    /// Eight bytes.
    U64(u64),
    /// A float of four bytes.
    F32(f32),
    /// A float of eight bytes.
    F64(f64),
    /// A device address.
    Ptr(DevicePtr),
    /// A structure or array, as it lies in memory.
    Bytes(Vec<u8>),
}

macro_rules! arg_from {
    ($($t:ty => |$v:ident| $e:expr),* $(,)?) => {$(
        impl From<$t> for Arg {
            fn from($v: $t) -> Arg {
                $e
            }
        }
    )*};
}

arg_from! {
    u8 => |v| Arg::U8(v),
    u16 => |v| Arg::U16(v),
    u32 => |v| Arg::U32(v),
    i32 => |v| Arg::U32(v as u32),
    u64 => |v| Arg::U64(v),
    i64 => |v| Arg::U64(v as u64),
    usize => |v| Arg::U64(v as u64),
    f32 => |v| Arg::F32(v),
    f64 => |v| Arg::F64(v),
    DevicePtr => |v| Arg::Ptr(v),
    Vec<u8> => |v| Arg::Bytes(v),
}

impl Arg {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Arg::U8(v) => v.to_le_bytes().to_vec(),
            Arg::U16(v) => v.to_le_bytes().to_vec(),
            Arg::U32(v) => v.to_le_bytes().to_vec(),
            Arg::U64(v) => v.to_le_bytes().to_vec(),
            Arg::F32(v) => v.to_le_bytes().to_vec(),
            Arg::F64(v) => v.to_le_bytes().to_vec(),
            Arg::Ptr(p) => p.address().to_le_bytes().to_vec(),
            Arg::Bytes(b) => b.clone(),
        }
    }
}

/// Offsets of the shared variables that a kernel reaches, and the bytes of the static ones.
pub(crate) fn shared_layout(d: &Decoded, entry: &Entry) -> (Vec<Option<u32>>, u32) {
    let mut offsets = vec![None; d.vars.len()];
    let mut at = 0u32;
    for &v in entry.shared.iter().filter(|&&v| !d.vars[v as usize].dynamic) {
        let var = &d.vars[v as usize];
        at = at.checked_next_multiple_of(var.align).unwrap_or(u32::MAX);
        offsets[v as usize] = Some(at);
        at = at.saturating_add(var.size);
    }
    let fixed = at;
    // All dynamic ones start at the same place.
    let dynamic = || entry.shared.iter().filter(|&&v| d.vars[v as usize].dynamic);
    let align = dynamic().map(|&v| d.vars[v as usize].align).max().unwrap_or(1).max(16);
    at = at.checked_next_multiple_of(align).unwrap_or(u32::MAX);
    dynamic().for_each(|&v| offsets[v as usize] = Some(at));
    (offsets, fixed)
}

fn bad(kernel: &Kernel, why: impl Into<String>) -> Error {
    Error::BadLaunch { kernel: kernel.name().to_owned(), why: why.into() }
}

/// The limits of compute capability 8.0 and later.
fn check_dims(kernel: &Kernel, config: &LaunchConfig) -> Result<(), Error> {
    let LaunchConfig { grid, block, .. } = *config;
    if grid.count() == 0 || block.count() == 0 {
        return Err(bad(kernel, "an extent is zero"));
    }
    if block.count() > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64 {
        return Err(bad(kernel, format!("a block of {block} threads; the limit is 1024")));
    }
    if grid.x > i32::MAX as u32 || grid.y > 65535 || grid.z > 65535 {
        return Err(bad(kernel, format!("a grid of {grid} blocks")));
    }
    if grid.count() > u64::from(u32::MAX) {
        return Err(bad(kernel, "more than 2³² blocks cannot be emulated"));
    }
    let entry = kernel.entry();
    if let Some(r) = entry.reqntid
        && r != [block.x, block.y, block.z]
    {
        return Err(bad(kernel, format!("it requires blocks of {r:?} threads")));
    }
    if let Some(m) = entry.maxntid
        && block.count() > m.iter().map(|&n| u64::from(n)).product()
    {
        return Err(bad(kernel, format!("it allows blocks of at most {m:?} threads")));
    }
    Ok(())
}

fn param_bytes(kernel: &Kernel, args: &[Arg]) -> Result<Vec<u8>, Error> {
    let params = kernel.params();
    if params.len() != args.len() {
        let why = format!("{} arguments for {} parameters", args.len(), params.len());
        return Err(bad(kernel, why));
    }
    let mut buffer = vec![0; kernel.entry().param_bytes as usize];
    for (i, (p, a)) in params.iter().zip(args).enumerate() {
        let bytes = a.bytes();
        if bytes.len() != p.size as usize {
            let why = format!("argument {i} has {} bytes, the parameter {}", bytes.len(), p.size);
            return Err(bad(kernel, why));
        }
        buffer[p.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
    Ok(buffer)
}

/// A launch that has passed the checks and can be run later.
pub(crate) struct Prepared {
    kernel: Kernel,
    config: LaunchConfig,
    params: Vec<u8>,
}

pub(crate) fn prepare(
    device: &Device,
    kernel: &Kernel,
    config: &LaunchConfig,
    args: &[Arg],
) -> Result<Prepared, Error> {
    check_dims(kernel, config)?;
    let params = param_bytes(kernel, args)?;
    let limit = u64::from(device.config().shared_limit);
    let (_, fixed) = shared_layout(&kernel.module.decoded, kernel.entry());
    let shared = u64::from(fixed) + u64::from(config.shared_bytes);
    if shared > limit {
        let why = format!("{shared} bytes of shared memory; the limit is {limit}");
        return Err(bad(kernel, why));
    }
    Ok(Prepared { kernel: kernel.clone(), config: *config, params })
}

/// Runs a launch now.
pub(crate) fn run(device: &Device, p: &Prepared) -> Result<exec::Stats, Error> {
    static NEXT_LAUNCH: AtomicU64 = AtomicU64::new(1);
    let module = &p.kernel.module;
    let d = &module.decoded;
    let entry = p.kernel.entry();
    let vars = device.load(module)?;
    let (offsets, fixed) = shared_layout(d, entry);
    let value = |c: &Const| match *c {
        Const::Value(v) => v,
        Const::Var(v, addend) => {
            let v = v as usize;
            let at = match d.vars[v].space {
                Space::Shared => u64::from(offsets[v].unwrap_or(0)),
                _ => vars[v],
            };
            at.wrapping_add(addend as u64)
        }
    };
    let dynamic = entry.shared.iter().find(|&&v| d.vars[v as usize].dynamic);
    let from = dynamic.and_then(|&v| offsets[v as usize]).unwrap_or(fixed);
    let shared_bytes = from.saturating_add(p.config.shared_bytes);
    let named = |&v: &u32| {
        let var = &d.vars[v as usize];
        let size = if var.dynamic { p.config.shared_bytes } else { var.size };
        Some((var.name.clone(), offsets[v as usize]?, size))
    };
    let config = device.config();
    let threads = match config.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let launch = exec::Launch {
        module: d,
        entry,
        text: &module.text,
        memory: device.memory(),
        view: device.memory().view(),
        consts: d.consts.iter().map(|c| [value(c); WARP]).collect(),
        params: p.params.clone(),
        grid: p.config.grid,
        block: p.config.block,
        dynamic_shared: p.config.shared_bytes,
        shared_bytes,
        shared_vars: entry.shared.iter().filter_map(named).collect(),
        local_limit: config.local_limit,
        checks: config.checks,
        id: NEXT_LAUNCH.fetch_add(1, Relaxed),
        seed: config.seed,
        threads,
        cooperative: p.config.cooperative,
        budget: AtomicU64::new(config.step_limit),
        sync: exec::SyncVars::default(),
        locks: (0..64).map(|_| Mutex::new(())).collect(),
    };
    exec::run(&launch).map_err(Error::from)
}
