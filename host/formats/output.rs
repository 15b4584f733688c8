//! Output files that appear whole or not at all.

mod destination;
mod hidden;

use std::fs::OpenOptions;
use std::io::{self, Write, stderr, stdout};
use std::path::{Path, PathBuf};

use super::Error;
pub use destination::Destination;
use hidden::Hidden;

/// A file that is written and waits to take its name. Dropped without
/// [`commit`](Self::commit) it leaves nothing.
///
/// On Linux, and where the file system can, the file has no name until then: nothing stays of a process that is
/// killed, either.
pub struct Staged {
    path: PathBuf,
    content: Content,
}

enum Content {
    /// In the target's folder.
    File { file: Hidden, target: PathBuf },
    /// For what cannot be replaced.
    Direct { bytes: Vec<u8>, destination: Destination },
}

impl Staged {
    /// Writes what will be the file at `path`. A link is followed. What goes to no file of its own
    /// (a pipe, `/dev/stdout`: see [`Destination`]) is kept in memory.
    ///
    /// # Errors
    ///
    /// [`Error`] with the path and the system's reason.
    pub fn write(
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Error> {
        let content = || match Destination::of(path)? {
            Destination::File(target) => {
                Ok(Content::File { file: Hidden::beside(&target, write)?, target })
            }
            destination => {
                let mut bytes = Vec::new();
                write(&mut bytes)?;
                Ok(Content::Direct { bytes, destination })
            }
        };
        let content = content().map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_owned(), content })
    }

    /// The same for a file that takes the place of whatever has the name, links too.
    pub(crate) fn write_replacing(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let file = Hidden::beside(path, |out| out.write_all(bytes));
        let file = file.map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_owned(), content: Content::File { file, target: path.to_owned() } })
    }

    /// Gives the file its name, in one step; a file that had it is replaced.
    ///
    /// # Errors
    ///
    /// [`Error`] with the path and the system's reason; what was there before stays.
    pub fn commit(self) -> Result<(), Error> {
        let result = match self.content {
            Content::File { file, target } => file.take_name(&target),
            Content::Direct { bytes, destination } => {
                write_directly(&self.path, destination, &bytes)
            }
        };
        result.map_err(|error| Error::io(&self.path, error))
    }

    /// Gives several their names: first writes those that go to pipes and devices, in this order, since more can go wrong
    /// there; then files, the last first.
    ///
    /// # Errors
    ///
    /// As of [`commit`](Self::commit); those that are left do not take their names.
    pub fn commit_all<const N: usize>(all: [Self; N]) -> Result<(), Error> {
        let is_file = |staged: &Self| matches!(staged.content, Content::File { .. });
        let (files, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_file);
        others.into_iter().chain(files.into_iter().rev()).try_for_each(Self::commit)
    }
}

/// [`Staged::write`] and [`Staged::commit`] at once.
///
/// # Errors
///
/// As theirs.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    Staged::write(path, write)?.commit()
}

fn write_directly(path: &Path, destination: Destination, bytes: &[u8]) -> io::Result<()> {
    fn all(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
        out.write_all(bytes)?;
        out.flush()
    }
    match destination {
        Destination::Descriptor(0) => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "is not for writing; name a file"))
        }
        // Not opened again: what is printed goes on at the position that they share.
        Destination::Descriptor(1) => all(stdout(), bytes),
        Destination::Descriptor(2) => all(stderr(), bytes),
        _ => all(OpenOptions::new().append(true).open(path)?, bytes),
    }
}
