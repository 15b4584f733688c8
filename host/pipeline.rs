//! Proofs of many partitions on devices: who works where, and when.

pub mod interlock;
mod monitor;
#[cfg(feature = "ptx")]
pub mod pool;
pub mod stop;
mod sync;
