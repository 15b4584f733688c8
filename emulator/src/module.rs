//! Modules and kernels as a user has them.

use crate::decode::{self, Decoded, Entry};
use crate::error::{Error, ParseError};
use crate::ir::KernelParam;
use crate::ptx;
use crate::text::Text;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

pub(crate) struct Inner {
    /// Tells modules apart for the devices that they are loaded on.
    pub id: u64,
    pub decoded: Decoded,
    pub text: Text,
    version: String,
    target: String,
}

/// A parsed and decoded PTX module. Cheap to clone; needs no device.
#[derive(Clone)]
pub struct Module(pub(crate) Arc<Inner>);

impl Module {
    /// Parses and decodes PTX text.
    ///
    /// # Errors
    ///
    /// Text that is not PTX, and instructions, modifiers or directives that the emulator does not
    /// know, with their line.
    pub fn parse(text: &str) -> Result<Module, ParseError> {
        let ast = ptx::parse(text)?;
        Ok(Module(Arc::new(Inner {
            id: NEXT_ID.fetch_add(1, Relaxed),
            decoded: decode::decode(&ast)?,
            text: Text::new(text, ast.files, ast.sources),
            version: ast.version,
            target: ast.target,
        })))
    }

    /// The `.version` of the text.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// The `.target` of the text, such as `sm_80`.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.0.target
    }

    /// All kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> {
        (0..self.0.decoded.entries.len()).map(|index| Kernel { module: self.0.clone(), index })
    }

    /// The kernel (`.entry`) of this name.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchKernel`], which lists those that there are.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        self.kernels().find(|k| k.name() == name).ok_or_else(|| Error::NoSuchKernel {
            name: name.to_owned(),
            known: self.kernels().map(|k| k.name().to_owned()).collect::<Vec<_>>().join(", "),
        })
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: Vec<_> = self.kernels().map(|k| k.name().to_owned()).collect();
        f.debug_struct("Module").field("target", &self.0.target).field("kernels", &kernels).finish()
    }
}

/// A kernel of a module.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) module: Arc<Inner>,
    pub(crate) index: usize,
}

impl Kernel {
    pub(crate) fn entry(&self) -> &Entry {
        &self.module.decoded.entries[self.index]
    }

    /// Its name in the PTX.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.module.decoded.funcs[self.entry().func as usize].name
    }

    /// Its parameters, in order.
    #[must_use]
    pub fn params(&self) -> &[KernelParam] {
        &self.entry().params
    }

    /// `.reqntid`: the only block size that it may be launched with.
    #[must_use]
    pub fn required_block(&self) -> Option<[u32; 3]> {
        self.entry().reqntid
    }

    /// `.maxntid`: the largest block size that it may be launched with.
    #[must_use]
    pub fn max_block(&self) -> Option<[u32; 3]> {
        self.entry().maxntid
    }

    /// Bytes of static shared memory.
    #[must_use]
    pub fn static_shared(&self) -> u32 {
        crate::launch::shared_layout(&self.module.decoded, self.entry()).1
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name()).finish_non_exhaustive()
    }
}
