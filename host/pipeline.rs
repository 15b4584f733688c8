//! Proofs of many partitions on devices: who works where, and when.

pub mod interlock;
mod monitor;
pub mod stop;
mod sync;
