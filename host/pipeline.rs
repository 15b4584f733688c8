//! Proofs of several partitions on several devices.

pub mod timeline;
