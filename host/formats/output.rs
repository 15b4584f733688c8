//! Output files that appear whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::Error;

/// Writes the file at `path`: into a temporary file beside it, which then takes its name. On any
/// failure what was there before stays. A path that is not a regular file (a pipe, `/dev/stdout`)
/// is written directly; a link is followed.
///
/// # Errors
///
/// [`Error`] with the path and the system's reason.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    try_write(path, write).map_err(|error| Error::io(path, error))
}

fn try_write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            let mut file = OpenOptions::new().write(true).open(path)?;
            write(&mut file)?;
            return file.flush();
        }
        _ => {}
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
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
    let mut file = BufWriter::new(builder.tempfile_in(folder)?);
    write(&mut file)?;
    file.into_inner()?.persist(&target)?;
    Ok(())
}
