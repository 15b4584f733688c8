//! Keys whose points a device makes.

#[cfg(test)]
mod tests;

use blstrs::Scalar;
use group::Group as _;
use rayon::prelude::*;
use warpfield_device::curve::Affine;
use warpfield_device::field::Fr;

use crate::circuit::R1cs;
use crate::curve::{CurveGroup as _, G1, G2};
use crate::gpu::{self, Device, DeviceBuffer, DeviceSlice, Module, Pending, PinnedBuffer, Stream};
use crate::groth16::setup::{Columns, Exponents, Vectors, assemble};
use crate::groth16::synthesis::{self, VectorKey};
use crate::groth16::{Error, KeyParts, ToxicWaste};
use crate::msm;
use crate::msm::gpu::{DeviceGroup, FixedBase, Msm, Scalars};

/// Bytes of points that come from the device at a time.
const CHUNK: usize = 128 << 20;

/// Bytes that one task copies.
const TASK: usize = 1 << 20;

/// Why a device makes no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no key for this circuit.
    #[error(transparent)]
    Circuit(#[from] Error),
    /// The device's.
    #[error(transparent)]
    Device(#[from] gpu::Error),
    /// Points could not be multiplied.
    #[error(transparent)]
    Multiples(#[from] msm::gpu::Error),
}

/// Makes the key for `circuit` that [`groth16::setup`](crate::groth16::setup()) makes, byte for byte, with
/// its points by a device. The rest runs on the current rayon pool.
///
/// Takes 32 bytes of device memory for each wire, or each row of the domain if there are more of
/// them, and some hundred megabytes. Secrets are zeroed there, too, before the memory is given back.
///
/// # Errors
///
/// As that, and the device's.
///
/// ```
/// use rand_core::OsRng;
/// use warpfield::circuit::{WitnessValues, synthetic};
/// use warpfield::gpu::{Device, Module, emulator};
/// use warpfield::groth16::{self, ToxicWaste};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = Device::emulated(emulator::Config::default());
/// let module = Module::load(&device, warpfield::ptx::MODULE)?;
/// let (circuit, _) = synthetic(3, 0, WitnessValues::Boolean, &mut OsRng);
/// let waste = ToxicWaste::random(&mut OsRng)?;
/// let key = groth16::gpu::setup(&device, &module, &circuit, &waste)?;
/// assert!(key == groth16::setup(&circuit, &waste)?);
/// # Ok(())
/// # }
/// ```
#[tracing::instrument(level = "info", skip_all)]
pub fn setup(
    device: &Device,
    module: &Module,
    circuit: &R1cs,
    waste: &ToxicWaste,
) -> Result<KeyParts, SetupError> {
    in_chunks(device, module, circuit, waste, CHUNK)
}

/// Makes the key for `circuit` that [`synthesis::setup`](crate::groth16::synthesis::setup()) makes, as
/// [`setup()`] does.
///
/// # Errors
///
/// As that.
#[tracing::instrument(level = "info", name = "setup", skip_all)]
pub fn setup_vectors(
    device: &Device,
    module: &Module,
    circuit: &R1cs,
    waste: &ToxicWaste,
) -> Result<VectorKey, SetupError> {
    let exponents = synthesis::Exponents::of(circuit, waste)?;
    let synthesis::Exponents { a, b, h, .. } = &exponents;
    let l = exponents.l();
    let vectors = {
        let _span = tracing::info_span!("multiples").entered();
        let longest = h.len().max(l.len()).max(a.len());
        let mut stage = Stage::new(device, longest, CHUNK)?;
        let g1 = stage.generator::<G1>(module, a.len() + b.len() + l.len() + h.len())?;
        let g2 = stage.generator::<G2>(module, b.len())?;
        synthesis::Vectors {
            h: stage.multiples(&g1, h)?,
            l: stage.multiples(&g1, l)?,
            a: stage.multiples(&g1, a)?,
            b_g1: stage.multiples(&g1, b)?,
            b_g2: stage.multiples(&g2, b)?,
        }
    };
    Ok(exponents.assemble(waste, vectors)?)
}

/// The same with chunks of so many bytes.
fn in_chunks(
    device: &Device,
    module: &Module,
    circuit: &R1cs,
    waste: &ToxicWaste,
    chunk: usize,
) -> Result<KeyParts, SetupError> {
    let exponents = Exponents::of(circuit, waste)?;
    let Exponents { columns: Columns { a, b, c }, h, .. } = &exponents;
    let c = &c[circuit.n_public() as usize + 1..];
    let vectors = {
        let _span = tracing::info_span!("multiples").entered();
        let mut stage = Stage::new(device, a.len().max(h.len()), chunk)?;
        let g1 = stage.generator::<G1>(module, a.len() + b.len() + c.len() + h.len())?;
        let g2 = stage.generator::<G2>(module, b.len())?;
        Vectors {
            a: stage.multiples(&g1, a)?,
            b1: stage.multiples(&g1, b)?,
            b2: stage.multiples(&g2, b)?,
            c: stage.multiples(&g1, c)?,
            h: stage.multiples(&g1, h)?,
        }
    };
    Ok(assemble(circuit, waste, &exponents, vectors))
}

/// What multiples of generators are made with.
struct Stage<'a> {
    device: &'a Device,
    stream: Stream,
    /// Room for the longest vector.
    scalars: DeviceBuffer<Scalar>,
    /// A chunk of points, which each chunk's copy is behind and the next one's kernels before.
    points: DeviceBuffer<u8>,
    /// Two chunks on their way to pageable memory: one is written while the other one is read.
    pinned: Vec<PinnedBuffer<u8>>,
}

impl<'a> Stage<'a> {
    fn new(device: &'a Device, longest: usize, chunk: usize) -> Result<Self, SetupError> {
        // At least one point, and no more than there are.
        let chunk = chunk.clamp(1, longest * G2::BYTES).next_multiple_of(G2::BYTES);
        Ok(Self {
            device,
            stream: device.stream()?,
            scalars: device.alloc(longest)?,
            points: device.alloc(chunk)?,
            pinned: vec![device.alloc_pinned(chunk)?, device.alloc_pinned(chunk)?],
        })
    }

    /// The generator of a group, ready for so many products.
    fn generator<G: DeviceGroup>(
        &self,
        module: &Module,
        products: usize,
    ) -> Result<FixedBase<G>, SetupError> {
        let msm = Msm::new(self.device, module)?;
        let generator = G::to_affine(&G::Projective::generator());
        Ok(FixedBase::new(&msm, &self.stream, &generator, products)?)
    }

    /// The base times each scalar, in the layout of a key.
    fn multiples<G: DeviceGroup>(
        &mut self,
        base: &FixedBase<G>,
        scalars: &[Scalar],
    ) -> Result<Vec<u8>, SetupError> {
        let uploaded = self.scalars.slice(..scalars.len());
        let made = self.of_uploaded(base, &uploaded, scalars);
        // Whatever has happened: they are secret.
        let zeroed = self.stream.fill(&uploaded, 0).and_then(|()| self.stream.synchronize());
        let points = made?;
        zeroed?;
        Ok(points)
    }

    fn of_uploaded<G: DeviceGroup>(
        &mut self,
        base: &FixedBase<G>,
        uploaded: &DeviceSlice<Scalar>,
        scalars: &[Scalar],
    ) -> Result<Vec<u8>, SetupError> {
        self.stream.upload(uploaded, scalars)?;
        let uploaded = uploaded.cast().expect("the same elements");
        let mut points = vec![0; scalars.len() * G::BYTES];
        let chunk = self.points.len() / G::BYTES;
        let mut coming = None;
        for (at, to) in points.chunks_mut(chunk * G::BYTES).enumerate() {
            let of_chunk = uploaded.slice(at * chunk..).slice(..to.len() / G::BYTES);
            // The next one is under way while this one is copied.
            let queued = (self.queue(base, &of_chunk)?, to);
            if let Some(before) = coming.replace(queued) {
                self.fetch(before)?;
            }
        }
        if let Some(last) = coming {
            self.fetch(last)?;
        }
        Ok(points)
    }

    /// Queues the products of a chunk's scalars, and their copy.
    fn queue<G: DeviceGroup>(
        &mut self,
        base: &FixedBase<G>,
        scalars: &DeviceSlice<Fr>,
    ) -> Result<Pending<PinnedBuffer<u8>>, SetupError> {
        let points = self.points.slice(..scalars.len() * G::BYTES);
        let products = points.cast::<Affine<G::Coordinate>>().expect("whole points");
        base.mul_many(&self.stream, Scalars::Montgomery(scalars), &products)?;
        let pinned = self.pinned.pop().expect("one of two is on its way at most");
        let range = ..points.len();
        Ok(self.stream.download_pinned(&points, pinned, range)?)
    }
    /// Waits for a chunk's points, and copies them.
    fn fetch(
        &mut self,
        (pending, to): (Pending<PinnedBuffer<u8>>, &mut [u8]),
    ) -> Result<(), SetupError> {
        let points = pending.wait()?;
        let parts = to.par_chunks_mut(TASK).zip(points.par_chunks(TASK));
        parts.for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
        self.pinned.push(points);
        Ok(())
    }
}
