//! Groth16 on a device: keys ([`setup()`]), and the five sums of a proof: one partition, from its witness to what the host makes a proof of.
//!
//! ```
//! use std::sync::Arc;
//!
//! use blstrs::Scalar;
//! use warpfield::formats::zkey::{self, Trust};
//! use warpfield::formats::wtns;
//! use warpfield::gpu::{Device, Module, emulator};
//! use warpfield::groth16::Blinding;
//! use warpfield::groth16::gpu::{Contents, DeviceKey, Kernels, Scratch, Slot};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (key_file, witness_file) = ("tests/data/mult1000/circuit.zkey", "tests/data/mult1000/witness.wtns");
//! let key = Arc::new(zkey::open(key_file, Trust::Trusted)?);
//! let device = Device::emulated(emulator::Config::default().checks(emulator::Checks::NONE));
//! let module = Module::load(&device, warpfield::ptx::MODULE)?;
//! let kernels = Kernels::new(&device, &module)?;
//! let stream = device.stream()?;
//!
//! // What all takes is known before any of it is there.
//! let contents = Contents::of(&key)?;
//! let sizes = contents.sizes();
//! let residence = sizes.resident(0);
//! let [of_key, of_slot, of_scratch] =
//!     [sizes.key_bytes(&residence), sizes.staging_bytes(), sizes.scratch_bytes(&kernels, &residence)?];
//! let scratch = device.alloc(of_scratch)?;
//! let on_device =
//!     DeviceKey::load(&kernels, &stream, key.clone(), &contents, &residence, &*device.alloc(of_key)?, &scratch)?;
//!
//! // For each proof, without an allocation or a wait:
//! let slot = Slot::new(&sizes, &*device.alloc(of_slot)?)?;
//! let scratch = Scratch::new(&on_device, &scratch)?;
//! let witness = wtns::open(witness_file)?;
//! let mut pinned = device.alloc_pinned::<[u8; 32]>(witness.len())?;
//! pinned.copy_from_slice(witness.as_bytes().as_chunks().0);
//! let staged = on_device.stage(&stream, &slot, pinned, witness.len())?;
//! let running = on_device.compute(&stream, &slot, scratch, &mut |_| Ok(()))?;
//!
//! let (sums, _scratch) = running.wait()?;
//! let blinding = Blinding::fixed(Scalar::from(3), Scalar::from(4));
//! let proof = sums.finish(&key, &blinding, &witness.public_signals(key.n_public()))?;
//! # let _ = (proof, staged);
//! # Ok(())
//! # }
//! ```
//!
//! In two vectors u, v of the domain's size, with the rows in bit-reversed order:
//!
//! 1. u = A·w and v = B·w; of each the values on the odd coset by way of the coefficients; u = u·v.
//! 2. v = A·w, times B·w row by row: computed once more, which takes less than a third vector. Of these, too,
//!    the values on the odd coset; u = u − v: the scalars of H.
//! 3. The sum of H; then, for A, B and C in turn, the scalars of the points that are not at infinity, gathered
//!    where u and v were, and their sums.
//!
//! Neither the transforms nor H's points need a pass for another order: the transforms lead from bit-reversed
//! order to bit-reversed order, and H is stored so.
//!
//! # Points in host memory
//!
//! A key that is larger than the device stays in host memory, in part or but for its matrices and lists of
//! wires ([`Sizes::streamed`]). The sums of such vectors copy their points in chunks, each under the sum of the one
//! before; the host brings them into the order of those that are on the device, so that all else is the same.
//! [`DeviceKey::compute`] waits for these sums.
//!
//! # Of a synthesis
//!
//! A [`VectorKey`](super::synthesis::VectorKey) is loaded by the same functions, and a partition's
//! [`Synthesis`](super::synthesis::Synthesis) staged by [`DeviceKey::stage_synthesis`]; all else is the same. Its
//! slots have a, b and c, of the domain's size each, and the assignment:
//!
//! 1. Of a, b and c, where they are, the values on the coset that begins with 7, by way of the coefficients;
//!    a = a·b − c; of that the coefficients, which are those of h times the constant that Z is on this coset: the
//!    scalars of H, in order.
//! 2. The sum of H, which the host divides by that constant, and of L, A and B: as above, and without a copy
//!    of the scalars of L.
//!
//! From rows in order to coefficients in order a transform goes through a scratch vector, and needs no pass more
//! for it.

mod compute;
mod contents;
mod error;
mod key;
mod layout;
mod load;
mod matrices;
mod memory;
mod points;
mod quotient;
mod residence;
mod setup;
mod sizes;
mod sums;

pub use compute::{RunningSums, Stage, Step};
pub use contents::Contents;
pub use error::Error;
pub use key::DeviceKey;
pub use memory::{Scratch, Slot};
pub use residence::{KeyResidence, Residence};
pub use setup::{SetupError, setup, setup_vectors};
pub use sizes::Sizes;

use crate::curve::{G1, G2};
use crate::gpu::{Device, Kernel, Module};
use crate::msm::gpu::Msm;
use sums::SumPlan;

/// What a device needs for partitions of any key. Holds no memory but that of the code.
#[derive(Clone, Debug)]
pub struct Kernels {
    device: Device,
    module: Module,
    g1: Msm<G1>,
    g2: Msm<G2>,
    rows: Kernel,
    cut_rows: Kernel,
    multiply: Kernel,
    subtract: Kernel,
    multiply_subtract: Kernel,
    gather: Kernel,
}

impl Kernels {
    /// Finds the kernels in [`ptx::MODULE`](crate::ptx::MODULE), loaded on the device.
    ///
    /// # Errors
    ///
    /// The module is another, and the driver's.
    pub fn new(device: &Device, module: &Module) -> Result<Self, Error> {
        let kernel = |name: &str| module.kernel(&format!("groth16_{name}"));
        Ok(Self {
            device: device.clone(),
            module: module.clone(),
            g1: Msm::new(device, module)?,
            g2: Msm::new(device, module)?,
            rows: kernel("rows")?,
            cut_rows: kernel("cut_rows")?,
            multiply: kernel("multiply")?,
            subtract: kernel("subtract")?,
            multiply_subtract: kernel("multiply_subtract")?,
            gather: kernel("gather")?,
        })
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn plans(&self, sizes: &Sizes, residence: &KeyResidence) -> Result<Plans, Error> {
        Ok(Plans {
            a: SumPlan::new(&self.g1, sizes.a, residence.a)?,
            b1: SumPlan::new(&self.g1, sizes.b, residence.b1)?,
            b2: SumPlan::new(&self.g2, sizes.b, residence.b2)?,
            c: SumPlan::new(&self.g1, sizes.c, residence.c)?,
            h: SumPlan::new(&self.g1, sizes.h, residence.h)?,
        })
    }
}

/// How the sums of a key are made.
#[derive(Clone, Debug)]
struct Plans {
    a: SumPlan<G1>,
    b1: SumPlan<G1>,
    b2: SumPlan<G2>,
    c: SumPlan<G1>,
    h: SumPlan<G1>,
}

impl Plans {
    /// Bytes of device memory for each of them, one after the other.
    fn bytes(&self) -> usize {
        let in_g1 = [&self.a, &self.b1, &self.c, &self.h];
        in_g1.into_iter().map(SumPlan::bytes).fold(self.b2.bytes(), usize::max)
    }
}
