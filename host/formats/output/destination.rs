//! Where the bytes for a path go.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Where what is written to a path goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Destination {
    /// To a file of this name, which is replaced if it is there. Links are followed, and the folder's name
    /// is the one that all its spellings lead to.
    File(PathBuf),
    /// To what a descriptor of this process has open, as that of `/dev/stdout` (1).
    Descriptor(u32),
    /// To a pipe or a device.
    Stream,
}

/// Links that are followed before a chain of them counts as a loop.
const MOST_LINKS: usize = 40;

impl Destination {
    /// Where what is written to `path` goes.
    ///
    /// # Errors
    ///
    /// The system's, if its folder is not there, links lead nowhere or a descriptor is not open; and if it is a folder
    /// itself.
    pub fn of(path: &Path) -> io::Result<Self> {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let descriptors = fs::canonicalize("/dev/fd").ok();
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let Some(name) = path.file_name() else {
                return Err(io::ErrorKind::IsADirectory.into());
            };
            let folder = fs::canonicalize(folder_of(&path))?;
            let number = || name.to_str()?.parse().ok();
            if Some(&folder) == descriptors.as_ref()
                && let Some(number) = number()
            {
                // One that is not open is not to be that of a file which is opened later.
                fs::metadata(folder.join(name))?;
                return Ok(Self::Descriptor(number));
            }
            let whole = folder.join(name);
            match fs::read_link(&whole) {
                Ok(next) => path = folder.join(next),
                Err(_) => return Self::of_no_link(whole),
            }
        }
        Err(io::Error::other("too many links lead on from here; give another path"))
    }

    fn of_no_link(path: PathBuf) -> io::Result<Self> {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => Ok(Self::Stream),
            _ => Ok(Self::File(path)),
        }
    }
}

/// The folder that a path is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
