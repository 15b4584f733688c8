//! How the program ends when it does not end well.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// Why the program stops, and so its exit code.
pub enum Failure {
    /// A proof is not valid, or cannot be, with this message. Exit code 1.
    Invalid(String),
    /// A device could not do what it should. Exit code 2.
    Device(String),
    /// Anything else. Exit code 2.
    Other(String),
}

impl Failure {
    pub fn other(message: impl Display) -> Self {
        Self::Other(message.to_string())
    }

    /// Prints a result on stdout.
    pub fn print(text: impl Display) -> Result<(), Self> {
        let mut out = std::io::stdout();
        writeln!(out, "{text}")
            .and_then(|()| out.flush())
            .map_err(|error| Self::other(format!("stdout: {error}")))
    }

    /// What needs kernels cannot be done without them.
    #[cfg(not(feature = "ptx"))]
    pub fn no_kernels() -> Self {
        Self::other(
            "this build has no kernels; build with `--features cuda`, or use `--device cpu`",
        )
    }

    /// Puts what was being done before the message.
    pub fn within(self, context: impl Display) -> Self {
        self.map(|message| format!("{context}: {message}"))
    }

    /// Puts a remark behind the message.
    pub fn and(self, remark: impl Display) -> Self {
        self.map(|message| format!("{message}; {remark}"))
    }

    fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Invalid(message) => Self::Invalid(change(message)),
            Self::Device(message) => Self::Device(change(message)),
            Self::Other(message) => Self::Other(change(message)),
        }
    }

    pub fn message(&self) -> &str {
        let (Self::Invalid(message) | Self::Device(message) | Self::Other(message)) = self;
        message
    }

    /// One line on stderr.
    pub fn report(&self) {
        tracing::error!("{}", self.message());
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Invalid(_) => ExitCode::from(1),
            Self::Device(_) | Self::Other(_) => ExitCode::from(2),
        }
    }
}

#[cfg(feature = "ptx")]
impl From<warpfield::gpu::Error> for Failure {
    fn from(error: warpfield::gpu::Error) -> Self {
        let failure = Self::Device(error.to_string());
        match error.kind() {
            warpfield::gpu::Kind::OutOfMemory => {
                failure.and("see who has it, or use less by --vram")
            }
            _ => failure,
        }
    }
}

#[cfg(feature = "ptx")]
impl From<warpfield::pipeline::engine::Error> for Failure {
    fn from(error: warpfield::pipeline::engine::Error) -> Self {
        use warpfield::pipeline::engine::Error;

        match error {
            Error::Proof(error) => error.into(),
            Error::Device(warpfield::groth16::gpu::Error::Device(error)) => error.into(),
            Error::Device(_) | Error::Memory(_) => Self::Device(error.to_string()),
            _ => Self::other(error),
        }
    }
}

impl From<warpfield::formats::Error> for Failure {
    fn from(error: warpfield::formats::Error) -> Self {
        Self::other(error)
    }
}

impl From<warpfield::groth16::Error> for Failure {
    fn from(error: warpfield::groth16::Error) -> Self {
        match error {
            warpfield::groth16::Error::Unsatisfied => Self::Invalid(error.to_string()),
            _ => Self::other(error),
        }
    }
}
