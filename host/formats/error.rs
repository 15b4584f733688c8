//! What can be wrong with a file: which file, which section, which offset, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::curve::PointFault;

/// A file that cannot be used. Prints as one line: file, section, offset, cause.
#[derive(Debug)]
#[non_exhaustive]
pub struct Error {
    /// The file, as it was named by the caller.
    pub path: PathBuf,
    /// The section or field in which the fault lies.
    pub section: Option<String>,
    /// The fault's distance from the start of the file, in bytes.
    pub offset: Option<u64>,
    /// The fault.
    pub fault: Fault,
}

/// The fault itself. Each message ends in what the user can do where that is not obvious.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The system would not open, read or write the file.
    #[error("{error}{}", remedy(.0), error = .0)]
    Io(#[from] std::io::Error),
    /// The first four bytes are not those of the format.
    #[error(
        "not a {expected} file ({}); is it the right file, in the right place?",
        if found.is_empty() { "it is empty".into() } else { format!("it begins with {found:?}") }
    )]
    Magic {
        /// The format that was expected here.
        expected: &'static str,
        /// What the file begins with.
        found: String,
    },
    /// A version of the format that this library does not read.
    #[error(
        "version {found} of the format is not supported, only {supported} is; \
         make the file with a circom and snarkjs of that format"
    )]
    Version {
        /// In the file.
        found: u32,
        /// What can be read.
        supported: u32,
    },
    /// The file ends before what it announces.
    #[error("the file ends here, {missing} bytes short; copy or make it again")]
    Truncated {
        /// Bytes that should have followed.
        missing: u64,
    },
    /// A section ends before what it announces.
    #[error("the section ends here, {missing} bytes short; the file is damaged, make it again")]
    Short {
        /// Bytes that should have followed.
        missing: u64,
    },
    /// Bytes that belong to nothing.
    #[error("{0} bytes follow that belong to no section; the file is damaged, make it again")]
    Trailing(u64),
    /// A section that must be there is not.
    #[error("section missing; the file is incomplete, make it again")]
    Missing,
    /// A section that may be there once is there twice.
    #[error("section present twice; the file is damaged, make it again")]
    Repeated,
    /// A length that contradicts a count.
    #[error("{found} bytes where {expected} are needed for {what}; the file is damaged")]
    Length {
        /// What the bytes are for.
        what: String,
        /// Bytes needed.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// A number outside its range.
    #[error("{what} is {found}, which is not below {bound}; the file is damaged")]
    Range {
        /// What the number is.
        what: &'static str,
        /// In the file.
        found: u64,
        /// The first value that is too large.
        bound: u64,
    },
    /// Sizes that no valid circuit has.
    #[error("{0}; the file is damaged")]
    Inconsistent(String),
    /// Something that the format has and this library does not support.
    #[error("the file uses {0}; make it without")]
    Unsupported(&'static str),
    /// A proving system other than Groth16.
    #[error("the file is for {0}, not Groth16; make the key with `snarkjs groth16 setup`")]
    Protocol(String),
    /// A curve other than BLS12-381.
    #[error(
        "the file is for the curve {0}, only bls12381 is supported; \
         compile the circuit with `circom -p bls12381` and make the key from that"
    )]
    Curve(String),
    /// A value that is not reduced modulo r.
    #[error(
        "the value is not below the scalar field's modulus; \
         the file is damaged or for another curve"
    )]
    ScalarRange,
    /// A point that is not a point of the group.
    #[error("{0}; the file is damaged or was made to deceive")]
    Point(#[from] PointFault),
    /// The witness' first value is not one.
    #[error(
        "the first value of a witness must be 1; was it computed by the circuit's own program?"
    )]
    WitnessOne,
    /// Not JSON, or not the JSON that snarkjs writes.
    #[error("{0}")]
    Json(String),
}

/// What may help against an error of the system, where it does not say so itself.
fn remedy(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;

    /// Too many open files, on Linux and its kin.
    const EMFILE: i32 = 24;
    match error.kind() {
        ErrorKind::NotFound => "; is the path right?",
        ErrorKind::PermissionDenied => "; let this user do that, or choose another place",
        ErrorKind::IsADirectory => "; give the name of a file",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; make room, or write elsewhere",
        ErrorKind::OutOfMemory => "; it takes more memory than there is",
        ErrorKind::InvalidFilename => "; choose another name",
        ErrorKind::ResourceBusy | ErrorKind::ReadOnlyFilesystem => "; write elsewhere",
        _ if error.raw_os_error() == Some(EMFILE) => "; allow more, by `ulimit -n`",
        _ => "",
    }
}

impl Error {
    pub(crate) fn new(path: &Path, fault: impl Into<Fault>) -> Self {
        Self { path: path.to_owned(), section: None, offset: None, fault: fault.into() }
    }

    pub(crate) fn io(path: &Path, error: std::io::Error) -> Self {
        Self::new(path, error)
    }

    pub(crate) fn in_section(mut self, section: impl fmt::Display) -> Self {
        self.section.get_or_insert_with(|| section.to_string());
        self
    }

    pub(crate) fn at(mut self, offset: usize) -> Self {
        self.offset.get_or_insert(offset as u64);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(section) = &self.section {
            write!(f, ": {section}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ": offset {offset}")?;
        }
        write!(f, ": {}", self.fault)
    }
}

// The cause is part of the one line, so `source` does not repeat it.
impl std::error::Error for Error {}
