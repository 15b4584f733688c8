//! Outputs are looked at before any work: none may overwrite an input or another output, and each
//! must have a folder to go to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use warpfield::formats::zkey::sidecar_path;

use crate::failure::Failure;

/// Refuses outputs that cannot be written or would destroy something.
pub fn check(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    let mut taken: HashMap<PathBuf, &str> = HashMap::new();
    for input in inputs {
        taken.insert(identity(input), "an input");
        taken.insert(identity(&sidecar_path(input)), "the sidecar of an input");
    }
    for output in outputs {
        let refuse = |why: &str| Err(Failure::other(format!("{}: {why}", output.display())));
        match fs::metadata(output) {
            Ok(metadata) if metadata.is_dir() => {
                return refuse("is a folder; give the name of a file");
            }
            // Several outputs may go to one pipe or device.
            Ok(metadata) if !metadata.is_file() => continue,
            _ => {}
        }
        let folder = folder_of(output);
        if !folder.is_dir() {
            return refuse("No such file or directory: make the folder first");
        }
        if let Err(error) = tempfile::tempfile_in(folder) {
            let why = io::Error::from(error.kind());
            return refuse(&format!("cannot write to its folder: {why}"));
        }
        if let Some(other) = taken.insert(identity(output), "another output") {
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

/// Links that are followed.
const MOST_LINKS: usize = 40;

/// One path for all spellings of it: links followed, whether the file itself exists or not.
fn identity(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(next);
    }
    let by_folder = || Some(fs::canonicalize(folder_of(&path)).ok()?.join(path.file_name()?));
    by_folder().unwrap_or(path)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
