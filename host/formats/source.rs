//! A file's bytes, memory-mapped where the system allows it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use zeroize::Zeroizing;

use super::{Destination, Error};

/// The bytes of one input file and the name to report it by. Clones share the bytes.
///
/// A regular file is mapped, not read: a key of 10 GiB costs page cache, not 10 GiB more. The file
/// must not be changed or truncated while it is in use; a truncated one ends the process with
/// `SIGBUS`, as with every mapping.
#[derive(Clone)]
pub struct Source {
    path: PathBuf,
    is_file: bool,
    bytes: Arc<Bytes>,
}

enum Bytes {
    Mapped(Mmap),
    /// Zeroed at the end: it may be a witness.
    Owned(Zeroizing<Vec<u8>>),
}

/// Bytes that tell what a file is.
const BEGINNING: u64 = 4;

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Source {
    /// Maps the file at `path`, or reads it where it cannot be mapped (a pipe, an empty file).
    ///
    /// # Errors
    ///
    /// [`Error`] with the path and the system's reason.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_beginning(path, |_| true)
    }

    /// The same, but of what cannot be mapped no more than its first four bytes where these are not accepted: an
    /// endless pipe of something else is then an error of whoever looks at them, and not the end of memory.
    ///
    /// # Errors
    ///
    /// As of [`open`](Self::open).
    pub fn open_beginning(
        path: impl AsRef<Path>,
        accepts: impl FnOnce(&[u8]) -> bool,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        let (is_file, bytes) = read(path, accepts).map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_owned(), is_file, bytes: Arc::new(bytes) })
    }

    /// Bytes that are in memory already; `name` stands for the path in errors.
    pub fn from_bytes(name: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Self { path: name.into(), is_file: false, bytes: Arc::new(Bytes::Owned(bytes.into())) }
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path is that of a regular file, beside which others can lie.
    pub(crate) fn is_file(&self) -> bool {
        self.is_file
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// The bytes, shared, without the name.
    pub(crate) fn shared(&self) -> crate::groth16::SharedBytes {
        self.bytes.clone()
    }
}

fn read(path: &Path, accepts: impl FnOnce(&[u8]) -> bool) -> io::Result<(bool, Bytes)> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // `/dev/stdin` may be a file, but not beside others of its own.
    let is_file = metadata.is_file() && matches!(Destination::of(path), Ok(Destination::File(_)));
    if metadata.is_file() && metadata.len() > 0 {
        // SAFETY: the map is read-only and the documented condition of `Source` is that nobody
        // changes the file meanwhile.
        if let Ok(map) = unsafe { Mmap::map(&file) } {
            return Ok((is_file, Bytes::Mapped(map)));
        }
    }
    let mut bytes = Zeroizing::new(Vec::new());
    file.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    if accepts(&bytes) {
        file.read_to_end(&mut bytes)?;
    }
    Ok((is_file, Bytes::Owned(bytes)))
}
