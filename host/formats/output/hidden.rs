//! Files that nobody sees yet.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::destination::folder_of;

/// A file in a folder without its name. Dropped, it is gone.
pub(super) enum Hidden {
    /// Without any.
    #[cfg(target_os = "linux")]
    Nameless(File),
    /// With a temporary one.
    Named(NamedTempFile<File>),
}

impl Hidden {
    /// Writes a file into the folder of `target`.
    pub(super) fn beside(
        target: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Self> {
        let hidden = Self::new(folder_of(target))?;
        let mut out = BufWriter::new(hidden.file());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        Ok(hidden)
    }

    fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless::new(folder) {
            return Ok(Self::Nameless(file));
        }
        // By `make_in`, since errors of tempfile's own would tell the temporary name, and its files are for the
        // owner only.
        let named = builder().make_in(folder, |path| File::create_new(path))?;
        Ok(Self::Named(named))
    }

    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Gives it a name, in one step, in place of any other file that has it.
    pub(super) fn take_name(self, target: &Path) -> io::Result<()> {
        #[cfg(unix)]
        self.take_access(target)?;
        let named = match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => match nameless::link(&file, target) {
                // A link replaces nothing, so that it takes a name that does.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => builder()
                    .make_in(folder_of(target), |path| nameless::link(&file, path))?
                    .into_temp_path(),
                result => return result,
            },
            Self::Named(file) => file.into_temp_path(),
        };
        named.persist(target).map_err(|error| error.error)
    }
}

#[cfg(unix)]
impl Hidden {
    /// Leaves it to those who may read and write what it replaces, if this user may give it away.
    fn take_access(&self, target: &Path) -> io::Result<()> {
        use std::fs::Permissions;
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

        let Some(old) = target.symlink_metadata().ok().filter(std::fs::Metadata::is_file) else {
            return Ok(());
        };
        match fchown(self.file(), Some(old.uid()), Some(old.gid())) {
            // Without the bits that lend a program its owner's rights.
            Ok(()) => self.file().set_permissions(Permissions::from_mode(old.mode() & 0o777)),
            Err(_) => Ok(()),
        }
    }
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warpfield-");
    builder
}

/// Files that have no name, which only Linux has, in most of its file systems.
#[cfg(target_os = "linux")]
mod nameless {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags};

    /// None where there can be none, or none that would get a name.
    pub fn new(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        // As any newly created file: the umask takes away what it must.
        let mode = Mode::from_raw_mode(0o666);
        let file = File::from(rustix::fs::open(folder, flags, mode).ok()?);
        Path::new(&by_descriptor(&file)).exists().then_some(file)
    }

    /// Gives the file a name, if nothing has it.
    pub fn link(file: &File, target: &Path) -> io::Result<()> {
        let flags = AtFlags::SYMLINK_FOLLOW;
        Ok(rustix::fs::linkat(CWD, by_descriptor(file), CWD, target, flags)?)
    }

    fn by_descriptor(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Names in a folder, in order.
    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| name(e).unwrap()).collect();
        names.sort();
        names
    }

    /// By both kinds of files, where there are both.
    #[test]
    fn seen_when_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let create = |path: &Path| File::create_new(path);
        let named = || Hidden::Named(builder().make_in(folder.path(), create).unwrap());
        let makers: [&dyn Fn() -> Hidden; 2] = [&|| Hidden::new(folder.path()).unwrap(), &named];
        for make in makers {
            for content in ["first", "another", ""] {
                let before = names(folder.path());
                let old = fs::read(&target).ok();
                drop(make());
                assert_eq!(names(folder.path()), before, "dropped, it is gone");
                let hidden = make();
                hidden.file().write_all(content.as_bytes()).unwrap();
                #[cfg(target_os = "linux")]
                if let Hidden::Nameless(_) = hidden {
                    assert_eq!(names(folder.path()), before, "without a name");
                }
                assert_eq!(fs::read(&target).ok(), old);
                hidden.take_name(&target).unwrap();
                assert_eq!(fs::read(&target).unwrap(), content.as_bytes());
                assert_eq!(names(folder.path()), ["target"]);
            }
            fs::remove_file(&target).unwrap();
        }
        // In place of a link, not of what it leads to; and not of a folder.
        #[cfg(unix)]
        for make in makers {
            let (link, other) = (folder.path().join("link"), folder.path().join("other"));
            fs::write(&other, "untouched").unwrap();
            std::os::unix::fs::symlink("other", &link).unwrap();
            make().take_name(&link).unwrap();
            assert!(link.symlink_metadata().unwrap().is_file());
            assert_eq!(fs::read(&other).unwrap(), b"untouched");
            fs::remove_file(&link).unwrap();
            fs::create_dir(&link).unwrap();
            assert!(make().take_name(&link).is_err());
            assert_eq!(names(folder.path()), ["link", "other"]);
            fs::remove_dir(&link).unwrap();
        }
    }

    /// As those of other files.
    #[cfg(unix)]
    #[test]
    fn permissions() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let [target, other] = ["target", "other"].map(|name| folder.path().join(name));
        Hidden::beside(&target, |_| Ok(())).unwrap().take_name(&target).unwrap();
        fs::write(&other, "").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&target), mode(&other));
        // As those of what it replaces.
        for (old, new) in [(0o600, 0o600), (0o4755, 0o755)] {
            fs::set_permissions(&other, fs::Permissions::from_mode(old)).unwrap();
            Hidden::beside(&other, |_| Ok(())).unwrap().take_name(&other).unwrap();
            assert_eq!(mode(&other) & 0o7777, new);
        }
    }
}
