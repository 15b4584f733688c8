//! Partitions that a device has failed, once more: `--on-device-error`.

use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::{env, fmt, iter};

use super::maker::Maker;
use crate::args::{OnDeviceError, Prove};
use crate::failure::Failure;

/// Who proves such a partition.
#[derive(Clone, Copy)]
pub enum Again {
    OnCpu,
    OnDevice,
    /// It and all after it: a CUDA device that a kernel's fault lost is lost to its process.
    InAnotherProcess,
}

impl Again {
    /// None if it is to fail: also in the other process, where it has had its second chance.
    pub fn of(args: &Prove, maker: &Maker) -> Option<Self> {
        match args.on_device_error? {
            OnDeviceError::Fail => None,
            OnDeviceError::Cpu => Some(Self::OnCpu),
            OnDeviceError::Retry if args.from.is_some() => None,
            OnDeviceError::Retry if maker.is_lost() => Some(Self::InAnotherProcess),
            OnDeviceError::Retry => Some(Self::OnDevice),
        }
    }
}

impl fmt::Display for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OnCpu => "proving it on the CPU",
            Self::OnDevice => "proving it once more",
            Self::InAnotherProcess => "going on in another process",
        })
    }
}

/// Runs this program once more with the same arguments, from the partition of this index on, and waits for it.
/// Its messages go where this one's do.
pub fn run(index: usize) -> Result<ExitStatus, Failure> {
    let failure = |error| Failure::other(format!("cannot go on in another process: {error}"));
    let program = env::current_exe().map_err(failure)?;
    let arguments = arguments(env::args_os().skip(1), index);
    Command::new(program).args(arguments).status().map_err(failure)
}

/// The arguments, with where to begin behind the subcommand: what follows may be files after `--`.
fn arguments(
    given: impl Iterator<Item = OsString>,
    index: usize,
) -> impl Iterator<Item = OsString> {
    let mut is_told = false;
    given.flat_map(move |argument| {
        let told = (argument == "prove" && !is_told)
            .then(|| [OsString::from("--from"), index.to_string().into()]);
        is_told |= told.is_some();
        iter::once(argument).chain(told.into_iter().flatten())
    })
}

/// What is left to say when the other process has told of its partitions.
pub fn summary(status: ExitStatus, failed: Vec<Failure>) -> Result<(), Failure> {
    let rest = match status.code() {
        Some(0) if failed.is_empty() => return Ok(()),
        Some(0) => "the others are proved".to_owned(),
        Some(1) => return Err(Failure::Invalid("a partition failed in the other process".into())),
        _ => format!("the other process ended with {status}"),
    };
    Err(Failure::other(format!("{} partitions failed before the device did; {rest}", failed.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_to_begin() {
        let given = ["-q", "prove", "k.zkey", "--", "prove"].map(OsString::from);
        let told: Vec<_> = arguments(given.into_iter(), 7).collect();
        assert_eq!(told, ["-q", "prove", "--from", "7", "k.zkey", "--", "prove"]);
    }
}
