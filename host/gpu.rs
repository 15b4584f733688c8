//! Devices that run the kernels: memory, copies, streams, events, launches.
//!
//! The same types for an NVIDIA GPU ([`Device::cuda`], feature `cuda`, on the crate `cust`) and for
//! one emulated on the CPU ([`Device::emulated`], on [`emulator`]); what is written against them
//! runs on both.
//!
//! ```
//! use warpfield::gpu::{Device, LaunchConfig, Module, emulator};
//!
//! # fn main() -> Result<(), warpfield::gpu::Error> {
//! const PTX: &str = "
//!     .version 7.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry double(.param .u64 data) {
//!         .reg .b32 %r<3>;
//!         .reg .b64 %rd<2>;
//!         ld.param.u64 %rd1, [data];
//!         mov.u32 %r1, %tid.x;
//!         mad.wide.u32 %rd1, %r1, 4, %rd1;
//!         ld.global.u32 %r2, [%rd1];
//!         shl.b32 %r2, %r2, 1;
//!         st.global.u32 [%rd1], %r2;
//!         ret;
//!     }";
//!
//! let device = Device::emulated(emulator::Config::default());
//! let double = Module::load(&device, PTX)?.kernel("double")?;
//! let stream = device.stream()?;
//! let data = device.alloc::<u32>(4)?;
//! stream.upload(&data, &[1, 2, 3, 4])?;
//! // SAFETY: four threads double one of the four words each.
//! unsafe { stream.launch(&double, LaunchConfig::new(1, 4), (&data,))? };
//! let mut words = [0; 4];
//! stream.download(&data, &mut words)?;
//! assert_eq!(words, [2, 4, 6, 8]);
//! # Ok(())
//! # }
//! ```
//!
//! # Beside other libraries
//!
//! Memory and streams may be those of another library ([`DeviceSlice::from_raw_parts`],
//! [`Stream::from_raw`]), and ours may be used there ([`DeviceSlice::address`], [`Stream::as_raw`]).
//! Everything that takes a stream then runs in the other program's order, without copies or waits of its
//! own: single kernels ([`ptx::ENTRIES`](crate::ptx::ENTRIES) says what they take), sums
//! ([`msm::gpu::Msm::run`](crate::msm::gpu::Msm::run)), transforms
//! ([`ntt::GpuDomain`](crate::ntt::GpuDomain)). `examples/cudarc_msm.rs` is such a program.
//!
//! # What is kept alive
//!
//! Queued work holds what it uses: memory, modules and pinned buffers are freed when their last
//! handle is gone *and* the streams that use them are known to be past that: at the next
//! [`Stream::synchronize`], now and then when work is queued, at the latest when the stream is
//! dropped, which waits for it. A pinned buffer belongs to its copy until the copy is done
//! ([`Pending`]), so that it cannot be touched meanwhile.
//!
//! Everything holds its device's context and may be used from any thread. There is no global state
//! but the driver's own: two CUDA devices of one index share its primary context, and so the memory
//! and the faults.
//!
//! # Errors
//!
//! An [`Error`] keeps the operation, the driver's code with its name, and a remedy where there is
//! one. What a kernel does wrong shows in a later call, whichever it is, and from then on each call
//! of that device answers with that first error ([`Device::check`] tells). An emulated device is
//! then replaced by a new one. CUDA's driver gives the process no context any more, for this GPU at
//! least: on an H200 (CUDA 13.0) neither destroying the context, be it the primary one or one of
//! its own, nor resetting it helps, and a second context falls with the first. The process must be
//! started again.

mod argument;
mod buffer;
mod context;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod driver;
mod emulated;
mod error;
mod event;
mod module;
mod pending;
mod pinned;
mod plain;
mod queue;
mod signature;
mod staging;
mod stream;

pub use argument::{Argument, Arguments};
pub use buffer::{DeviceBuffer, DeviceSlice};
pub use device::{Device, Info, Memory};
pub use error::{Error, Kind};
pub use event::Event;
pub use module::{Attributes, Kernel, Module};
pub use pending::Pending;
pub(crate) use pinned::sealed;
pub use pinned::{PinnedBuffer, PinnedSource};
pub use plain::Plain;
pub(crate) use plain::bytes;
pub use ptx_emulator as emulator;
pub use ptx_emulator::{Dim3, LaunchConfig};
pub(crate) use staging::Staging;
pub use stream::Stream;
