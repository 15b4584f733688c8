//! Outputs are looked at before any work: none may overwrite an input or another output, and each
//! must have a folder to go to.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use warpfield::formats::zkey::sidecar_path;
use warpfield::formats::{Destination, Fault};

use crate::failure::Failure;

/// Refuses outputs that cannot be written or would destroy something.
pub fn check(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    let mut taken: HashMap<PathBuf, &str> = HashMap::new();
    for input in inputs {
        let sidecar = sidecar_path(input);
        for (path, what) in [(*input, "an input"), (&sidecar, "the sidecar of an input")] {
            if let Ok(Destination::File(path)) = Destination::of(path) {
                taken.insert(path, what);
            }
        }
    }
    for output in outputs {
        let refuse = |why: &str| Err(Failure::other(format!("{}: {why}", output.display())));
        let file = match Destination::of(output) {
            Ok(Destination::File(file)) => file,
            // Several outputs may go there.
            Ok(_) => continue,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return refuse("No such file or directory: make the folder first");
            }
            Err(error) => return refuse(&Fault::Io(error).to_string()),
        };
        let folder = file.parent().expect("a file is in a folder");
        if let Err(error) = tempfile::tempfile_in(folder) {
            // Without the temporary name.
            let why = Fault::Io(io::Error::from(error.kind()));
            return refuse(&format!("cannot write to its folder: {why}"));
        }
        if let Some(other) = taken.insert(file, "another output") {
            return refuse(&format!("this output would overwrite {other}; choose another name"));
        }
    }
    Ok(())
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
    std::fs::create_dir_all(folder).map_err(|error| failure(Fault::Io(error).to_string()))
}
