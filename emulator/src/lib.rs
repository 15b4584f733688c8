#![doc = include_str!("../README.md")]
//!
//! # How to read the crate
//!
//! [`Module::parse`] takes text to decoded functions ([`Kernel`] names one that can be launched).
//! A [`Device`] has memory ([`DevicePtr`]), and runs launches at once ([`Device::launch`]) or from
//! a [`Stream`]. What went wrong in a kernel is a [`Report`], inside [`Error::Fault`].

mod config;
mod decode;
mod device;
mod error;
mod exec;
mod float;
mod ir;
mod lanes;
mod launch;
mod memory;
mod module;
mod pinned;
mod ptx;
mod queue;
mod report;
mod schedule;
mod stream;
mod text;

pub use config::{Call, Checks, Config};
pub use device::{Device, DevicePtr};
pub use error::{Error, ParseError};
pub use exec::Stats;
pub use ir::KernelParam;
pub use launch::{Arg, LaunchConfig};
pub use module::{Kernel, Module};
pub use pinned::PinnedBuffer;
pub use ptx::types::{Kind, Space, Type};
pub use report::{Access, Dim3, Fault, Line, Location, Report, Side, Source};
pub use stream::{Event, Stream};
