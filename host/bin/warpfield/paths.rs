//! Outputs are looked at before any work: none may overwrite an input or another output, and each
//! must have a folder to go to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use warpfield::formats::{Destination, Fault};

use crate::failure::Failure;

/// Refuses outputs that cannot be written or would destroy something. The sidecar is the key's, if it may be written.
pub fn check(inputs: &[&Path], sidecar: Option<&Path>, outputs: &[&Path]) -> Result<(), Failure> {
    let mut taken = Taken::default();
    for input in inputs {
        taken.insert(input, Destination::of(input).ok().as_ref(), "an input");
    }
    let refuse = |path: &Path, why: &str| Err(Failure::other(format!("{}: {why}", path.display())));
    if let Some(path) = sidecar
        && let Ok(destination) = Destination::of(path)
        && let Some(other) = taken.insert(path, Some(&destination), "the sidecar of an input")
    {
        return refuse(path, &format!("is {other} and the name of the key's sidecar; rename it"));
    }
    for output in outputs {
        let destination = match Destination::of(output) {
            Ok(destination) => destination,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return refuse(output, "No such file or directory: make the folder first");
            }
            Err(error) => return refuse(output, &Fault::Io(error).to_string()),
        };
        let what = match destination {
            Destination::Descriptor(_) => DESCRIPTOR,
            _ => "another output",
        };
        if let Some(other) = taken.insert(output, Some(&destination), what)
            && (what, other) != (DESCRIPTOR, DESCRIPTOR)
        {
            let why = format!("this output would overwrite {other}; choose another name");
            return refuse(output, &why);
        }
        if let Destination::File(file) = &destination {
            let folder = file.parent().expect("a file is in a folder");
            if let Err(error) = tempfile::tempfile_in(folder) {
                // Without the temporary name.
                let why = Fault::Io(io::Error::from(error.kind()));
                return refuse(output, &format!("cannot write to its folder: {why}"));
            }
        }
    }
    Ok(())
}

/// Files that are read or written, by their names and, where they are there, by what they are: a mount or a descriptor
/// leads to the same file by another name.
#[derive(Default)]
struct Taken {
    /// By the folder, where the system tells it apart, and the name there.
    names: BTreeMap<(Option<Identity>, PathBuf), &'static str>,
    files: BTreeMap<Identity, &'static str>,
}

/// Of which several may go to the same file.
const DESCRIPTOR: &str = "what a descriptor has open";

impl Taken {
    /// Takes a file, and says what it is already. Several may go to one pipe or device.
    fn insert(
        &mut self,
        path: &Path,
        destination: Option<&Destination>,
        what: &'static str,
    ) -> Option<&'static str> {
        let by_name = match destination {
            Some(Destination::File(file)) => self.names.insert(place(file), what),
            _ => None,
        };
        let file = || fs::metadata(path).ok().filter(fs::Metadata::is_file);
        by_name.or_else(|| self.files.insert(identity(&file()?)?, what))
    }
}

/// Where a file is, whether it is there or not.
fn place(file: &Path) -> (Option<Identity>, PathBuf) {
    let folder = file.parent().and_then(|folder| identity(&fs::metadata(folder).ok()?));
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => (Some(folder), name.into()),
        _ => (None, file.to_owned()),
    }
}

/// A device, and a number on it.
type Identity = (u64, u64);

/// That of what is there.
#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Option<Identity> {
    None
}

/// Refuses outputs that exist.
pub fn check_new(outputs: &[PathBuf]) -> Result<(), Failure> {
    match outputs.iter().find(|output| output.symlink_metadata().is_ok()) {
        Some(output) => Err(Failure::other(format!(
            "{}: exists already and would be overwritten; choose another folder",
            output.display()
        ))),
        None => Ok(()),
    }
}

/// Makes a folder for outputs, if it is not there.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    let failure = |why: String| Failure::other(format!("{}: {why}", folder.display()));
    if folder.exists() && !folder.is_dir() {
        return Err(failure("is not a folder; choose another".into()));
    }
    fs::create_dir_all(folder).map_err(|error| failure(Fault::Io(error).to_string()))
}
