//! Why there is no interlock, or no place in it.

use super::Strategy;
use crate::pipeline::stop::Stopped;

/// Why there is no interlock, or no place in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No strategy has this name.
    #[error("no lock strategy is named `{0}`; there are `two`, `none` and `single`")]
    Unknown(String),
    /// This build does not have the strategy.
    #[error(
        "the lock strategy `{}` is not compiled in; build with `--features {}`",
        .0.name(), .0.feature()
    )]
    NotCompiled(Strategy),
    /// A partition that never fits.
    #[error(
        "a partition of {bytes} bytes cannot be staged in {capacity}; give its device larger slots"
    )]
    TooLarge {
        /// Bytes to be reserved.
        bytes: usize,
        /// All bytes that there are for staged data.
        capacity: usize,
    },
    /// Cancelled, or out of time, while it waited.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}
