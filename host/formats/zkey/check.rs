//! The sidecar of a key: remembers that a key of this content passed the subgroup check.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::{Source, Staged};

/// First line of a sidecar; a new kind of check gets a new line, so that old sidecars do not count.
const TITLE: &str = "warpfield: the points of the key with this BLAKE3 hash are in their subgroups";

/// Where the sidecar of the key at `path` is: beside it, `.checked` appended to its name.
pub fn sidecar_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".checked");
    name.into()
}

/// What is known of a key's content from an earlier run.
///
/// Whoever can write beside the key can also forge the sidecar, as they can replace the key; where
/// that matters, use [`Trust::CheckAlways`](super::Trust::CheckAlways).
pub(super) struct Remembered {
    path: PathBuf,
    content: String,
}

impl Remembered {
    /// Hashes the key.
    #[tracing::instrument(level = "info", name = "hash_key", skip_all)]
    pub(super) fn of(source: &Source) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update_rayon(source.bytes());
        let content = format!("{TITLE}\n{}\n", hasher.finalize());
        Self { path: sidecar_path(source.path()), content }
    }

    /// Whether this content passed before.
    pub(super) fn has_passed(&self) -> bool {
        // A link, a pipe or a file of another length is not what `set_passed` wrote.
        let ours = std::fs::symlink_metadata(&self.path)
            .is_ok_and(|found| found.is_file() && found.len() == self.content.len() as u64);
        ours && std::fs::read(&self.path).is_ok_and(|found| found == self.content.as_bytes())
    }

    /// Notes that it passed. Where the folder cannot be written the next run checks again.
    pub(super) fn set_passed(&self) {
        let written =
            Staged::write_replacing(&self.path, self.content.as_bytes()).and_then(Staged::commit);
        if let Err(error) = written {
            tracing::info!("the key's check is not remembered: {error}");
        }
    }
}
