//! The kernels, compiled to PTX by the build script, and what each of them takes.
//!
//! For programs that launch kernels themselves, be it with [`gpu`](crate::gpu) or with a CUDA library
//! of their own: [`MODULE`] is what the driver loads, and [`ENTRIES`] says for each kernel which
//! arguments it has and which launch it takes. What its caller must see to is in its
//! [`docs`](Entry::docs).
//!
//! ```
//! use warpfield::gpu::{Device, Module, emulator};
//! use warpfield::ptx::{self, Grid};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let entry = ptx::entry("msm_tile_sums").expect("a kernel of every build");
//! let names: Vec<_> = entry.parameters.iter().map(|p| (p.name, p.rust_type)).collect();
//! assert_eq!(names[..2], [("sums", "*mut u32"), ("counts", "*const u32")]);
//! assert_eq!(names[2..], [("tiles", "u32"), ("log", "u32")]);
//! assert_eq!(entry.launch.grid, Grid::Covering);
//!
//! let device = Device::emulated(emulator::Config::default());
//! let kernel = Module::load(&device, ptx::MODULE)?.kernel(entry.name)?;
//! let stream = device.stream()?;
//! let (sums, counts) = (device.alloc::<u32>(3)?, device.alloc::<u32>(3 * 1024)?);
//! stream.upload(&counts, &[2; 3 * 1024])?;
//! // SAFETY: as the kernel's docs ask: the counters of three tiles, and a warp and a sum for each.
//! unsafe { stream.launch(&kernel, entry.config(1, 3 * 32), (&sums, &counts, 3u32, 10u32))? };
//! let mut found = [0; 3];
//! stream.download(&sums, &mut found)?;
//! assert_eq!(found, [2 * 1024; 3]);
//! # Ok(())
//! # }
//! ```

pub use warpfield_device::launch::{Block, Grid, Launch, Shared};

use ptx_emulator::{Dim3, LaunchConfig};

/// The PTX module that holds every kernel of `warpfield-device`, as text.
///
/// It is for the architecture named by `WARPFIELD_PTX_ARCH` at build time (`sm_80` by default) and
/// every later one: the driver compiles it for the GPU at hand when it is loaded. Where `DOCS_RS` is set at
/// build time, as docs.rs does, it is empty.
pub const MODULE: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

/// Every kernel of [`MODULE`]. Those of single operations need the feature `test-kernels`.
pub const ENTRIES: &[Entry] = {
    use warpfield_device::curve::*;
    use warpfield_device::field::*;
    use warpfield_device::launch;
    use warpfield_device::ntt::twiddle::Twiddle;

    include!(concat!(env!("OUT_DIR"), "/entries.rs"))
};

/// The kernel of this name.
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// What a kernel takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name in the PTX.
    pub name: &'static str,
    /// Its parameters, in order.
    pub parameters: &'static [Parameter],
    /// Threads, blocks and shared memory.
    pub launch: Launch,
    /// What it computes and, under "Safety", what its caller must see to: the documentation of its
    /// source, in Markdown.
    pub docs: &'static str,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name in the source; in PTX parameters have numbers.
    pub name: &'static str,
    /// Its type in the source: an integer's, or a pointer's to a type of `warpfield_device`.
    pub rust_type: &'static str,
    /// Bytes of the argument.
    pub bytes: u32,
    /// Of the address of an array in global memory, what it has.
    pub elements: Option<Elements>,
}

/// Elements of an array that a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Elements {
    /// Bytes of one.
    pub bytes: u32,
    /// Whether the kernel writes them.
    pub written: bool,
}

impl Entry {
    /// The launch of so many blocks, in one dimension or two, of so many threads, with the shared
    /// memory that these use; where arguments say how much ([`Shared::ByArguments`]) it has none, which
    /// [`LaunchConfig::shared_bytes`] sets.
    #[must_use]
    pub fn config(&self, blocks: impl Into<Dim3>, threads: u32) -> LaunchConfig {
        LaunchConfig::new(blocks, threads).shared_bytes(self.launch.shared_bytes(threads))
    }
}

impl Parameter {
    const fn number<T>(name: &'static str, rust_type: &'static str) -> Self {
        Self { name, rust_type, bytes: size_of::<T>() as u32, elements: None }
    }

    const fn read<T>(name: &'static str, rust_type: &'static str) -> Self {
        let elements = Elements { bytes: size_of::<T>() as u32, written: false };
        Self { elements: Some(elements), ..Self::number::<u64>(name, rust_type) }
    }

    const fn written<T>(name: &'static str, rust_type: &'static str) -> Self {
        let elements = Elements { bytes: size_of::<T>() as u32, written: true };
        Self { elements: Some(elements), ..Self::number::<u64>(name, rust_type) }
    }
}
