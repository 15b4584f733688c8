//! The files of circom and snarkjs: `.zkey`, `.wtns`, `.r1cs`, and the JSON of proofs, public
//! signals and verification keys; and the keys of bellman ([`parameters`]).
//!
//! Everything read is checked before it is used; an [`Error`] names the file, the section, the
//! offset and the fault in one line.

mod container;
mod error;
mod inspect;
pub mod json;
mod output;
pub mod parameters;
mod point;
pub mod r1cs;
mod source;
pub mod wtns;
pub mod zkey;

pub use error::{Error, Fault};
pub use inspect::{Report, Section, has_magic, inspect};
pub use output::{Destination, Staged, write_atomically};
pub use source::Source;
