//! How the program ends when it does not end well.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// Why the program stops, and so its exit code.
pub enum Failure {
    /// A proof is not valid, or cannot be, with this message. Exit code 1.
    Invalid(String),
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
        match self {
            Self::Invalid(message) => Self::Invalid(format!("{context}: {message}")),
            Self::Other(message) => Self::Other(format!("{context}: {message}")),
        }
    }

    /// Puts a remark behind the message.
    pub fn and(self, remark: impl Display) -> Self {
        match self {
            Self::Invalid(message) => Self::Invalid(format!("{message}; {remark}")),
            Self::Other(message) => Self::Other(format!("{message}; {remark}")),
        }
    }

    /// One line on stderr.
    pub fn report(&self) {
        let (Self::Invalid(message) | Self::Other(message)) = self;
        tracing::error!("{message}");
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Invalid(_) => ExitCode::from(1),
            Self::Other(_) => ExitCode::from(2),
        }
    }
}

#[cfg(feature = "ptx")]
impl From<warpfield::gpu::Error> for Failure {
    fn from(error: warpfield::gpu::Error) -> Self {
        Self::other(error)
    }
}

#[cfg(feature = "ptx")]
impl From<warpfield::pipeline::engine::Error> for Failure {
    fn from(error: warpfield::pipeline::engine::Error) -> Self {
        match error {
            warpfield::pipeline::engine::Error::Proof(error) => error.into(),
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
