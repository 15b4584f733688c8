//! Output files that appear whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Error;

/// Links that are followed before a chain of them counts as a loop.
const MOST_LINKS: usize = 40;

/// A file that is written and waits to take its name. Dropped without
/// [`commit`](Self::commit) it leaves nothing.
pub struct Staged {
    path: PathBuf,
    content: Content,
}

enum Content {
    /// Beside the target.
    File { file: NamedTempFile, target: PathBuf },
    /// For a pipe or a device, which cannot be replaced.
    Direct(Vec<u8>),
}

impl Staged {
    /// Writes what will be the file at `path`: into a temporary file beside it. A link is followed.
    /// What is for a path that exists and is no regular file (a pipe, `/dev/stdout`) is kept in
    /// memory.
    ///
    /// # Errors
    ///
    /// [`Error`] with the path and the system's reason.
    pub fn write(
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Error> {
        let content = || match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                let mut bytes = Vec::new();
                write(&mut bytes)?;
                Ok(Content::Direct(bytes))
            }
            _ => beside(follow_links(path)?, write),
        };
        let content = content().map_err(|error| Error::io(path, error))?;
        Ok(Self { path: path.to_owned(), content })
    }

    /// The same for a file that takes the place of whatever has the name, links too.
    pub(crate) fn write_replacing(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let content = beside(path.to_owned(), |out| out.write_all(bytes));
        Ok(Self {
            path: path.to_owned(),
            content: content.map_err(|error| Error::io(path, error))?,
        })
    }

    /// Gives the file its name, in one step; a file that had it is replaced.
    ///
    /// # Errors
    ///
    /// [`Error`] with the path and the system's reason; what was there before stays.
    pub fn commit(self) -> Result<(), Error> {
        let result = match self.content {
            Content::File { file, target } => {
                file.persist(target).map(drop).map_err(|error| error.error)
            }
            Content::Direct(bytes) => write_directly(&self.path, &bytes),
        };
        result.map_err(|error| Error::io(&self.path, error))
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

fn beside(
    target: PathBuf,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Content> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpfield-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any newly created file: the umask takes away what it must.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // The kind alone: the temporary name in the whole error would only confuse.
    let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    let mut out = BufWriter::new(file);
    write(&mut out)?;
    Ok(Content::File { file: out.into_inner()?, target })
}

fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links lead on from here"))
}

fn write_directly(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)
}
