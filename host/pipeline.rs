//! Proofs of many partitions on devices: who works where, and when.

#[cfg(feature = "ptx")]
pub mod engine;
pub mod interlock;
#[cfg(feature = "ptx")]
pub mod memory;
mod monitor;
#[cfg(feature = "ptx")]
pub mod pool;
pub mod stop;
mod sync;
pub mod timeline;
