//! The error of the layer.

use std::fmt;
use std::sync::Arc;

/// What a device could not do.
#[derive(Clone, thiserror::Error)]
#[error("{}", self.0)]
pub struct Error(Box<Inner>);

/// The kind of an [`Error`]: what a caller may want to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// There is no driver, or no device of this index.
    Unavailable,
    /// Not enough memory, on the device or page-locked.
    OutOfMemory,
    /// The PTX cannot be loaded here.
    Ptx,
    /// Something that the caller gave does not fit: lengths, devices, names, launch shapes.
    Argument,
    /// A kernel trapped or touched memory that is not there. The device is lost.
    Fault,
    /// Anything else that the driver answers.
    Other,
}

#[derive(Clone)]
struct Inner {
    /// The index of the CUDA device that was asked.
    device: Option<u32>,
    operation: String,
    failure: Failure,
    /// Kernels that may be at fault, where the driver does not tell.
    suspects: Vec<Arc<str>>,
}

/// What a driver answers, without what it was asked for.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub kind: Kind,
    /// The driver's code and its name.
    pub code: Option<(u32, String)>,
    pub message: String,
    pub remedy: Option<&'static str>,
    /// The kernel at fault, where the driver tells; its message names it then.
    pub kernel: Option<Arc<str>>,
}

impl Failure {
    /// A failure that is not the driver's.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into(), remedy: None, kernel: None }
    }

    pub fn remedy(mut self, remedy: &'static str) -> Self {
        self.remedy = Some(remedy);
        self
    }
}

impl Error {
    pub(super) fn new(operation: impl Into<String>, failure: Failure) -> Self {
        Self(Box::new(Inner {
            device: None,
            operation: operation.into(),
            failure,
            suspects: vec![],
        }))
    }

    pub(super) fn argument(operation: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(operation, Failure::new(Kind::Argument, message))
    }

    #[cfg(not(feature = "cuda"))]
    pub(super) fn not_built() -> Self {
        let failure = Failure::new(Kind::Unavailable, "this build has none");
        Self::new("CUDA devices", failure.remedy("build with `--features cuda`"))
    }

    /// With the CUDA device that was asked, by its index.
    pub(super) fn of_device(mut self, index: Option<u32>) -> Self {
        self.0.device = index;
        self
    }

    /// With the kernels that may be at fault, if nobody knows which it is.
    pub(super) fn suspects(mut self, kernels: impl FnOnce() -> Vec<Arc<str>>) -> Self {
        if self.0.failure.kernel.is_none() {
            self.0.suspects = kernels();
        }
        self
    }

    /// What may be told apart.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.failure.kind
    }

    /// The index of the CUDA device that was asked. None for the emulator, and for what no device was asked.
    #[must_use]
    pub fn device(&self) -> Option<u32> {
        self.0.device
    }

    /// What was tried when it showed.
    #[must_use]
    pub fn operation(&self) -> &str {
        &self.0.operation
    }

    /// The CUDA driver's code. None for the emulator, and for what the driver was not asked.
    #[must_use]
    pub fn code(&self) -> Option<u32> {
        Some(self.0.failure.code.as_ref()?.0)
    }

    /// The code's name, such as `CUDA_ERROR_LAUNCH_FAILED`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        Some(&self.0.failure.code.as_ref()?.1)
    }

    /// What may help.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        self.0.failure.remedy
    }

    /// The kernel at fault, if one is; a GPU does not tell which, so that there it is the latest of each
    /// stream that no [`Stream::synchronize`](super::Stream::synchronize) came after.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.0.failure.kernel.iter().chain(&self.0.suspects).map(|name| &**name)
    }
}

impl fmt::Display for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { code, message, remedy, .. } = &self.failure;
        if let Some(index) = self.device {
            write!(f, "CUDA device {index}: ")?;
        }
        write!(f, "{}: {message}", self.operation)?;
        if let Some((code, name)) = code {
            write!(f, " ({name}, {code})")?;
        }
        if !self.suspects.is_empty() {
            write!(f, "; kernels not waited for: {}", self.suspects.join(", "))?;
        }
        if let Some(remedy) = remedy {
            write!(f, "; {remedy}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}: {})", self.kind(), self.0)
    }
}
