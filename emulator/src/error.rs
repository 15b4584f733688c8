//! The errors of the crate.

use crate::report::Report;

/// Text that is not PTX, or PTX that the emulator does not know. Nothing is ever skipped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PTX line {line}: {message}")]
pub struct ParseError {
    line: u32,
    message: String,
}

impl ParseError {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        ParseError { line, message: message.into() }
    }

    /// The line in the PTX text, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// What is wrong, without the line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// What the emulated device answers when it cannot do what it is asked to.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The module has no kernel of this name.
    #[error("the module has no kernel `{name}`; it has: {known}")]
    NoSuchKernel {
        /// The name asked for.
        name: String,
        /// The kernels that there are.
        known: String,
    },
    /// The module has no variable of this name.
    #[error("the module has no .global or .const variable `{name}`")]
    NoSuchVariable {
        /// The name asked for.
        name: String,
    },
    /// An allocation does not fit into the configured memory.
    #[error("out of device memory: {requested} bytes asked for, {free} of {total} free")]
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes left.
        free: u64,
        /// Bytes of the device.
        total: u64,
    },
    /// A failure that the test asked for.
    #[error("injected failure of {what} number {index}")]
    Injected {
        /// The kind of call.
        what: crate::config::Call,
        /// Its number, from 0.
        index: u64,
    },
    /// An address that is not, or no longer, inside an allocation.
    #[error("{what}: {bytes} bytes at {address:#x}: {why}")]
    BadAddress {
        /// The call.
        what: &'static str,
        /// First address.
        address: u64,
        /// Length of the access.
        bytes: u64,
        /// Which rule it breaks.
        why: &'static str,
    },
    /// A launch that the hardware would refuse.
    #[error("launch of `{kernel}` refused: {why}")]
    BadLaunch {
        /// The kernel.
        kernel: String,
        /// Which limit it breaks.
        why: String,
    },
    /// A handle of another device.
    #[error("the {what} belongs to another device")]
    OtherDevice {
        /// The kind of handle.
        what: &'static str,
    },
    /// A range outside a pinned buffer.
    #[error("bytes {offset}..{end} of a pinned buffer of {len}", end = offset.saturating_add(*bytes))]
    PinnedRange {
        /// First byte.
        offset: u64,
        /// Length.
        bytes: u64,
        /// Length of the buffer.
        len: u64,
    },
    /// Pinned memory that a queued copy still needs was written or freed, or it was read before
    /// the copy had filled it.
    #[error("a queued copy still uses bytes {offset}..{end} of this pinned buffer")]
    PinnedInFlight {
        /// First byte of the copy.
        offset: u64,
        /// End of the copy.
        end: u64,
    },
    /// Work waits for an event whose record can no longer run.
    #[error("streams are stuck: work waits for an event that is never recorded")]
    Stuck,
    /// A kernel did something wrong.
    #[error(transparent)]
    Fault(#[from] Box<Report>),
}

impl Error {
    /// The report, if a kernel was at fault.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        match self {
            Error::Fault(r) => Some(r),
            _ => None,
        }
    }
}
